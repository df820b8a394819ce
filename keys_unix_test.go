//go:build unix

package kmx

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"kmx/toolchains"
)

// keys are those of the real matrix, every cell that a release has, as `plan
// -json` in a process of its own tells them.
type keys struct {
	key    map[string]string   // by address
	inputs map[string][]string // files of the project that may be read, by address
}

// circumstances of a plan: where the project lies and what surrounds it.
type circumstances struct {
	dir   string // with matrix.hcl and kernels
	env   []string
	umask string // for a shell; "": as here
	args  []string
	as    func(*exec.Cmd) // another user
}

func planned(t *testing.T, c circumstances) keys {
	t.Helper()
	kmx := filepath.Join(frontDoor(t), "kmx")
	argv := append([]string{kmx, "plan", "-json", "-all"}, c.args...)
	if c.umask != "" {
		argv = append([]string{"/bin/sh", "-c", "umask " + c.umask + `; exec "$@"`, "sh"}, argv...)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = c.dir, c.env
	if c.as != nil {
		c.as(cmd)
	}
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("plan: %v\n%s", err, &said)
	}
	var plan struct {
		Actions []struct {
			Cells  []string
			Key    string
			Inputs []string
		}
	}
	if err := json.Unmarshal(out, &plan); err != nil {
		t.Fatal(err)
	}
	k := keys{map[string]string{}, map[string][]string{}}
	for _, a := range plan.Actions {
		for _, cell := range a.Cells {
			k.key[cell], k.inputs[cell] = a.Key, a.Inputs
		}
	}
	if len(k.key) < 10 {
		t.Fatalf("only %d cells", len(k.key))
	}
	return k
}

// checkout is a copy of the matrix and its kernels in a new folder below base.
func checkout(t *testing.T, base, name string) string {
	t.Helper()
	dir := filepath.Join(base, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "kernels"), os.DirFS("kernels")); err != nil {
		t.Fatal(err)
	}
	matrix, err := os.ReadFile("matrix.hcl")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "matrix.hcl"), matrix, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// base is a folder that other users may enter, and the surroundings of a plan
// in it.
func surroundings(t *testing.T) (base string, env map[string]string) {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles the front door; left out by -short")
	}
	base, err := os.MkdirTemp("", "kmx-keys-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	if err := os.Chmod(base, 0o755); err != nil {
		t.Fatal(err)
	}
	private, err := toolchains.PrefixDir()
	if err != nil {
		t.Fatal(err)
	}
	env = map[string]string{
		"PATH": os.Getenv("PATH"), "HOME": os.Getenv("HOME"), "KMX_TOOLCHAINS": private,
		"KMX_CACHE": filepath.Join(base, "cache"), "USER": "somebody", "LC_ALL": "C", "TZ": "UTC", "HOSTNAME": "here",
	}
	return base, env
}

func list(env map[string]string, more ...string) []string {
	var l []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		l = append(l, name+"="+env[name])
	}
	return append(l, more...)
}

