package standin_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"kmx/cuda/fatbin"
	"kmx/cuda/standin"
)

// TestBrokenLibraries: each is refused by who reads libraries, with its reason.
func TestBrokenLibraries(t *testing.T) {
	for fault, want := range map[standin.Fault]string{
		standin.NotPE: "holds no PTX module", standin.Truncated: "truncated", standin.Overlong: "corrupt",
		standin.BadLZ4: "LZ4", standin.BadZstd: "zstd", standin.Bomb: "times",
	} {
		_, err := fatbin.Read(write(t, standin.Options{Fault: fault}))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", fault, err, want)
		}
	}
}

// faulty reads the entries of a library with a fault.
func faultyBodies(t *testing.T, f standin.Fault) map[string][]string {
	t.Helper()
	mods, err := fatbin.Read(write(t, standin.Options{Fault: f}))
	if err != nil {
		t.Fatalf("%s: %v", f, err)
	}
	all := map[string][]string{}
	for _, m := range mods {
		for name, body := range bodies(t, standin.Module{Name: string(f), Text: m.PTX}) {
			all[name] = append(all[name], body)
		}
	}
	return all
}

// TestFaultyKernels: each fault is in its kernel and in no other.
func TestFaultyKernels(t *testing.T) {
	good := everyBody(t)
	for _, f := range standin.Faults() {
		if f.Kernel() == "" {
			continue
		}
		bad := faultyBodies(t, f)
		for name, text := range good {
			if name != f.Kernel() && (len(bad[name]) != 1 || bad[name][0] != text) {
				t.Errorf("%s: %s is not as it was", f, name)
			}
		}
		name, was := f.Kernel(), good[f.Kernel()]
		is := bad[name]
		changed := func(lines int) {
			t.Helper()
			if len(is) != 1 {
				t.Fatalf("%s: %s is there %d times", f, name, len(is))
			}
			if n := differences(was, is[0]); n != lines {
				t.Errorf("%s: %d lines differ, want %d", f, n, lines)
			}
		}
		switch f {
		case standin.NoEntry:
			if len(is) != 0 {
				t.Errorf("%s is there", name)
			}
		case standin.TwiceDefined:
			if len(is) != 2 || is[0] == is[1] || is[0] != was {
				t.Errorf("%s: %d times", name, len(is))
			}
		case standin.OtherTail:
			changed(1)
			if a, b := behind(was), behind(is[0]); a == b {
				t.Errorf("%s: its tail is as it was", name)
			}
		case standin.HalfRounding, standin.OtherOffset:
			changed(1)
		case standin.ExtraStore:
			if strings.Count(is[0], "sust.") != strings.Count(was, "sust.")+1 {
				t.Errorf("%s: stores", name)
			}
		case standin.FourBarriers:
			if strings.Count(is[0], "bar.warp.sync -1;") != 4 {
				t.Errorf("%s: barriers", name)
			}
		default:
			t.Errorf("%s is not looked at", f)
		}
	}
}

func behind(text string) string {
	return text[strings.LastIndex(text, "bar.warp.sync"):]
}

// differences counts the lines in which two texts of equal length differ.
func differences(a, b string) int {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	if len(as) != len(bs) {
		return max(len(as), len(bs))
	}
	n := 0
	for i := range as {
		if as[i] != bs[i] {
			n++
		}
	}
	return n
}

func TestWrongOptions(t *testing.T) {
	for _, o := range []standin.Options{{Fault: "no-such"}, {Version: 7}} {
		if err := standin.Write(io.Discard, o); err == nil {
			t.Errorf("%+v was written", o)
		}
		if _, err := standin.ModulesOf(o); err == nil {
			t.Errorf("%+v has modules", o)
		}
	}
}

// TestNext: the other version differs as it says.
func TestNext(t *testing.T) {
	mods, err := standin.ModulesOf(standin.Options{Version: standin.Next})
	if err != nil {
		t.Fatal(err)
	}
	newer := map[string]string{}
	for _, m := range mods {
		for name, body := range bodies(t, m) {
			newer[name] = body
		}
	}
	older, changes := everyBody(t), standin.Changes()
	kinds := map[string]int{}
	for name, how := range changes {
		kinds[how]++
		a, b := older[name], newer[name]
		bad := false
		switch how {
		case "renamed":
			bad = a == b || renamed(a) != renamed(b)
		case "changed":
			bad = differences(a, b) != 1
		case "gone":
			bad = a == "" || b != ""
		case "new":
			bad = a != "" || b == ""
		}
		if bad {
			t.Errorf("%s is not %s", name, how)
		}
	}
	for name, text := range older {
		if changes[name] == "" && newer[name] != text {
			t.Errorf("%s is not the same", name)
		}
	}
	if kinds["renamed"] < 2 || kinds["changed"] < 2 || kinds["gone"] != 1 || kinds["new"] != 1 {
		t.Errorf("%v", kinds)
	}
	if bytes.Contains(mods[0].Text, []byte("\n\n")) {
		t.Error("line ends")
	}
}
