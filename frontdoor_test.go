package kmx

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"testing"

	"kmx/door"
)

// frontDoor compiles the front door, once for all tests, and gives its folder.
func frontDoor(t *testing.T) string {
	t.Helper()
	dir, err := compileDoor()
	if err != nil {
		t.Fatalf("compiling the front door: %v", err)
	}
	return dir
}

var compileDoor = sync.OnceValues(func() (string, error) {
	bin, err := os.MkdirTemp("", "kmx-door-")
	if err != nil {
		return "", err
	}
	doorDir = bin
	if err := os.Chmod(bin, 0o755); err != nil { // for tests as another user
		return "", err
	}
	fast := filepath.Join(bin, "kmx")
	if runtime.GOOS == "windows" {
		fast += ".exe"
	}
	for _, args := range [][]string{
		{"tool", "mage", "-compile", door.Beside(fast)},
		{"build", "-o", fast, "./cmd/kmx"},
		{"build", "-o", filepath.Join(bin, "kmx-validate"+filepath.Ext(fast)), "./cmd/kmx-validate"},
		{"build", "-o", filepath.Join(bin, "kmx-report"+filepath.Ext(fast)), "./cmd/kmx-report"},
		{"build", "-o", filepath.Join(bin, "kmx-verify"+filepath.Ext(fast)), "./cmd/kmx-verify"},
		{"build", "-o", filepath.Join(bin, "kmx-pack"+filepath.Ext(fast)), "./cmd/kmx-pack"},
	} {
		if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("%v\n%s", err, out)
		}
	}
	return bin, nil
})

var doorDir string

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == emitterName {
		os.Exit(fakeEmitter(os.Args[1:]))
	}
	if isWayward() {
		os.Exit(waywardCompiler(os.Args[1:]))
	}
	// Under nohup kmx heeds it, and a story that hangs up on kmx would not end.
	// What a program with a handler starts has the default again.
	if signal.Ignored(syscall.SIGHUP) {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	// Stories wait for one another's processes: a few more than there are processors.
	flag.Parse()
	if n := flag.Lookup("test.parallel"); n.Value.String() == n.DefValue {
		_ = n.Value.Set(strconv.Itoa(runtime.GOMAXPROCS(0) + 2))
	}
	code := m.Run()
	if doorDir != "" {
		_ = os.RemoveAll(doorDir)
	}
	os.Exit(code)
}
