package codeobj_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"kmx/amdgpu/codeobj"
	"kmx/amdgpu/codeobj/codeobjtest"
)

func limit(n int) *int { return &n }

// soundWant is what codeobjtest.New("k", "gfx1200") promises.
func soundWant() codeobj.Want {
	return codeobj.Want{
		Name: "k", Target: "gfx1200", WaveSize: 32,
		Hook:   map[string]uint32{"prep_blocks": 40, "block_z": 4, "prep_key_at": 0},
		Limits: codeobj.Limits{VGPRs: limit(96), SGPRs: limit(18), Spills: limit(0), Scratch: limit(0), LDS: limit(8192)},
		Paths:  []string{"/srv7/checkout"},
	}
}

func TestSoundObjects(t *testing.T) {
	for target := range codeobjtest.Machines {
		w := soundWant()
		w.Target = target
		o, ps := codeobj.Check(codeobjtest.New("k", target).Bytes(), w)
		for _, p := range ps {
			t.Errorf("%s: %v", target, p)
		}
		if o.Target != target || o.NoteTarget != target || o.CodeObjectVersion != 5 {
			t.Errorf("%s: read as %s, %s, version %d", target, o.Target, o.NoteTarget, o.CodeObjectVersion)
		}
	}
	// no prep, no hook, wave64, version 4: equally sound when promised
	b := codeobjtest.New("k", "gfx1101")
	b.Kernels, b.Vars, b.ABI, b.Version = b.Kernels[:1], nil, 2, [2]int{1, 1}
	b.Kernels[0].Wave = 64
	if _, ps := codeobj.Check(b.Bytes(), codeobj.Want{Name: "k", Target: "gfx1101", WaveSize: 64, CodeObjectVersion: 4}); len(ps) > 0 {
		t.Error(ps)
	}
}

