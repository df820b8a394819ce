package release

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kmx/internal/diag"
	"kmx/internal/durable"
)

// fakeLibrary writes a library that the reader below understands: lines of
// d4r-kernels.txt.
func fakeLibrary(t *testing.T, dir, name string, k KernelHashes) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, k.Text(), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func readFake(file string) (KernelHashes, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return ParseKernels(data)
}

func TestStamp(t *testing.T) {
	dir, libs := assembled(t), t.TempDir()
	old := fakeLibrary(t, filepath.Join(libs, "old"), "NVNGX_DLSS.DLL", KernelHashes{kName: {7}, mName: {9}, "other": {1}})
	fakeLibrary(t, filepath.Join(libs, "new"), "nvngx_dlssd.dll", KernelHashes{"rr": {1}})
	fakeLibrary(t, filepath.Join(libs, "new"), "nvngx_dlss.dll", KernelHashes{kName: {0xfedcba9876543210, 7}, mName: {8}})
	os.WriteFile(filepath.Join(libs, "new", "readme.txt"), nil, 0o644)
	before := listing(t, dir)

	for range 2 { // a second time gives the same bytes
		if err := quick.stamp(t.Context(), dir, []string{old, filepath.Join(libs, "new")}, readFake); err != nil {
			t.Fatal(err)
		}
		if p := VerifyDir(dir); len(p) > 0 {
			t.Errorf("problems: %v", p)
		}
		for _, set := range []string{"gfx1100", "accuracy/gfx1201-fp8"} {
			data, err := os.ReadFile(filepath.Join(dir, set, KernelsFile))
			if err != nil {
				t.Fatal(err)
			}
			golden(t, "d4r-kernels.txt", data)
		}
		r, err := ReadRelease(dir)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Stamped || len(r.Libraries) != 2 || len(r.Libraries[0].Stamped) != 2 || len(r.Libraries[1].Stamped) != 0 {
			t.Errorf("libraries: %+v", r.Libraries)
		}
	}

	// Another stamp replaces the first one, a damaged one too.
	os.WriteFile(filepath.Join(dir, "gfx1100", KernelsFile), []byte("damaged"), 0o644)
	if err := quick.stamp(t.Context(), dir, []string{old}, readFake); err != nil {
		t.Fatal(err)
	}
	k, err := readFake(filepath.Join(dir, "gfx1100", KernelsFile))
	if err != nil || len(k) != 2 || !slices.Equal(k[kName], []uint64{7}) {
		t.Errorf("after another stamp: %v %v", k, err)
	}

	// Objects and modes are as before.
	after := listing(t, dir)
	for line := range strings.Lines(before) {
		if strings.Contains(line, ".hsaco") && !strings.Contains(after, line) {
			t.Errorf("lost or changed: %s", line)
		}
	}
}

func TestStampedByAssemblyIsTheSame(t *testing.T) {
	libs := t.TempDir()
	dll := fakeLibrary(t, libs, "nvngx_dlss.dll", KernelHashes{kName: {7}, mName: {9}})
	later := assembled(t)
	if err := quick.stamp(t.Context(), later, []string{libs}, readFake); err != nil {
		t.Fatal(err)
	}
	p := samplePlan()
	read, err := readLibraries(t.Context(), p.Libraries, []string{dll, dll}, readFake)
	if err != nil {
		t.Fatal(err)
	}
	atOnce, _, err := Assemble(t.Context(), t.TempDir(), p, read)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := listing(t, later), listing(t, atOnce); a != b {
		t.Errorf("stamped later:\n%s\nat once:\n%s", a, b)
	}
}

