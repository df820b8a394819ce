package tex

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"kmx/cuda/ptx"
	"kmx/cuda/standin"
	"kmx/internal/diag"
	"kmx/matrix"
)

// shelf is a version of the stand-in library, parsed.
type shelf map[string]*ptx.Module // by kernel

func shelfOf(t testing.TB, o standin.Options) shelf {
	t.Helper()
	list, err := standin.ModulesOf(o)
	if err != nil {
		t.Fatal(err)
	}
	s := shelf{}
	for _, m := range list {
		p, err := ptx.Parse(m.Name+".ptx", m.Text)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range m.Entries {
			s[name] = p
		}
	}
	return s
}

// texture are the 54 texture kernels of the stand-in library.
func texture() []standin.Kernel {
	return slices.DeleteFunc(standin.Kernels(), func(k standin.Kernel) bool {
		return !slices.Contains([]standin.Group{standin.KOutput, standin.MPost, standin.MDownsample, standin.MEnc0, standin.MDec0, standin.LPost, standin.LEnc0, standin.LDec0}, k.Group)
	})
}

// request is how a kernel is edited; native says whether the unfolded encoder
// and decoder have device functions, which is with FP8 on gfx12.
func (s shelf) request(k standin.Kernel, fp8, native bool) Request {
	r := Request{Kernel: k.Name, Recipe: "stores", Module: s[k.Name], Options: Options{FP8: fp8}}
	switch {
	case k.Group == standin.MEnc0:
		r.Recipe, r.ReferenceKernel = "enc0-tail", "rrlite_enc0_4x4_mvhi_hdr_folded"
	case k.Group == standin.MDec0:
		r.Recipe = "dec0-head"
	case k.Group == standin.LEnc0 && native:
		r.Recipe, r.ReferenceKernel = "l-enc0-tail", "rrlite_enc0_4x4_mvhi_hdr"
	case k.Group == standin.LDec0 && native:
		r.Recipe = "l-dec0-block"
	}
	r.Reference = s[r.ReferenceKernel]
	r.Counts = declared(k, r)
	return r
}

// declared are the counts of a kernel as the stand-in library promises them.
func declared(k standin.Kernel, r Request) map[string]string {
	promised := k.Counts()
	counts := map[string]string{"round": fmt.Sprint(promised[standin.Roundf])}
	for _, f := range storeForms {
		counts["stores."+f.kind] = fmt.Sprint(promised[f.opcode])
	}
	if r.Recipe == "dec0-head" {
		counts["e4m3"] = "0"
		if r.Options.FP8 {
			counts["e4m3"] = fmt.Sprint(promised[standin.DecodeFP8])
		}
	}
	return counts
}

// TestStandIn edits all texture kernels of the stand-in library, which was
// written without knowledge of the recipes, in every way that the matrix has.
func TestStandIn(t *testing.T) {
	s := shelfOf(t, standin.Options{})
	kernels := texture()
	if len(kernels) != 54 {
		t.Fatalf("%d kernels", len(kernels))
	}
	splices := map[string]int{}
	for _, k := range kernels {
		for _, set := range []struct{ fp8, native bool }{{false, false}, {true, false}, {true, true}} {
			r := s.request(k, set.fp8, set.native)
			t.Run(fmt.Sprint(k.Name, "/", r.Recipe, "/", set.fp8), func(t *testing.T) {
				res, err := Edit(r)
				if err != nil {
					t.Fatal(err)
				}
				splices[r.Recipe]++
				edited, err := ptx.Parse("edited.ptx", res.Text)
				if err != nil {
					t.Fatal(err)
				}
				for in := range edited.Instructions(edited.Function(k.Name)) {
					if isStore(in) || directed(in) != "" || r.Options.FP8 && r.Recipe == "dec0-head" && in.Opcode == fp8Conversion {
						t.Errorf("%s is left", in.Opcode)
					}
				}
				if strings.Count(string(res.Text), "\n") != strings.Count(string(res.Text), "\r\n") {
					t.Error("not all lines end as in the module")
				}
				if got := undone(res); got != string(r.Module.Text) {
					t.Error("the edit taken back is not the module: " + firstDifference(string(r.Module.Text), got))
				}
				for _, f := range res.Externs {
					if n := strings.Count(string(res.Text), ".extern .func"); n != len(res.Externs) || !strings.Contains(string(res.Text), " "+f+",") && !strings.Contains(string(res.Text), "uni "+f) {
						t.Errorf("%s: %d declarations for %v", f, n, res.Externs)
					}
				}
			})
		}
	}
	if want := map[string]int{"stores": 44*3 + 5*2, "enc0-tail": 4 * 3, "dec0-head": 3, "l-enc0-tail": 4, "l-dec0-block": 1}; !maps.Equal(splices, want) {
		t.Errorf("edited %v, want %v", splices, want)
	}
}

