package toolchains

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// installation is a driver with what lies around it. Paths are absolute, and
// every directory in them is real (no links).
type installation struct {
	why    string
	driver string // how it is started: a name with clang++ in it, which makes the driver speak C++
	binary string // the program behind the name
	bin    string // its directory
	lld    string // the program behind bin/lld
	major  int    // from the directory layout; 0 when that does not tell
	// libs are the library directories of unpacked packages: what the packages
	// themselves cannot find without being told (libLLVM looks beside itself,
	// libedit and libxml2 nowhere).
	libs []string

	hashed hashes
	files  []File // programs and libraries, once asked for
	facts  facts
}

// locate reads the layout around a driver. The installation is returned beside
// an error too when the driver itself was found.
func locate(l *looker, driver string) (*installation, error) {
	binary, err := filepath.EvalSymlinks(driver)
	if err != nil {
		return nil, err
	}
	if beside := filepath.Join(filepath.Dir(binary), "clang++"+exe); beside != driver && l.isFile(beside) {
		driver = beside
		if binary, err = filepath.EvalSymlinks(driver); err != nil {
			return nil, err
		}
	} else if dir, err := filepath.EvalSymlinks(filepath.Dir(driver)); err == nil {
		driver = filepath.Join(dir, filepath.Base(driver))
	}
	in := &installation{driver: driver, binary: binary, bin: filepath.Dir(binary)}
	if !strings.HasPrefix(filepath.Base(binary), "clang") {
		return in, fmt.Errorf("it is a wrapper: %s", binary)
	}
	in.major = in.layoutMajor(l)
	in.libs = packageLibs(l, in.bin)
	lld := filepath.Join(in.bin, "lld"+exe)
	if !l.isFile(lld) {
		return in, errors.New("no lld beside it")
	}
	if in.lld, err = filepath.EvalSymlinks(lld); err != nil {
		return in, err
	}
	return in, nil
}

func (in *installation) root() string { return filepath.Dir(in.bin) }

// layoutMajor reads the major from the resource directory, lib/clang/NN or, up
// to LLVM 15, lib/clang/N.N.N. Two of them tell nothing.
func (in *installation) layoutMajor(l *looker) int {
	found := 0
	for _, lib := range []string{"lib", "lib64"} {
		dir := filepath.Join(in.root(), lib, "clang")
		if !l.isDir(dir) {
			continue
		}
		for _, name := range l.names(dir) {
			head, _, _ := strings.Cut(name, ".")
			major, err := strconv.Atoi(head)
			if err != nil || !l.isDir(filepath.Join(dir, name, "include")) {
				continue
			}
			if found != 0 && found != major {
				return 0
			}
			found = major
		}
	}
	return found
}

// packageLibs returns PREFIX/usr/lib and the multiarch directories in it for a
// driver in PREFIX/usr/lib/llvm-NN/bin; nothing when PREFIX is the root of the
// machine, whose loader knows them.
func packageLibs(l *looker, bin string) []string {
	lib := filepath.Dir(filepath.Dir(bin))
	usr := filepath.Dir(lib)
	prefix := filepath.Dir(usr)
	if filepath.Base(lib) != "lib" || filepath.Base(usr) != "usr" || prefix == filepath.Dir(prefix) {
		return nil
	}
	var out []string
	for _, dir := range []string{lib, filepath.Join(prefix, "lib")} {
		for _, name := range l.names(dir) {
			if strings.Contains(name, "-linux-") && l.isDir(filepath.Join(dir, name)) {
				out = append(out, filepath.Join(dir, name))
			}
		}
	}
	return out
}

// env is what the programs of this installation need to find their libraries.
func (in *installation) env() []string {
	if len(in.libs) == 0 {
		return nil
	}
	return []string{"LD_LIBRARY_PATH=" + strings.Join(in.libs, ":")}
}
