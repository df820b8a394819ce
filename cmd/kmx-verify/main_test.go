package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aead.dev/minisign"

	"kmx/amdgpu/codeobj"
	"kmx/amdgpu/codeobj/codeobjtest"
	"kmx/cache"
	"kmx/internal/diag"
	"kmx/release"
	"kmx/release/pack"
)

// made is a release of one set, its archives and the key that signed them.
func made(t *testing.T) (dir, archives, public string) {
	t.Helper()
	data := codeobjtest.New("add", "gfx1201").Bytes()
	obj, err := codeobj.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	dir, _, err = release.Assemble(t.Context(), t.TempDir(), release.Plan{
		Project: "toy", Version: "1.0", Date: "2026-11-30", Licence: "Apache-2.0",
		LeftOut: []release.LeftOut{{Rule: `exclude "x"`, Reason: "slow", Until: "2026-12-31"}},
		Sets: []release.SetPlan{{
			Path: "gfx1201", Target: "gfx1201", Generation: "gfx12", Declared: []string{"toy/add@gfx1201"},
			Objects: []release.Object{{
				Address: "toy/add@gfx1201", Name: "add", Family: "toy", Licence: "Apache-2.0", Target: "gfx1201", Toolchain: "hip", WaveSize: 32,
				Kernels: release.KernelsOf(obj), Symbols: release.SymbolsOf(obj),
				Action: cache.Sum(nil), Digest: cache.Sum(data), Size: int64(len(data)), Bytes: release.BytesOf(data),
			}},
		}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	pub, secret, err := minisign.GenerateKey(bytes.NewReader(bytes.Repeat([]byte{7}, 64)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := secret.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	key, err := pack.ReadKey(file, "")
	if err != nil {
		t.Fatal(err)
	}
	archives = filepath.Join(t.TempDir(), "archives")
	if _, err := pack.Pack(t.Context(), pack.Options{Release: dir, Out: archives, Key: key, Archives: []pack.Archive{{Name: "all", Formats: []string{pack.TarZst}}}}); err != nil {
		t.Fatal(err)
	}
	return dir, archives, strings.Split(strings.TrimSpace(pub.String()), "\n")[0]
}

func TestVerbs(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "")
	dir, archives, public := made(t)
	key := "-requireSignature=" + lastWord(public)
	archive := filepath.Join(archives, "toy-1.0-all.tar.zst")
	for _, c := range []struct {
		args string
		code diag.Class
		says string // on standard output, or as the error
	}{
		{"", diag.Usage, "takes one of diff, select or verify"},
		{"verfy DIR", diag.Usage, "none of"},
		{"verify", diag.Usage, "verify takes DIR|ARCHIVE"},
		{"diff DIR -json", diag.Usage, "diff takes A B"},
		{"verify DIR", diag.OK, "toy-1.0: 1 set, 1 object, 1 file: complete"},
		{"verify DIR more", diag.Usage, "one word too many"},
		{"verify DIR -date=2027-01-01", diag.Verify, "expired"},
		{"verify DIR " + key, diag.Verify, "a folder carries none"},
		{"verify ARCHIVE " + key, diag.OK, "signed with key"},
		{"verify ARCHIVE -require-signature=" + lastWord(public), diag.OK, "signed with key"},
		{"verify ARCHIVES " + key, diag.OK, "files, as its lists say"},
		{"verify ARCHIVES", diag.OK, "toy-1.0-all.tar.zst: 1 set, 1 object"},
		{"diff DIR ARCHIVE -check", diag.OK, "1 object in both: 1 identical"},
		{"diff DIR ARCHIVES", diag.Usage, "holds no release"},
		{"select DIR -topology=ARCHIVES -check", toDo, "wrong: native kernels stay off"},
		{"select DIR/gfx1201 -set=D4R_GPU_ARCH=gfx1201 -check", diag.OK, "serves"},
		{"select DIR -ini=DIR/absent", diag.Usage, "absent"},
	} {
		args := strings.Fields(strings.NewReplacer("ARCHIVES", archives, "DIR|ARCHIVE", "DIR|ARCHIVE", "ARCHIVE", archive, "DIR", dir).Replace(c.args))
		var out bytes.Buffer
		err := run(t.Context(), &out, args)
		said := out.String()
		if err != nil {
			said += err.Error()
		}
		if diag.ExitCode(err) != int(c.code) || !strings.Contains(said, c.says) {
			t.Errorf("%s: exit code %d, %s", c.args, diag.ExitCode(err), said)
		}
	}
	other, _, err := minisign.GenerateKey(bytes.NewReader(bytes.Repeat([]byte{8}, 64)))
	if err != nil {
		t.Fatal(err)
	}
	err = run(t.Context(), &bytes.Buffer{}, []string{"verify", archives, "-requireSignature=" + lastWord(strings.TrimSpace(other.String()))})
	var f *diag.Failure
	if !errors.As(err, &f) || len(f.Messages) < 3 {
		t.Fatalf("another key: %v", err)
	}
	for i, m := range f.Messages {
		if last := i == len(f.Messages)-1; last != (m.Hint != "") || last && !strings.Contains(m.Hint, "the key that signed it") {
			t.Errorf("another key: message %d of %d has the hint %q", i+1, len(f.Messages), m.Hint)
		}
	}
	t.Setenv("SOURCE_DATE_EPOCH", "1800000000") // in 2027
	if err := run(t.Context(), &bytes.Buffer{}, []string{"verify", dir}); diag.ExitCode(err) != int(diag.Verify) {
		t.Errorf("SOURCE_DATE_EPOCH after the last day: %v", err)
	}
}

func lastWord(s string) string {
	f := strings.Fields(s)
	return f[len(f)-1]
}

// TestHelp sees that help is no error, names every command and no choice that
// there is not.
func TestHelp(t *testing.T) {
	for _, args := range []string{"-h", "help", "verify --help"} {
		var out bytes.Buffer
		if err := run(t.Context(), &out, strings.Fields(args)); err != nil {
			t.Errorf("%s: %v", args, err)
		}
		verb := ""
		for line := range strings.Lines(out.String()) {
			words := strings.Fields(line)
			if words[0] == "kmx-verify" {
				verb = words[1]
				if _, ok := verbs[verb]; !ok {
					t.Errorf("%s: there is no %s", args, verb)
				}
				continue
			}
			choice, _, _ := strings.Cut(strings.Trim(words[0], ","), "=")
			call := append([]string{verb}, "nowhere", "nowhere")[:1+verbs[verb].n]
			if err := run(t.Context(), io.Discard, append(call, choice)); err == nil || strings.Contains(err.Error(), "not defined") {
				t.Errorf("%s %s: %v", verb, choice, err)
			}
		}
	}
}
