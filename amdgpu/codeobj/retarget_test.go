package codeobj_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/tinylib/msgp/msgp"

	"kmx/amdgpu/codeobj"
	"kmx/amdgpu/codeobj/codeobjtest"
)

// What is derived for a GPU is the object that is written for it, and nothing but
// two places differ.
func TestRetarget(t *testing.T) {
	for from := range codeobjtest.Machines {
		data := codeobjtest.New("k", from).Bytes()
		kept := bytes.Clone(data)
		bare, err := codeobj.Untargeted(data)
		if err != nil {
			t.Fatal(err)
		}
		for to := range codeobjtest.Machines {
			got, err := codeobj.Retarget(data, to)
			if from[:5] != to[:5] {
				if err == nil || !strings.Contains(err.Error(), "different generations") {
					t.Errorf("%s to %s: %v", from, to, err)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%s to %s: %v", from, to, err)
			}
			if !bytes.Equal(got, codeobjtest.New("k", to).Bytes()) {
				t.Errorf("%s to %s is another object than is written for it", from, to)
			}
			if again, err := codeobj.Untargeted(got); err != nil || !bytes.Equal(again, bare) {
				t.Errorf("%s to %s: without its GPU it is something else (%v)", from, to, err)
			}
			if _, ps := codeobj.Check(got, codeobj.Want{Name: "k", Target: to}); from == to && len(ps) == 0 {
				t.Error("the check looks at nothing") // the control symbols are not declared here
			}
		}
		if !bytes.Equal(data, kept) {
			t.Errorf("%s: the object itself was changed", from)
		}
	}
}

func TestRetargetRefuses(t *testing.T) {
	object := func(change func(*codeobjtest.Object)) []byte {
		o := codeobjtest.New("k", "gfx1200")
		change(o)
		return o.Bytes()
	}
	sound := codeobjtest.New("k", "gfx1200").Bytes()
	for _, c := range []struct {
		name   string
		data   []byte
		target string
		want   string
	}{
		{"no object", []byte("\x7fELF"), "gfx1201", "not an object that can be made into one for another GPU: truncated"},
		{"cut", sound[:len(sound)-1], "gfx1201", "truncated"},
		{"a GPU nobody knows", sound, "gfx1299", `"gfx1299" is no GPU`},
		{"a generic target", sound, "gfx12-generic", `"gfx12-generic" is no GPU that an object can be made for`},
		{"another generation", sound, "gfx1100", "gfx1200 and gfx1100 are of different generations"},
		{"an older one", sound, "gfx90a", `"gfx90a" is no GPU that an object can be made for`},
		{"features", object(func(o *codeobjtest.Object) { o.Flags |= 0x100 }), "gfx1201", "the ELF flags 0x00000148 name features"},
		{"note and flags disagree", object(func(o *codeobjtest.Object) { o.Target = "amdgcn-amd-amdhsa--gfx1201" }), "gfx1201", `the ELF flags are for gfx1200, the note says "amdgcn-amd-amdhsa--gfx1201"`},
		{"a feature in the note", object(func(o *codeobjtest.Object) { o.Target += ":xnack+" }), "gfx1201", "the note says"},
		{"another triple", object(func(o *codeobjtest.Object) { o.Target = "amdgcn-amd-amdpal--gfx1200" }), "gfx1201", "the note says"},
		{"the name in a comment", object(func(o *codeobjtest.Object) { o.Comment = "for gfx1200\x00" }), "gfx1201", "gfx1200 stands at 0x"},
		{"the name in the note's other pairs", object(func(o *codeobjtest.Object) {
			o.Extra = func(b []byte) []byte { return msgp.AppendString(msgp.AppendString(b, "tuned.for"), "gfx1200") }
		}), "gfx1201", "outside the target of the note"},
		{"an object for a GPU nobody knows", object(func(o *codeobjtest.Object) { o.Flags = 0xff }), "gfx1201", "an unknown GPU"},
	} {
		_, err := codeobj.Retarget(c.data, c.target)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}

// A compiler's own objects of two GPUs are the same but for the name where the code
// is; one other constant makes them differ.
func TestRetargetReal(t *testing.T) {
	const source = realKernel
	compiled := func(text, target string) []byte {
		data, _ := compile(t, text, target, deviceMacro)
		return data
	}
	data := compiled(source, "gfx1200")
	got, err := codeobj.Retarget(data, "gfx1201")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, compiled(source, "gfx1201")) {
		t.Error("what is derived is not what is compiled")
	}
	if back, err := codeobj.Retarget(got, "gfx1200"); err != nil || !bytes.Equal(back, data) {
		t.Errorf("there and back is something else: %v", err)
	}
	if bytes.Equal(got, compiled(strings.Replace(source, "p.in[t] * 2", "p.in[t] * 3", 1), "gfx1201")) {
		t.Error("another constant makes no difference")
	}
}

// Whatever is accepted differs in at most eight bytes, is read as of the new GPU,
// and comes back.
func FuzzRetarget(f *testing.F) {
	for target := range codeobjtest.Machines {
		f.Add(codeobjtest.New("k", target).Bytes(), uint32(0), byte(0))
	}
	whole := codeobjtest.New("k", "gfx1200").Bytes()
	f.Add(whole, uint32(0x30), byte(0x4e))
	f.Fuzz(func(t *testing.T, data []byte, at uint32, with byte) {
		data = bytes.Clone(data)
		if len(data) > 0 {
			data[int(at)%len(data)] = with
		}
		o, err := codeobj.Read(data)
		for to := range codeobjtest.Machines {
			got, refused := codeobj.Retarget(data, to)
			if refused != nil {
				continue
			}
			if err != nil {
				t.Fatalf("a damaged object was taken: %v", err)
			}
			changed := 0
			for i := range data {
				if got[i] != data[i] {
					changed++
				}
			}
			if len(got) != len(data) || changed > 8 || o.Target == to && changed > 0 {
				t.Fatalf("%d bytes of %d changed", changed, len(data))
			}
			made, err := codeobj.Read(got)
			if err != nil || made.Target != to || made.NoteTarget != to || binary.LittleEndian.Uint32(got[48:]) != codeobjtest.Machines[to] {
				t.Fatalf("for %s it is %+v, %v", to, made, err)
			}
			if back, err := codeobj.Retarget(got, o.Target); err != nil || !bytes.Equal(back, data) {
				t.Fatalf("it does not come back: %v", err)
			}
		}
	})
}