// undone takes the changes of a result back.
func undone(r *Result) string {
	var b strings.Builder
	text, at, shift := string(r.Text), 0, 0
	for _, c := range r.Changes {
		from := c.At.Start + shift
		b.WriteString(text[at:from])
		b.WriteString(strings.ReplaceAll(c.Old, "\n", "\r\n"))
		now := len(strings.ReplaceAll(c.New, "\n", "\r\n"))
		at = from + now
		shift += now - (c.At.End - c.At.Start)
	}
	b.WriteString(text[at:])
	return b.String()
}

// TestStandInFaults: a kernel with a fault is refused with the places of both
// sides, and its neighbours in the same module are edited all the same.
func TestStandInFaults(t *testing.T) {
	for _, c := range []struct {
		fault standin.Fault
		want  []string
	}{
		{standin.OtherTail, []string{"two statements differ: sub.s32", "add.s32", "the opcodes differ"}},
		{standin.ExtraStore, []string{"stores.v2b16 = 4 would be edited, 3 declared"}},
		{standin.FourBarriers, []string{"the kernel has 4 bar.warp.sync, not 3"}},
		{standin.HalfRounding, []string{"that is no part of roundf", "cvt.rni.f32.f32"}},
		{standin.OtherOffset, []string{"one load of 64 bits of the parameters at offset 40", "through the pointer at offset 40", "the parameter at offset 352"}},
	} {
		t.Run(string(c.fault), func(t *testing.T) {
			s := shelfOf(t, standin.Options{Fault: c.fault})
			bad := s[c.fault.Kernel()]
			seen := false
			for _, k := range texture() {
				if s[k.Name] != bad {
					continue
				}
				_, err := Edit(s.request(k, true, true))
				if k.Name != c.fault.Kernel() {
					if err != nil {
						t.Errorf("%s beside it: %v", k.Name, err)
					}
					continue
				}
				seen = true
				var f *diag.Failure
				if !errors.As(err, &f) {
					t.Fatalf("%s was edited, %v", k.Name, err)
				}
				var b strings.Builder
				diag.Print(&b, f.Messages, diag.Style{})
				for _, w := range append(c.want, k.Name, bad.Name+":") {
					if !strings.Contains(b.String(), w) {
						t.Errorf("no %q in\n%s", w, b.String())
					}
				}
				t.Log(b.String())
			}
			if !seen {
				t.Errorf("%s is not in the library", c.fault.Kernel())
			}
		})
	}
}

// BenchmarkEdit edits every texture kernel once; the modules are parsed before.
func BenchmarkEdit(b *testing.B) {
	s := shelfOf(b, standin.Options{})
	kernels := texture()
	size := int64(0)
	for _, k := range kernels {
		f := s[k.Name].Function(k.Name)
		size += int64(f.End - f.Start)
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, k := range kernels {
			if _, err := Edit(s.request(k, true, true)); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// TestMatrix: what matrix.hcl declares of texture kernels holds for the
// stand-in library, in every cell.
func TestMatrix(t *testing.T) {
	m, l := matrix.Load("../matrix.hcl", matrix.Options{Vars: map[string]string{"preset_l": "true"}, Whole: true})
	x, more := m.Expand()
	if l = append(l, more...); l.HasErrors() {
		t.Fatal(l.Err())
	}
	s := shelfOf(t, standin.Options{})
	known := map[string]bool{}
	for _, r := range Recipes() {
		known[r.Name] = true
	}
	tried := map[string]bool{}
	for _, c := range x.Cells {
		if c.Recipe == "" {
			continue
		}
		if !known[c.Recipe] {
			t.Errorf("%s: there is no recipe %s", c.Address(), c.Recipe)
			continue
		}
		r := Request{Kernel: c.Kernel, Recipe: c.Recipe, Module: s[c.Kernel], Reference: s[c.Reference], ReferenceKernel: c.Reference, Counts: map[string]string{}}
		for _, d := range c.Counts {
			r.Counts[d.Name] = d.Value
		}
		r.Options.FP8 = r.Counts["e4m3"] != "0" && r.Counts["e4m3"] != ""
		if id := fmt.Sprint(c.Kernel, c.Recipe, r.Counts); tried[id] {
			continue
		} else {
			tried[id] = true
		}
		if _, err := Edit(r); err != nil {
			t.Errorf("%s: %v", c.Address(), err)
		}
	}
	if len(tried) < 54+1+5 { // dec0 with FP8; the unfolded encoder and decoder
		t.Errorf("only %d edits", len(tried))
	}
}
