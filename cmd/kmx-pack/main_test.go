package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kmx/internal/diag"
)

func TestRun(t *testing.T) {
	dir := t.TempDir()
	clean, ptx := filepath.Join(dir, "clean"), filepath.Join(dir, "x.ptx")
	for name, text := range map[string]string{clean: "a page\n", ptx: ".version 8.4\n.target sm_89\n"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args  string
		want  string
		class diag.Class
	}{
		{"", "takes one of install, pack, scan or uninstall", diag.Usage},
		{"pakc", "did you mean pack", diag.Usage},
		{"pack", "pack needs -release", diag.Usage},
		{"pack -release=x -out=y -archives={", "-archives", diag.Usage},
		{"pack -release=x -out=y -archives=[] more", `"more" is one word too many`, diag.Usage},
		{"pack -colour=red", "pack: flag provided but not defined", diag.Usage},
		{"pack -release=" + dir + "/gone -out=y -archives=[]", "there is no release", diag.Usage},
		{"pack -release=x -out=y -archives=[] -key=" + dir + "/gone", "the key for signing", diag.Usage},
		{"install -release=x", "install needs -to", diag.Usage},
		{"install -release=x -to=y -archive={", "-archive", diag.Usage},
		{"uninstall -from=" + dir, "manifest.json", diag.Usage},
		{"scan", "scan needs files", diag.Usage},
		{"scan " + ptx, "x.ptx: offset 0 (0x0): a PTX module", diag.Verify},
		{"scan -x", "flag provided but not defined", diag.Usage},
		{"scan " + dir + "/gone " + ptx + " " + clean, "gone: no such file", diag.Verify},
		{"scan " + dir + "/gone " + ptx + " " + clean, "a PTX module", diag.Verify},
		{"scan " + clean, "", diag.OK},
	} {
		var out bytes.Buffer
		err := run(t.Context(), &out, strings.Fields(c.args))
		if diag.ExitCode(err) != int(c.class) || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: exit code %d, %v; want %d, %q", c.args, diag.ExitCode(err), err, c.class, c.want)
		}
	}
}

// TestHelp sees that help is no error and names every command.
func TestHelp(t *testing.T) {
	for _, args := range []string{"-h", "help", "scan --help"} {
		var out bytes.Buffer
		if err := run(t.Context(), &out, strings.Fields(args)); err != nil {
			t.Errorf("%s: %v", args, err)
		}
		for name := range verbs {
			if !strings.Contains(out.String(), "kmx-pack "+name) {
				t.Errorf("%s does not speak of %s", args, name)
			}
		}
	}
}