func TestReadFacts(t *testing.T) {
	b := codeobjtest.New("k", "gfx1201")
	b.Kernels[0].VGPRSpills, b.Kernels[0].Scratch, b.Kernels[0].CUMode = 3, 16, true
	o, err := codeobj.Read(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	k, ok := o.Kernel("k")
	if !ok || k.VGPRs != 96 || k.AllocatedVGPRs != 96 || k.SGPRs != 18 || k.VGPRSpills != 3 || k.Scratch != 16 || k.LDS != 8192 ||
		k.Kernarg != 96 || k.WaveSize != 32 || k.MaxWorkgroup != 128 || k.CodeBytes != 8 || k.WGPMode || k.DynamicStack {
		t.Errorf("kernel read as %+v", k)
	}
	if h := o.Hook(); len(h) != 3 || h["prep_blocks"] != 40 || h["block_z"] != 4 || h["prep_key_at"] != 0 {
		t.Errorf("hook read as %v", h)
	}
	if len(o.Text()) != 512 || len(o.Data()) < 128 {
		t.Errorf("text %d, data %d bytes", len(o.Text()), len(o.Data()))
	}
}

// refusals: what is changed in the sound object or in the want, and every
// problem that must be said, no more.
var refusals = []struct {
	name string
	edit func(o *codeobjtest.Object, w *codeobj.Want)
	want []string
}{
	{"the gfx1201 object that was shipped to gfx1200", func(o *codeobjtest.Object, w *codeobj.Want) {
		*o = *codeobjtest.New("k", "gfx1201")
	}, []string{"this is a gfx1201 object in a gfx1200 folder: machine in the ELF flags (offset 0x30): want 0x48, got 0x4e"}},
	{"flags of the sibling, note right", func(o *codeobjtest.Object, w *codeobj.Want) { o.Flags = 0x4e },
		[]string{"this is a gfx1201 object in a gfx1200 folder", "the flags are for gfx1201, the note says \"amdgcn-amd-amdhsa--gfx1200\""}},
	{"note of the sibling, flags right", func(o *codeobjtest.Object, w *codeobj.Want) { o.Target = "amdgcn-amd-amdhsa--gfx1201" },
		[]string{"this is a gfx1201 object in a gfx1200 folder: target in the note", "the ELF flags and the note disagree"}},
	{"unknown machine", func(o *codeobjtest.Object, w *codeobj.Want) { o.Flags = 0xfe },
		[]string{"an unknown GPU (machine 0xfe) object in a gfx1200 folder", "disagree"}},
	{"feature flags", func(o *codeobjtest.Object, w *codeobj.Want) { o.Flags |= 0x300 }, []string{"0x00000348 ask for features"}},
	{"feature in the note", func(o *codeobjtest.Object, w *codeobj.Want) { o.Target += ":xnack+" },
		[]string{"want amdgcn-amd-amdhsa--gfx1200, got amdgcn-amd-amdhsa--gfx1200:xnack+"}},
	{"unknown wanted GPU", func(o *codeobjtest.Object, w *codeobj.Want) { w.Target = "gfx1299" },
		[]string{`"gfx1299" is no GPU that kmx knows`, "this is a gfx1200 object in a gfx1299 folder"}[:1]},
	{"version 6", func(o *codeobjtest.Object, w *codeobj.Want) { o.ABI = 4 }, []string{"code-object version: want 4 or 5, got 6"}},
	{"version 5 where 4 is asked", func(o *codeobjtest.Object, w *codeobj.Want) { w.CodeObjectVersion = 4 }, []string{"code-object version: want 4, got 5"}},
	{"no version", func(o *codeobjtest.Object, w *codeobj.Want) { o.ABI = 9 }, []string{"EI_ABIVERSION (offset 8) is 9"}},
	{"version of the note", func(o *codeobjtest.Object, w *codeobj.Want) { o.Version = [2]int{1, 1} },
		[]string{"disagree about the code-object version: note of a version 5 object: want 1.2, got 1.1"}},

	{"another kernel", func(o *codeobjtest.Object, w *codeobj.Want) { w.Name = "m" },
		[]string{"kernel m is missing: the object holds k, k_prep", "kernel m_prep is missing, which d4r_prep_blocks = 40 asks for"}},
	{"kernel not in the note", func(o *codeobjtest.Object, w *codeobj.Want) { o.Kernels[0].NoNote = true }, []string{"kernel k is missing: the object holds k_prep"}},
	{"no code", func(o *codeobjtest.Object, w *codeobj.Want) { o.Kernels[0].NoCode = true }, []string{"the code of kernel k is not exported"}},
	{"local code", func(o *codeobjtest.Object, w *codeobj.Want) { o.Kernels[0].LocalCode = true },
		[]string{"the code of kernel k is not exported, it lost its linkage (in .symtab as LOCAL PROTECTED)"}},
	{"no descriptor", func(o *codeobjtest.Object, w *codeobj.Want) { o.Kernels[0].NoDesc = true }, []string{"the descriptor k.kd is missing"}},
	{"short descriptor", func(o *codeobjtest.Object, w *codeobj.Want) { o.Kernels[1].DescriptorSize = 32 }, []string{"bytes of the descriptor k_prep.kd: want 64, got 32"}},
	{"descriptor of other code", func(o *codeobjtest.Object, w *codeobj.Want) { o.Kernels[0].EntryMove = 256 }, []string{"descriptor of k starts other code"}},
	{"descriptor: kernarg", descriptorEdit(8, 104), []string{"disagree about the kernarg size: note 96, descriptor 104"}},
	{"descriptor: LDS", descriptorEdit(0, 4096), []string{"disagree about LDS bytes: note 8192, descriptor 4096"}},
	{"descriptor: scratch", descriptorEdit(4, 16), []string{"disagree about scratch bytes: note 0, descriptor 16"}},
	{"descriptor: wave64", descriptorEdit(56, 0), []string{"disagree about the wave size: note 32, descriptor 64"}},
	{"descriptor: dynamic stack", descriptorEdit(56, 1<<10|1<<11), []string{"disagree about a dynamic stack: note false, descriptor true"}},
	{"descriptor: too few VGPRs, CU mode", descriptorEdit(48, 3),
		[]string{"disagree about WGP mode: note true, descriptor false", "the descriptor of k asks for 32 VGPRs and the note says that it uses 96"}},

	{"missing prep", func(o *codeobjtest.Object, w *codeobj.Want) { o.Kernels = o.Kernels[:1] },
		[]string{"kernel k_prep is missing, which d4r_prep_blocks = 40 asks for: the object holds k"}},
	{"missing prep, exported only", func(o *codeobjtest.Object, w *codeobj.Want) { o.Kernels = o.Kernels[:1]; delete(w.Hook, "prep_blocks") },
		[]string{"kernel k_prep is missing, which d4r_prep_blocks = 40 asks for", "d4r_prep_blocks = 40 is exported and would steer the launch, but it is not declared"}},
	{"prep without blocks", func(o *codeobjtest.Object, w *codeobj.Want) { o.Vars = o.Vars[1:]; delete(w.Hook, "prep_blocks") },
		[]string{"kernel k_prep is there but d4r_prep_blocks is not above zero"}},
	{"missing post", func(o *codeobjtest.Object, w *codeobj.Want) {
		o.Vars = append(o.Vars, codeobjtest.Var{Name: "d4r_post2_grid_x", Value: 7})
		w.Hook["post2_grid_x"] = 7
	}, []string{"kernel k_post2 is missing, which d4r_post2_grid_x = 7 asks for"}},
	{"post with a narrow launch bound", func(o *codeobjtest.Object, w *codeobj.Want) {
		p := o.Kernels[1]
		p.Name, p.MaxWorkgroup = "k_post1", 64
		o.Kernels = append(o.Kernels, p)
		o.Vars = append(o.Vars, codeobjtest.Var{Name: "d4r_post1_block_z", Value: 4})
		w.Hook["post1_block_z"] = 4
	}, []string{"k_post1 may not be launched as it will be: launch bound (max_flat_workgroup_size): want at least 128"}},

	{"absent hook symbol", func(o *codeobjtest.Object, w *codeobj.Want) { o.Vars = o.Vars[:2] },
		[]string{"d4r_prep_key_at = 0 is declared but the object does not export it"}},
	{"hook symbol that lost its linkage", func(o *codeobjtest.Object, w *codeobj.Want) { o.Vars[1].Local = true },
		[]string{"d4r_block_z = 4 lost its linkage: it is in the object as LOCAL DEFAULT but not exported"}},
	{"hidden hook symbol", func(o *codeobjtest.Object, w *codeobj.Want) { o.Vars[1].Hidden = true },
		[]string{"d4r_block_z = 4 lost its linkage: it is in the object as GLOBAL HIDDEN"}},
	{"hook symbol of another size", func(o *codeobjtest.Object, w *codeobj.Want) { o.Vars[0].Size = 8 },
		[]string{"d4r_prep_blocks has 8 bytes; the hook ignores it unless it has 4"}},
	{"hook symbol of another value", func(o *codeobjtest.Object, w *codeobj.Want) { o.Vars[0].Value = 44 },
		[]string{"d4r_prep_blocks has another value than declared: want 40, got 44"}},
	{"hook symbol forgotten in .bss", func(o *codeobjtest.Object, w *codeobj.Want) { o.Vars[1].Zero = true },
		[]string{"d4r_block_z has another value than declared: want 4, got 0"}},
	{"undeclared hook symbol", func(o *codeobjtest.Object, w *codeobj.Want) {
		o.Vars = append(o.Vars, codeobjtest.Var{Name: "d4r_grid_x", Value: 60}, codeobjtest.Var{Name: "d4r_unused", Zero: true})
	}, []string{"d4r_grid_x = 60 is exported and would steer the launch, but it is not declared"}},
	{"unresolved", func(o *codeobjtest.Object, w *codeobj.Want) {
		o.Vars = append(o.Vars, codeobjtest.Var{Name: "__ockl_printf", Undefined: true})
	}, []string{"unresolved symbols, which no loader will find: __ockl_printf"}},

	{"wave64 where wave32 was promised", func(o *codeobjtest.Object, w *codeobj.Want) { o.Kernels[0].Wave = 64 }, []string{"wave size of k: want 32, got 64"}},
	{"prep in wave64", func(o *codeobjtest.Object, w *codeobj.Want) { o.Kernels[1].Wave = 64 }, []string{"wave size of k_prep: want 32, got 64"}},
	{"launch bound below block_z", func(o *codeobjtest.Object, w *codeobj.Want) { o.Kernels[0].MaxWorkgroup = 64 },
		[]string{"k may not be launched as it will be: launch bound (max_flat_workgroup_size): want at least 128 (32 lanes x d4r_block_z), got 64"}},
	{"launch bound of prep", func(o *codeobjtest.Object, w *codeobj.Want) { o.Kernels[1].MaxWorkgroup = 32 },
		[]string{"k_prep may not be launched as it will be: launch bound (max_flat_workgroup_size): want at least 128 (the block of a prep launch), got 32"}},
	{"dynamic stack", func(o *codeobjtest.Object, w *codeobj.Want) { o.Kernels[1].DynamicStack = true }, []string{"k_prep uses a dynamic stack"}},
	{"limits, in both kernels", func(o *codeobjtest.Object, w *codeobj.Want) {
		w.Limits.VGPRs, w.Limits.SGPRs, w.Limits.LDS = limit(8), limit(8), limit(4096)
		o.Kernels[0].VGPRSpills, o.Kernels[0].SGPRSpills, o.Kernels[1].Scratch = 2, 1, 24
	}, []string{"k over the limit, VGPRs: want at most 8, got 96", "k over the limit, SGPRs: want at most 8, got 18",
		"k over the limit, register spills: want at most 0, got 3", "k over the limit, bytes of LDS: want at most 4096, got 8192",
		"k_prep over the limit, VGPRs: want at most 8, got 12", "k_prep over the limit, bytes of scratch per lane: want at most 0, got 24"}},

	{"path in .comment", func(o *codeobjtest.Object, w *codeobj.Want) { o.Comment = "clang -I/home/ann/k -O3\x00" },
		[]string{`a path of the build machine is in .comment at offset 0x`}},
	{"path of the checkout", func(o *codeobjtest.Object, w *codeobj.Want) { o.Comment = "file:/srv7/checkout/kernels/k/a.hip\x00" },
		[]string{`"/srv7/checkout/kernels/k/a.hip"`}},
	{"path in the note", func(o *codeobjtest.Object, w *codeobj.Want) {
		o.Extra = func(b []byte) []byte { return append(append(b, "\xa6source\xb0"...), "/tmp/build/a.hip"...) }
	}, []string{`in .note at offset 0x`}},
	{"Windows path", func(o *codeobjtest.Object, w *codeobj.Want) { o.Comment = `from C:\Users\ann\k.hip` + "\x00" }, []string{`"C:\\Users\\ann\\k.hip"`}},
	{"path among instructions", func(o *codeobjtest.Object, w *codeobj.Want) { o.Text = []byte("\x00\x00/tmp/a.hip\x00\x00") },
		[]string{`is in .text at offset 0x`}},
	{"no path", func(o *codeobjtest.Object, w *codeobj.Want) {
		o.Comment, o.Text = "kernels/tmp/a.hip and/or/ homes a:/b\x00", []byte(`\x00\x00aC:\abc\d\x00`)
	}, nil},
	{"note lists a kernel twice", func(o *codeobjtest.Object, w *codeobj.Want) {
		k := o.Kernels[1]
		k.NoCode, k.NoDesc = true, true
		o.Kernels = append(o.Kernels, k)
	}, []string{"the note lists kernel k_prep twice"}},
	{"note without a number", func(o *codeobjtest.Object, w *codeobj.Want) {
		o.Kernels[0].Note = map[string]int{".vgpr_count": -1}
	}, []string{"kernel k has no .vgpr_count"}},
}

// descriptorEdit overwrites four bytes of the main kernel's descriptor.
func descriptorEdit(at int, v uint32) func(*codeobjtest.Object, *codeobj.Want) {
	return func(o *codeobjtest.Object, w *codeobj.Want) {
		o.Kernels[0].Descriptor = func(kd []byte) { binary.LittleEndian.PutUint32(kd[at:], v) }
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range refusals {
		t.Run(c.name, func(t *testing.T) {
			o, w := codeobjtest.New("k", "gfx1200"), soundWant()
			c.edit(o, &w)
			_, ps := codeobj.Check(o.Bytes(), w)
			expect(t, ps, c.want)
		})
	}
}

// expect wants exactly these problems, each by a part of its text.
func expect(t *testing.T, ps []codeobj.Problem, want []string) {
	t.Helper()
	left := ps
	for _, part := range want {
		found := false
		for i, p := range left {
			if strings.Contains(p.String(), part) {
				left, found = append(append([]codeobj.Problem{}, left[:i]...), left[i+1:]...), true
				break
			}
		}
		if !found {
			t.Errorf("not said: %s", part)
		}
	}
	for _, p := range left {
		t.Errorf("said without need: %v", p)
	}
	if t.Failed() {
		t.Logf("all: %v", ps)
	}
}
