package toolchains

import (
	"debug/elf"
	"fmt"
	"path/filepath"
	"strings"
)

// library is one shared library of a process as its loader would map it.
type library struct {
	name string // as asked for: libz.so.1, glibc-hwcaps/x86-64-v3/libz.so.1
	path string // real path
}

// loader finds shared libraries the way the dynamic loader of the system does,
// without starting anything: DT_RPATH up the chain of users, the directories of
// a private prefix, DT_RUNPATH, the system's cache, the default directories. The
// caller's LD_LIBRARY_PATH has no say.
type loader struct {
	l    *looker
	libs []string // what LD_LIBRARY_PATH will be when the program runs
	etc  string   // /etc; another folder in tests
	read func(path string) (*object, error)

	cache ldCache
	dirs  []string // of ld.so.conf, where there is no cache
	ready bool
}

func newLoader(l *looker, libs []string) *loader {
	return &loader{l: l, libs: libs, etc: "/etc", read: readObject}
}

// user is an object that asks for libraries, with the one that asked for it.
type user struct {
	*object
	origin string // directory it was found in
	by     *user
	name   string
}

// load returns everything a program maps, breadth first as the loader does, so
// that the first library found under a name serves all its users.
func (ld *loader) load(program string) ([]library, error) {
	root, err := ld.read(program)
	if err != nil {
		return nil, err
	}
	ld.prepare()
	var out []library
	known := map[string]bool{}
	add := func(name, path string) error {
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			return err
		}
		known[name] = true
		out = append(out, library{name, real})
		return nil
	}
	if root.Interp != "" {
		if err := add(filepath.Base(root.Interp), root.Interp); err != nil {
			return nil, fmt.Errorf("%s wants the loader %s, which is not here", filepath.Base(program), root.Interp)
		}
	}
	var missing []string
	queue := []*user{{object: root, origin: filepath.Dir(program), name: filepath.Base(program)}}
	for len(queue) > 0 {
		u := queue[0]
		queue = queue[1:]
		for _, name := range u.Needed {
			if known[name] {
				continue
			}
			known[name] = true
			path, o := ld.find(u, name, root)
			if o == nil {
				missing = append(missing, fmt.Sprintf("%s (wanted by %s)", name, u.name))
				continue
			}
			if err := add(name, path); err != nil {
				return nil, err
			}
			if o.Soname != "" {
				known[o.Soname] = true
			}
			dir := filepath.Dir(path)
			for _, level := range ld.levels(dir) {
				better := dir + "/glibc-hwcaps/" + level + "/" + name
				if ld.l.isFile(better) {
					if err := add("glibc-hwcaps/"+level+"/"+name, better); err != nil {
						return nil, err
					}
				}
			}
			queue = append(queue, &user{object: o, origin: dir, by: u, name: name})
		}
	}
	if missing != nil {
		return out, &missingLibraries{missing}
	}
	return out, nil
}

type missingLibraries struct{ names []string }

func (m *missingLibraries) Error() string {
	return "shared libraries are missing on this machine: " + strings.Join(m.names, ", ")
}

func (ld *loader) prepare() {
	if ld.ready {
		return
	}
	ld.ready = true
	if data, err := ld.l.read(filepath.Join(ld.etc, "ld.so.cache")); err == nil {
		if cache, ok := parseLdCache(data); ok {
			ld.cache = cache
			return
		}
	}
	ld.dirs = confDirs(ld.l, filepath.Join(ld.etc, "ld.so.conf"), 0)
}

// find returns the path under which the loader would open a library.
func (ld *loader) find(u *user, name string, root *object) (string, *object) {
	if strings.Contains(name, "/") {
		return name, ld.fits(name, root)
	}
	var paths []string
	if len(u.RunPath) == 0 {
		for at := u; at != nil; at = at.by {
			if len(at.RunPath) == 0 {
				paths = append(paths, inDirs(at.RPath, at.origin, name)...)
			}
		}
	}
	paths = append(paths, inDirs(ld.libs, "", name)...)
	paths = append(paths, inDirs(u.RunPath, u.origin, name)...)
	paths = append(paths, ld.cache[name]...)
	paths = append(paths, inDirs(ld.dirs, "", name)...)
	paths = append(paths, inDirs(defaultDirs[root.Machine], "", name)...)
	paths = append(paths, inDirs([]string{"/lib64", "/usr/lib64", "/lib", "/usr/lib"}, "", name)...)
	for _, path := range paths {
		if o := ld.fits(path, root); o != nil {
			return path, o
		}
	}
	return "", nil
}

// fits opens a library unless it is for another machine, which the loader passes
// over.
func (ld *loader) fits(path string, root *object) *object {
	if !ld.l.isFile(path) {
		return nil
	}
	o, err := ld.read(path)
	if err != nil || o.Class != root.Class || o.Machine != root.Machine {
		return nil
	}
	return o
}

// levels lists the processor levels for which a directory holds better
// libraries. All of them belong to a closure: which one is loaded depends on the
// processor.
func (ld *loader) levels(dir string) []string {
	hwcaps := dir + "/glibc-hwcaps"
	if !ld.l.isDir(hwcaps) {
		return nil
	}
	return ld.l.names(hwcaps)
}

var defaultDirs = map[elf.Machine][]string{
	elf.EM_X86_64:  {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu"},
	elf.EM_AARCH64: {"/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu"},
}

// inDirs names a file in directories. The paths are not cleaned: .. after a
// linked directory must mean what it means to the system.
func inDirs(dirs []string, origin, name string) []string {
	var out []string
	for _, dir := range dirs {
		dir = strings.ReplaceAll(strings.ReplaceAll(dir, "${ORIGIN}", origin), "$ORIGIN", origin)
		if strings.HasPrefix(dir, "/") && !strings.Contains(dir, "$") {
			out = append(out, dir+"/"+name)
		}
	}
	return out
}