func TestStampRefuses(t *testing.T) {
	all := KernelHashes{kName: {7}, mName: {9}}
	tests := []struct {
		name  string
		spoil func(t *testing.T, dir, libs string) []string // gives the libraries
		class diag.Class
		want  []string
	}{
		{"no library", func(t *testing.T, dir, libs string) []string { return nil },
			diag.Usage, []string{"no library to stamp from", "nvngx_dlss.dll (dlss)"}},
		{"of no rule", func(t *testing.T, dir, libs string) []string {
			return []string{fakeLibrary(t, libs, "other.dll", all), t.TempDir(), filepath.Join(libs, "absent.dll")}
		}, diag.Usage, []string{"other.dll is no library of the matrix (a library is known by its file's name: nvngx_dlss.dll (dlss), nvngx_dlssd.dll (dlssd))", "holds no library", "absent.dll cannot be read"}},
		{"kernel in no library", func(t *testing.T, dir, libs string) []string {
			return []string{fakeLibrary(t, libs, "nvngx_dlss.dll", KernelHashes{kName: {7}})}
		}, diag.Usage, []string{"kernel rrlite_enc1_4x4 is defined by no module of nvngx_dlss.dll (library dlss)"}},
		{"kernel in a foreign library", func(t *testing.T, dir, libs string) []string {
			fakeLibrary(t, libs, "nvngx_dlssd.dll", all)
			fakeLibrary(t, libs, "nvngx_dlss.dll", KernelHashes{kName: {7}})
			return []string{libs}
		}, diag.Usage, []string{"library dlssd defines it, but family m takes hashes from dlss only"}},
		{"library not given", func(t *testing.T, dir, libs string) []string {
			return []string{fakeLibrary(t, libs, "nvngx_dlssd.dll", all)}
		}, diag.Usage, []string{"no file given is that library (give nvngx_dlss.dll too)"}},
		{"unreadable library", func(t *testing.T, dir, libs string) []string {
			os.WriteFile(filepath.Join(libs, "nvngx_dlss.dll"), []byte("MZ"), 0o644)
			return []string{libs}
		}, diag.Usage, []string{"nvngx_dlss.dll", "as NVIDIA ships it"}},
		{"altered release", func(t *testing.T, dir, libs string) []string {
			os.WriteFile(filepath.Join(dir, "gfx1100", kName+ObjectSuffix), []byte("x"), 0o644)
			return []string{fakeLibrary(t, libs, "nvngx_dlss.dll", all)}
		}, diag.Verify, []string{"gfx1100/dltss_pwin_enc1_layer.hsaco: altered"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir, libs := assembled(t), t.TempDir()
			given := tt.spoil(t, dir, libs)
			before := listing(t, filepath.Dir(dir))
			err := quick.stamp(t.Context(), dir, given, readFake)
			if got := diag.ExitCode(err); got != int(tt.class) {
				t.Errorf("exit code %d", got)
			}
			for _, w := range tt.want {
				if err == nil || !strings.Contains(err.Error(), w) {
					t.Errorf("error lacks %q:\n%v", w, err)
				}
			}
			if err != nil && strings.Count(err.Error(), "rrlite_enc1_4x4 is") > 1 {
				t.Errorf("one kernel is named for every set:\n%v", err)
			}
			if after := listing(t, filepath.Dir(dir)); after != before {
				t.Error("something changed")
			}
		})
	}
}

func TestStampOfWhatIsNoRelease(t *testing.T) {
	dir := assembled(t)
	err := Stamp(t.Context(), filepath.Join(dir, "gfx1100"), []string{"x"})
	if diag.ExitCode(err) != int(diag.Usage) || !strings.Contains(err.Error(), "set gfx1100 alone") {
		t.Errorf("a set: %v", err)
	}
	d := build(t, t.TempDir(), sampleSet("gfx1100", "false", Fast))
	err = Stamp(t.Context(), d.Dir, []string{"x"})
	if diag.ExitCode(err) != int(diag.Usage) || !strings.Contains(err.Error(), "partial build") {
		t.Errorf("a partial build: %v", err)
	}
	err = Stamp(t.Context(), filepath.Join(dir, "absent"), []string{"x"})
	if diag.ExitCode(err) != int(diag.Usage) {
		t.Errorf("nothing there: %v", err)
	}
}

func TestStampThatFailsAtTheEnd(t *testing.T) {
	dir, libs := assembled(t), t.TempDir()
	fakeLibrary(t, libs, "nvngx_dlss.dll", KernelHashes{kName: {7}, mName: {9}})
	before := listing(t, filepath.Dir(dir))
	d := quick
	d.exchange = func(*durable.Tree) error { return errors.New("broken") }
	if err := d.stamp(t.Context(), dir, []string{libs}, readFake); diag.ExitCode(err) != int(diag.IO) {
		t.Errorf("error %v", err)
	}
	if after := listing(t, filepath.Dir(dir)); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

func TestLibraryRules(t *testing.T) {
	tests := []struct {
		match, base string
		want        bool
	}{
		{"nvngx_dlss.dll", "nvngx_dlss.dll", true},
		{"nvngx_dlss.dll", "NVNGX_DLSS.dll", true},
		{"nvngx_dlss.dll", "nvngx_dlssd.dll", false},
		{"libnvidia-ngx-dlss.so.*", "libnvidia-ngx-dlss.so.310.7.0", true},
		{"a[", "a[", true},
		{"a[", "ab", false},
	}
	for _, tt := range tests {
		if got := (LibraryRule{"x", tt.match}).matches(tt.base); got != tt.want {
			t.Errorf("%s against %s: %t", tt.base, tt.match, got)
		}
	}
}

func TestParseKernels(t *testing.T) {
	k, err := ParseKernels([]byte("# c\r\n\r\nb 00000000000000ff\r\nb 0000000000000001\nb 0000000000000001\na ffffffffffffffff"))
	if err != nil || !slices.Equal(k["b"], []uint64{1, 255}) || !slices.Equal(k["a"], []uint64{1<<64 - 1}) {
		t.Errorf("%v %v", k, err)
	}
	for _, bad := range []string{"a", "a 1", "a 00000000000000fg", "a +0000000000000ff", "a 00000000000000ff x"} {
		if _, err := ParseKernels([]byte("# c\n" + bad)); err == nil || !strings.Contains(err.Error(), "d4r-kernels.txt:2: ") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func FuzzParseKernels(f *testing.F) {
	f.Add([]byte("# c\na 00000000000000ff\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		k, err := ParseKernels(data)
		if err != nil {
			return
		}
		again, err := ParseKernels(k.Text())
		if err != nil || len(again) != len(k) {
			t.Errorf("not read back: %v\n%s", err, k.Text())
		}
	})
}
