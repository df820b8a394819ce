//go:build unix

package toolchains

import (
	"context"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestLoader(t *testing.T) {
	lib := func(soname string, needed ...string) fakeELF { return fakeELF{soname: soname, needed: needed} }
	with := func(e fakeELF, change func(*fakeELF)) fakeELF { change(&e); return e }
	cases := []struct {
		name  string
		files map[string]fakeELF // below the root
		cache []ldLine           // paths below the root
		conf  []string           // directories below the root
		libs  []string           // directories of a prefix
		want  []string           // name=path below the root
		err   string
	}{
		{
			name: "runpath of the program, with a library reached through it",
			files: map[string]fakeELF{
				"t/bin/p":         {needed: []string{"liba.so.1"}, runpath: "$ORIGIN/../lib"},
				"t/lib/liba.so.1": lib("liba.so.1"),
			},
			want: []string{"liba.so.1=t/lib/liba.so.1"},
		},
		{
			name: "a runpath serves its own object only",
			files: map[string]fakeELF{
				"t/bin/p":         {needed: []string{"liba.so.1"}, runpath: "${ORIGIN}/../lib"},
				"t/lib/liba.so.1": lib("liba.so.1", "libb.so.1"),
				"t/lib/libb.so.1": lib("libb.so.1"),
			},
			err: "libb.so.1 (wanted by liba.so.1)",
		},
		{
			name: "an rpath serves everybody below",
			files: map[string]fakeELF{
				"t/bin/p":         {needed: []string{"liba.so.1"}, rpath: "$ORIGIN/../lib"},
				"t/lib/liba.so.1": lib("liba.so.1", "libb.so.1"),
				"t/lib/libb.so.1": lib("libb.so.1"),
			},
			want: []string{"liba.so.1=t/lib/liba.so.1", "libb.so.1=t/lib/libb.so.1"},
		},
		{
			name: "a runpath silences rpaths, those of its users too",
			files: map[string]fakeELF{
				"t/bin/p":         {needed: []string{"liba.so.1"}, rpath: "$ORIGIN/../lib"},
				"t/lib/liba.so.1": with(lib("liba.so.1", "libb.so.1"), func(e *fakeELF) { e.runpath = "/nowhere" }),
				"t/lib/libb.so.1": lib("libb.so.1"),
				"sys/libb.so.1":   lib("libb.so.1"),
			},
			cache: []ldLine{{name: "libb.so.1", path: "sys/libb.so.1"}},
			want:  []string{"liba.so.1=t/lib/liba.so.1", "libb.so.1=sys/libb.so.1"},
		},
		{
			name: "the prefix comes before a runpath and before the system",
			files: map[string]fakeELF{
				"t/bin/p":         {needed: []string{"liba.so.1"}, runpath: "$ORIGIN/../lib"},
				"t/lib/liba.so.1": lib("liba.so.1"),
				"pre/liba.so.1":   lib("liba.so.1"),
			},
			libs: []string{"pre"},
			want: []string{"liba.so.1=pre/liba.so.1"},
		},
		{
			name: "another machine's library is passed over",
			files: map[string]fakeELF{
				"t/bin/p":       {needed: []string{"liba.so.1"}},
				"s32/liba.so.1": with(lib("liba.so.1"), func(e *fakeELF) { e.machine = elf.EM_AARCH64 }),
				"s64/liba.so.1": lib("liba.so.1"),
			},
			cache: []ldLine{{name: "liba.so.1", path: "s32/liba.so.1"}, {name: "liba.so.1", path: "s64/liba.so.1"}},
			want:  []string{"liba.so.1=s64/liba.so.1"},
		},
		{
			name: "without a cache the configured directories count",
			files: map[string]fakeELF{
				"t/bin/p":      {needed: []string{"liba.so.1"}},
				"d2/liba.so.1": lib("liba.so.1"),
			},
			conf: []string{"d1", "d2"},
			want: []string{"liba.so.1=d2/liba.so.1"},
		},
		{
			name: "the first of a name serves all, rings end",
			files: map[string]fakeELF{
				"t/bin/p":               {needed: []string{"liba.so.1", "libb.so.1"}, runpath: "$ORIGIN/../lib"},
				"t/lib/liba.so.1":       with(lib("liba.so.1", "libb.so.1"), func(e *fakeELF) { e.runpath = "$ORIGIN/inner" }),
				"t/lib/libb.so.1":       with(lib("libb.so.1", "liba.so.1"), func(e *fakeELF) { e.runpath = "$ORIGIN" }),
				"t/lib/inner/libb.so.1": lib("libb.so.1"),
			},
			want: []string{"liba.so.1=t/lib/liba.so.1", "libb.so.1=t/lib/libb.so.1"},
		},
		{
			name: "libraries for better processors belong to it",
			files: map[string]fakeELF{
				"t/bin/p":                                {needed: []string{"libz.so.1"}, runpath: "$ORIGIN/../lib"},
				"t/lib/libz.so.1":                        lib("libz.so.1"),
				"t/lib/glibc-hwcaps/x86-64-v3/libz.so.1": lib("libz.so.1"),
			},
			want: []string{"libz.so.1=t/lib/libz.so.1", "glibc-hwcaps/x86-64-v3/libz.so.1=t/lib/glibc-hwcaps/x86-64-v3/libz.so.1"},
		},
		{
			name:  "all that is missing is named",
			files: map[string]fakeELF{"t/bin/p": {needed: []string{"libx.so", "liby.so"}}},
			err:   "libx.so (wanted by p), liby.so (wanted by p)",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			root := realDir(t)
			for name, e := range c.files {
				put(t, filepath.Join(root, name), e.bytes())
			}
			ld := newLoader(newLooker(), nil)
			ld.etc = filepath.Join(root, "etc")
			for _, dir := range c.libs {
				ld.libs = append(ld.libs, filepath.Join(root, dir))
			}
			var lines []ldLine
			for _, l := range c.cache {
				lines = append(lines, ldLine{l.name, filepath.Join(root, l.path), l.hwcap})
			}
			var conf string
			for _, dir := range c.conf {
				conf += filepath.Join(root, dir) + "\n"
			}
			put(t, filepath.Join(ld.etc, "ld.so.conf"), []byte(conf))
			if conf == "" {
				put(t, filepath.Join(ld.etc, "ld.so.cache"), fakeLdCache("", lines...))
			}
			libs, err := ld.load(filepath.Join(root, "t/bin/p"))
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("error %v, want %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, l := range libs {
				rel, _ := filepath.Rel(root, l.path)
				got = append(got, l.name+"="+rel)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %v\nwant %v", got, c.want)
			}
		})
	}
}

