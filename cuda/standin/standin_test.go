package standin_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"kmx/cuda/fatbin"
	"kmx/cuda/ptx"
	"kmx/cuda/standin"
)

// write makes a library file.
func write(t testing.TB, o standin.Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := standin.Write(&b, o); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "nvngx_dlss.dll")
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// firstModules are those of the first library; tests only read them.
var firstModules = sync.OnceValue(standin.Modules)

func TestEqualCallsGiveEqualBytes(t *testing.T) {
	for _, o := range []standin.Options{{}, {Version: standin.Next}, {Pad: 4e6}} {
		var a, b bytes.Buffer
		if err := standin.Write(&a, o); err != nil {
			t.Fatal(err)
		}
		if err := standin.Write(&b, o); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%+v: two calls differ", o)
		}
	}
}

// TestLibraryReadsBack reads the library as users' libraries are read.
func TestLibraryReadsBack(t *testing.T) {
	for _, v := range []standin.Version{standin.First, standin.Next} {
		mods, err := fatbin.Read(write(t, standin.Options{Version: v}))
		if err != nil {
			t.Fatal(err)
		}
		want, err := standin.ModulesOf(standin.Options{Version: v})
		if err != nil {
			t.Fatal(err)
		}
		if len(mods) != len(want) {
			t.Fatalf("version %d: %d modules in the library, want %d", v, len(mods), len(want))
		}
		packed := map[string]int{}
		for i, m := range mods {
			if !bytes.Equal(m.PTX, want[i].Text) {
				t.Errorf("module %d is not %s", i, want[i].Name)
			}
			if !slices.Equal(fatbin.Entries(m.PTX), want[i].Entries) || m.Target != want[i].Target || m.Version != "8.7" {
				t.Errorf("%s: entries %q, %s, %s", want[i].Name, fatbin.Entries(m.PTX), m.Target, m.Version)
			}
			packed[m.Compression]++
		}
		for _, how := range []string{"none", "lz4", "zstd"} {
			if packed[how] == 0 {
				t.Errorf("version %d: no module is stored as %s", v, how)
			}
		}
	}
}

func TestPadding(t *testing.T) {
	path := write(t, standin.Options{Pad: 5e6})
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() < 5e6 || info.Size() > 6e6 {
		t.Errorf("%d bytes, want about 5,000,000", info.Size())
	}
	mods, err := fatbin.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, m := range mods {
		for _, e := range fatbin.Entries(m.PTX) {
			if seen[e] {
				t.Errorf("%s is defined twice", e)
			}
			seen[e] = true
		}
	}
	if len(mods) <= len(firstModules()) {
		t.Errorf("%d modules: none was added", len(mods))
	}
}

// TestParses: every module is parsed and printed as it is.
func TestParses(t *testing.T) {
	for _, m := range firstModules() {
		p, err := ptx.Parse(m.Name, m.Text)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(p.Print(), m.Text) {
			t.Errorf("%s: printed otherwise", m.Name)
		}
		if !bytes.Contains(m.Text, []byte("\r\n")) || bytes.Count(m.Text, []byte("\n")) != bytes.Count(m.Text, []byte("\r\n")) {
			t.Errorf("%s: line ends are not all CRLF", m.Name)
		}
		if strings.Contains(string(m.Text), "NVIDIA's code") != true {
			t.Errorf("%s does not say what it is", m.Name)
		}
	}
}
