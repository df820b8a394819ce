package kmx

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"kmx/cache"
)

// age DAYS makes all blobs and records of the cache look as if they had not
// been used for so long.
func age(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: age DAYS")
	}
	days, err := strconv.Atoi(args[0])
	ts.Check(err)
	used := time.Now().Add(-time.Duration(days) * 24 * time.Hour)
	for _, kind := range []string{"cas", "act"} {
		ts.Check(filepath.WalkDir(filepath.Join(ts.Getenv("KMX_CACHE"), kind), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			return os.Chtimes(path, used, used)
		}))
	}
}

// poison ADDRESS makes the record of a cell's last build promise another
// object, which is stored as well: a byte of its comment is other. Nothing of
// that is damaged.
func poison(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: poison ADDRESS")
	}
	_, r := recordOf(ts, args[0])
	c, err := cache.Open(ts.Getenv("KMX_CACHE"), func(string) {})
	ts.Check(err)
	defer c.Close()
	object, err := c.Blob(r.Outputs[0].Digest)
	ts.Check(err)
	at := len(object)
	for i := range object {
		if string(object[i:min(i+5, len(object))]) == "clang" {
			at = i
		}
	}
	if at == len(object) {
		ts.Fatalf("the object of %s does not name its compiler", args[0])
	}
	object[at] = 'C'
	r.Outputs[0].Digest, err = c.PutBytes(object)
	ts.Check(err)
	ts.Check(c.Store(r))
}

// damage ADDRESS changes a byte of the object of a cell's last build in the
// cache.
func damage(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: damage ADDRESS")
	}
	_, r := recordOf(ts, args[0])
	name := r.Outputs[0].Digest.String()
	file := filepath.Join(ts.Getenv("KMX_CACHE"), "cas", name[:2], name)
	data, err := os.ReadFile(file)
	ts.Check(err)
	data[len(data)/2] ^= 1
	ts.Check(os.WriteFile(file, data, 0o644))
}
