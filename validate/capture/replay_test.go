package capture_test

import (
	"context"
	"encoding/binary"
	"path/filepath"
	"strings"
	"testing"

	"kmx/amdgpu/codeobj"
	"kmx/validate/capture"
	"kmx/validate/layout"
	"kmx/validate/model"
)

// hooked is a kernel with a prep kernel, whose image in the object's memory shows
// whether it ran: each prep adds 1000 to it. The kernel itself writes, for each
// of its lanes, the image, its block.z and its grid.
const hooked = `
#define GLOBAL extern "C" __attribute__((device)) const unsigned
GLOBAL d4r_prep_blocks = 2;
GLOBAL d4r_prep_key_offset = 8;
GLOBAL d4r_block_z = 3;
static __attribute__((device)) unsigned image[256];
struct P { unsigned *out; const unsigned *weights; };
extern "C" __attribute__((global, amdgpu_flat_work_group_size(1, 128))) void hooked_prep(P p) {
  unsigned t = __builtin_amdgcn_workgroup_id_x() * 128 + __builtin_amdgcn_workitem_id_x();
  image[t] += 1000 + p.weights[t & 3];
}
extern "C" __attribute__((global, amdgpu_flat_work_group_size(1, 128))) void hooked(P p) {
  unsigned t = __builtin_amdgcn_workitem_id_x() + 32 * __builtin_amdgcn_workitem_id_z() + 96 * __builtin_amdgcn_workgroup_id_x();
  p.out[t] = image[t] + 100000 * __builtin_amdgcn_workgroup_id_x() + 1000000 * __builtin_amdgcn_workitem_id_z();
}
`

func hookedObject(t *testing.T) []byte {
	t.Helper()
	return compileSource(t, hooked)
}

func compileSource(t *testing.T, source string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "k.hip")
	writeFile(t, file, []byte(source))
	return compile(t, "gfx1101", "-nogpuinc", "-nogpulib", "-nostdlibinc", "-O2", "-fuse-cuid=none", "-mcode-object-version=5", file)
}

func hookedCapture() *capture.Capture {
	args := make([]byte, 16)
	binary.LittleEndian.PutUint64(args, 0x7100_0000_0000)
	binary.LittleEndian.PutUint64(args[8:], 0x7200_0000_0040)
	weights := make([]byte, 0x40+16)
	for i := range 4 {
		binary.LittleEndian.PutUint32(weights[0x40+4*i:], uint32(i))
	}
	c := &capture.Capture{Kernel: "hooked", Grid: [3]uint32{2, 1, 1}, Block: [3]uint32{32, 1, 1}, Args: args,
		Allocations: []capture.Allocation{{Number: 0, Base: 0x7100_0000_0000, Data: make([]byte, 4*256)}, {Number: 1, Base: 0x7200_0000_0000, Data: weights}}}
	c.FindPointers()
	return c
}

func TestReplayFollowsTheHook(t *testing.T) {
	d, err := capture.NewDevice(context.Background(), hookedObject(t), "hooked", capture.ReplayOptions{Objdump: objdump(t)})
	if err != nil {
		t.Fatal(err)
	}
	c := hookedCapture()
	other := c.Clone()
	other.Allocations[1].Base += 0x1000_0000
	binary.LittleEndian.PutUint64(other.Args[8:], 0x7200_1000_0040)
	for i, step := range []struct {
		c     *capture.Capture
		preps uint32 // so far
	}{{c, 1}, {c, 1}, {other, 2}, {c, 3}} {
		r, err := d.Launch(context.Background(), step.c)
		if err != nil {
			t.Fatal(err)
		}
		out := r.After.Allocations[0].Data
		for _, lane := range []uint32{0, 33, 95, 97, 191} {
			z, block := lane%96/32, lane/96
			want := step.preps*(1000+lane&3) + 100000*block + 1000000*z
			if got := binary.LittleEndian.Uint32(out[4*lane:]); got != want {
				t.Errorf("launch %d, lane %d: %d, want %d", i, lane, got, want)
			}
		}
		if binary.LittleEndian.Uint32(step.c.Allocations[0].Data) != 0 {
			t.Error("the capture itself was written to")
		}
		if (r.Prep != nil) != r.Prepared || r.Stats.Total() == 0 {
			t.Errorf("launch %d: %+v", i, r)
		}
	}
}

func TestReplayRefuses(t *testing.T) {
	object, tool := hookedObject(t), objdump(t)
	for _, c := range []struct {
		change func(*capture.Capture)
		want   string
	}{
		{func(c *capture.Capture) { c.Textures = []int{8} }, "uses a texture"},
		{func(c *capture.Capture) { c.Kernel = "other" }, "the object has no kernel other; it has [hooked hooked_prep]"},
		{func(c *capture.Capture) { c.Allocations = c.Allocations[:1] }, "allocation 1, whose copy is missing"},
		{func(c *capture.Capture) { c.Allocations[0].Data = c.Allocations[0].Data[:400] }, "global_store"},
		{func(c *capture.Capture) { c.Args = c.Args[:8] }, "prep key"},
	} {
		k := hookedCapture()
		c.change(k)
		_, err := capture.Replay(context.Background(), object, k, capture.ReplayOptions{Objdump: tool})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v\nshould say %s", err, c.want)
		}
	}
}