// anotherUser starts a command as somebody who owns nothing here; nil where that
// cannot be done.
func anotherUser() func(*exec.Cmd) {
	if os.Getuid() != 0 {
		return nil
	}
	return func(cmd *exec.Cmd) {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
}

// Who builds, where, when and how makes no difference to any key: two
// checkouts, two users and two machines with the same compiler share results.
func TestKeysDoNotDependOnCircumstances(t *testing.T) {
	base, env := surroundings(t)
	first := checkout(t, base, "first")
	want := planned(t, circumstances{dir: first, env: list(env)})

	other := func(name string) string {
		t.Helper()
		dir := filepath.Join(base, name)
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	times := checkout(t, base, "times")
	for i, when := range []time.Time{time.Unix(1, 0), time.Now().Add(1000 * time.Hour)} {
		err := filepath.WalkDir(filepath.Join(times, []string{"kernels/k", "kernels/m"}[i]), func(path string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Chtimes(path, when, when)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	modes := checkout(t, base, "modes")
	for _, file := range want.inputs[slices.Sorted(maps.Keys(want.inputs))[0]] {
		if err := os.Chmod(filepath.Join(modes, filepath.FromSlash(file)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	linked := filepath.Join(base, "linked")
	if err := os.Symlink(first, linked); err != nil {
		t.Fatal(err)
	}
	more := checkout(t, base, "more") // what nobody asked for
	for _, name := range []string{"kernels/common/zz_unused.h", "kernels/k/unused.hip", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(more, filepath.FromSlash(name)), []byte("#define X 1\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	compiler, err := copyCompiler(filepath.Join(base, "a compiler"), false)
	if err != nil {
		t.Fatal(err)
	}

	cases := map[string]circumstances{
		"again":                  {dir: first, env: list(env)},
		"another folder":         {dir: checkout(t, base, "a/much/deeper/checkout"), env: list(env)},
		"a folder with a space":  {dir: checkout(t, base, "with a space, ünd more"), env: list(env)},
		"through a link":         {dir: linked, env: list(env, "PWD="+linked)},
		"below the top":          {dir: filepath.Join(first, "kernels"), env: list(env)},
		"a cache of its own":     {dir: first, env: list(env, "KMX_CACHE="+other("another cache"))},
		"other times of files":   {dir: times, env: list(env)},
		"other modes of files":   {dir: modes, env: list(env)},
		"files nobody uses":      {dir: more, env: list(env)},
		"user names":             {dir: first, env: list(env, "USER=anybody", "LOGNAME=anybody", "USERNAME=anybody")},
		"home":                   {dir: first, env: list(env, "HOME="+other("home"), "XDG_CACHE_HOME="+other("xdg"), "XDG_DATA_HOME="+other("xdg"))},
		"temporary files":        {dir: first, env: list(env, "TMPDIR="+other("tmp dir"))},
		"time zone":              {dir: first, env: list(env, "TZ=Pacific/Chatham")},
		"locale":                 {dir: first, env: list(env, "LC_ALL=tr_TR.UTF-8", "LANG=tr_TR.UTF-8", "LANGUAGE=tr")},
		"name of the machine":    {dir: first, env: list(env, "HOSTNAME=there", "HOST=there", "COMPUTERNAME=there")},
		"umask":                  {dir: first, env: list(env), umask: "077"},
		"number of jobs":         {dir: first, env: list(env), args: []string{"-jobs=77"}},
		"processors":             {dir: first, env: list(env, "GOMAXPROCS=1")},
		"order of PATH":          {dir: first, env: list(env, "PATH=/nonexistent:/bin:"+env["PATH"]+":/usr/bin")},
		"variables of compilers": {dir: first, env: list(env, "CPATH="+first, "CPLUS_INCLUDE_PATH="+first, "CCC_OVERRIDE_OPTIONS=+-O0", "SOURCE_DATE_EPOCH=7", "CXXFLAGS=-O0", "LIBRARY_PATH=/", "HIP_PATH=/nonexistent")},
		"how progress is shown":  {dir: first, env: list(env, "KMX_LOG=json", "NO_COLOR=1", "CI=1", "TERM=dumb")},
		"limits":                 {dir: first, env: list(env, "KMX_TIMEOUT=1h", "KMX_MEMORY=1G", "KMX_CACHE_SIZE=1G", "KMX_DRIVER=1", "MAKEFLAGS= -j2 --jobserver-auth=1021,1022")},
		"where the compiler is":  {dir: first, env: list(env, "D4R_ROCM_DIR="+compiler)},
	}
	if as := anotherUser(); as != nil {
		theirs := other("theirs")
		if err := os.Chmod(theirs, 0o777); err != nil {
			t.Fatal(err)
		}
		cases["another user"] = circumstances{dir: first, env: list(env, "KMX_CACHE="+filepath.Join(theirs, "cache"), "HOME="+theirs, "TMPDIR="+theirs), as: as}
	}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		t.Run(name, func(t *testing.T) {
			got := planned(t, cases[name])
			for cell, key := range want.key {
				if got.key[cell] != key {
					t.Errorf("%s has key %s, not %s", cell, got.key[cell], key)
				}
			}
			if len(got.key) != len(want.key) {
				t.Errorf("%d cells, not %d", len(got.key), len(want.key))
			}
		})
	}
}

// What can make a difference to an object changes its key, and no other.
func TestKeysDependOnWhatCounts(t *testing.T) {
	base, env := surroundings(t)
	want := planned(t, circumstances{dir: checkout(t, base, "first"), env: list(env)})
	cells := slices.Sorted(maps.Keys(want.key))
	all := func(string) bool { return true }
	reads := func(file string) func(string) bool {
		return func(cell string) bool { return slices.Contains(want.inputs[cell], file) }
	}
	source := want.inputs[cells[0]][0]
	for _, file := range want.inputs[cells[0]] {
		if strings.HasSuffix(file, ".hip") {
			source = file
		}
	}
	// The header that most cells have, but not all.
	users := map[string]int{}
	for _, inputs := range want.inputs {
		for _, file := range inputs {
			if strings.HasSuffix(file, ".h") {
				users[file]++
			}
		}
	}
	header := ""
	for _, file := range slices.Sorted(maps.Keys(users)) {
		if n := users[file]; n < len(cells) && n > users[header] {
			header = file
		}
	}
	if header == "" {
		t.Fatal("every header is used by all cells")
	}
	compiler, err := copyCompiler(filepath.Join(base, "compiler"), true)
	if err != nil {
		t.Fatal(err)
	}
	k := func(cell string) bool { return strings.HasPrefix(cell, "k/") }

	for _, c := range []struct {
		name     string
		file     string
		old, new string // in the file; old "": new goes to its end
		env      []string
		changes  func(cell string) bool
	}{
		{name: "a token of a source", file: source, new: "\nstatic_assert(true);\n", changes: reads(source)},
		{name: "a token of a header", file: header, new: "\nstatic_assert(true);\n", changes: reads(header)},
		{name: "a flag", file: "matrix.hcl", old: `"-O3"`, new: `"-O2"`, changes: all},
		{name: "one more flag", file: "matrix.hcl", old: `"-O3"`, new: `"-O3", "-fno-math-errno"`, changes: all},
		{name: "the order of flags", file: "matrix.hcl", old: `"-std=c++20", "-O3"`, new: `"-O3", "-std=c++20"`, changes: all},
		{name: "a definition", file: "matrix.hcl", old: "\n  defines = {\n", new: "\n  defines = {\n    MORE = 1\n", changes: k},
		{name: "a variable from outside", env: []string{"D4R_CFLAGS=-fno-math-errno"}, changes: all},
		{name: "the environment of the compiler", file: "matrix.hcl", old: "  kind = \"clang\"\n", new: "  kind = \"clang\"\n  env = { MORE = \"1\" }\n", changes: all},
		{name: "the order of include folders", file: "matrix.hcl", old: `["kernels/common", "kernels/k"]`, new: `["kernels/k", "kernels/common"]`, changes: k},
		{name: "the compiler", env: []string{"D4R_ROCM_DIR=" + compiler}, changes: all},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := checkout(t, base, strings.ReplaceAll(c.name, " ", "-"))
			if c.file != "" {
				name := filepath.Join(dir, filepath.FromSlash(c.file))
				text, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				edited := string(text) + c.new
				if c.old != "" {
					if edited = strings.Replace(string(text), c.old, c.new, 1); edited == string(text) {
						t.Fatalf("%s does not have %q", c.file, c.old)
					}
				}
				if err := os.WriteFile(name, []byte(edited), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			got := planned(t, circumstances{dir: dir, env: list(env, c.env...)})
			changed := 0
			for _, cell := range cells {
				if is := got.key[cell] != want.key[cell]; is != c.changes(cell) {
					t.Errorf("%s: its key changed: %v", cell, is)
				} else if is {
					changed++
				}
			}
			if changed == 0 {
				t.Errorf("no key of %d changed", len(cells))
			}
		})
	}
}