// The system's own loader is asked what it would map, and must agree.
func TestLoaderAgreesWithSystem(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the loader of this system is not glibc's")
	}
	programs := []string{"/bin/sh", "/usr/bin/git", "/usr/bin/apt-get"}
	for p := range places(newLooker()) {
		if p.Err == nil && len(p.inst.libs) == 0 {
			programs = append(programs, p.inst.binary, p.inst.lld)
			break
		}
	}
	line := regexp.MustCompile(`(?m)=> (/\S+) \(`)
	compared := 0
	for _, program := range programs {
		real, err := filepath.EvalSymlinks(program)
		if err != nil {
			continue
		}
		o, err := readObject(real)
		if err != nil || o.Interp == "" || !strings.Contains(o.Interp, "ld-linux") {
			continue
		}
		cmd := exec.Command(real)
		cmd.Env = []string{"LD_TRACE_LOADED_OBJECTS=1"}
		out, err := cmd.Output()
		if err != nil {
			continue
		}
		var want []string
		for _, m := range line.FindAllStringSubmatch(string(out), -1) {
			path, err := filepath.EvalSymlinks(m[1])
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, path)
		}
		libs, err := newLoader(newLooker(), nil).load(real)
		if err != nil {
			t.Errorf("%s: %v", program, err)
			continue
		}
		var got []string
		for _, l := range libs {
			if !strings.HasPrefix(l.name, "ld-") && !strings.HasPrefix(l.name, "glibc-hwcaps/") {
				got = append(got, l.path)
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		want = slices.DeleteFunc(want, func(p string) bool { return strings.HasPrefix(filepath.Base(p), "ld-") })
		if !slices.Equal(got, want) {
			t.Errorf("%s:\ngot  %v\nwant %v", program, got, want)
		}
		compared++
	}
	if compared == 0 {
		t.Skip("no dynamically linked program here to compare with")
	}
}

// anyClang is the compiler of this machine; nil, with the reason logged, when
// there is none.
func anyClang(t *testing.T) *installation {
	t.Helper()
	in, tried, err := choose(context.Background(), newLooker(), nil)
	if in == nil {
		t.Log("without a compiler: ", fmt.Sprint(tried), err)
	}
	return in
}

// realDir is a temporary directory without links in its path.
func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}