func TestHookOf(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{strings.Replace(hooked, "GLOBAL d4r_prep_blocks = 2;", "", 1), "d4r_prep_blocks is 0 or missing"},
		{strings.ReplaceAll(hooked, "hooked_prep", "hooked_post1"), "hooked_post1: phases after the kernel are not replayed"},
	} {
		o, err := codeobj.Read(compileSource(t, c.source))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := capture.HookOf(o, "hooked"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v\nshould say %s", err, c.want)
		}
	}
	o, err := codeobj.Read(compileSource(t, strings.Replace(hooked, "GLOBAL d4r_block_z = 3;", "GLOBAL d4r_prep_key_at = 1, d4r_prep_key_slots = 8, d4r_grid_x = 7;", 1)))
	if err != nil {
		t.Fatal(err)
	}
	h, err := capture.HookOf(o, "hooked")
	if want := (capture.Hook{Kernel: "hooked", Prep: true, PrepBlocks: 2, KeyAt: 0, Slots: 8, GridX: 7}); err != nil || h != want {
		t.Errorf("%+v %v, want %+v", h, err, want)
	}
}

// A generated capture, written, read and computed by the model, and compared
// with changes of which each has to be found.
func TestCompareFindsChanges(t *testing.T) {
	for _, name := range []string{"k/enc1", "m/enc1"} {
		l, err := layout.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		c, err := capture.Generate(l, capture.Case{Name: "small", Grid: layout.Grid{W: 8, H: 10}, Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "capture")
		if err := c.Write(dir); err != nil {
			t.Fatal(err)
		}
		if c, err = capture.Read(dir); err != nil {
			t.Fatal(err)
		}
		reference, err := capture.Model(c, model.Options{Mode: model.Exact, Generation: 12})
		if err != nil {
			t.Fatal(err)
		}
		same, err := capture.Compare(reference, reference.Clone())
		if err != nil || !same.Equal() || !strings.Contains(same.String(), "(100.0000 %), PSNR infinite") {
			t.Errorf("%s: %v\n%s", name, err, same)
		}
		regions, err := capture.Outputs(c)
		if err != nil || len(regions) != 2 {
			t.Fatalf("%s: %v %v", name, regions, err)
		}
		got := reference.Clone()
		out, err := got.Read(regions[0].Addr, regions[0].Bytes)
		if err != nil {
			t.Fatal(err)
		}
		out[4] ^= 1 // the last bit of channel 2 (f16) or 4 (e4m3) of token (0,0)
		merged, err := got.Read(regions[1].Addr, regions[1].Bytes)
		if err != nil {
			t.Fatal(err)
		}
		merged[0], merged[1] = 0x7f, 0x7f // NaN
		got.Allocations[0].Data[0] ^= 0xff
		r, err := capture.Compare(reference, got)
		if err != nil {
			t.Fatal(err)
		}
		if r.Equal() || r.Outputs[0].Histogram[1] != 1 || r.Outputs[0].Steps != 1 || r.Outputs[1].GotNaN == 0 || r.Outputs[1].ReferenceNaN != 0 || r.Stray[0] != 1 {
			t.Errorf("%s: %s", name, r)
		}
		for _, want := range []string{"first difference: channel ", "of token (0,0): ", "1 bytes of allocation 0 outside the outputs differ", "undefined (NaN)", "apart: 0: "} {
			if !strings.Contains(r.String(), want) {
				t.Errorf("%s:\n%s\nshould say %s", name, r, want)
			}
		}
		moved := reference.Clone()
		moved.Args[0] ^= 1
		if _, err := capture.Compare(reference, moved); err == nil {
			t.Error("launches with other parameters are compared")
		}
	}
}

// Every case of every layer: sound, reproducible, and the model computes it
// within its buffers.
func TestGenerate(t *testing.T) {
	for _, l := range layout.Layers() {
		for i, k := range capture.Cases(l) {
			c, err := capture.Generate(l, k)
			if err != nil {
				t.Fatalf("%s, %s: %v", l.Name, k, err)
			}
			again, err := capture.Generate(l, k)
			if err != nil {
				t.Fatal(err)
			}
			for n, a := range c.Allocations {
				if string(a.Data) != string(again.Allocations[n].Data) || a.Base != again.Allocations[n].Base {
					t.Fatalf("%s, %s: allocation %d is not the same twice", l.Name, k, n)
				}
			}
			if want := len(c.Allocations); len(c.Pointers) != want {
				t.Errorf("%s, %s: %d pointers into %d allocations", l.Name, k, len(c.Pointers), want)
			}
			if i > 0 && !everything() {
				continue
			}
			after, err := capture.Model(c, model.Options{Mode: model.Fast, Generation: 11})
			if err != nil {
				t.Fatalf("%s, %s: %v", l.Name, k, err)
			}
			r, err := capture.Compare(c, after)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range r.Outputs {
				if o.GotNaN > 0 || 10*o.Difference.Equal > 9*o.Values && !o.Flags {
					t.Errorf("%s, %s: %s", l.Name, k, r)
				}
			}
			if len(r.Stray) > 0 {
				t.Errorf("%s, %s: the model wrote elsewhere: %s", l.Name, k, r)
			}
		}
	}
	enc1, _ := layout.Find("k/enc1")
	for _, bad := range []capture.Case{{Grid: layout.Grid{W: 1, H: 8}}, {Grid: layout.Grid{W: 8, H: 8}, ShiftX: 8}, {Grid: layout.Grid{W: 8, H: 8}, Flags: true}, {Grid: layout.Grid{W: -3, H: 8}}, {Grid: layout.Grid{W: 1 << 40, H: 8}}} {
		if _, err := capture.Generate(enc1, bad); err == nil {
			t.Errorf("%s was made", bad)
		}
	}
}
