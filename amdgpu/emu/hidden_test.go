package emu_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"kmx/amdgpu/emu"
)

// dispatched are kernels that ask where they are.
const dispatched = `
struct P { u32 *out; };
#define HIDDEN(T, at) *(const T __attribute__((address_space(4))) *)((const char __attribute__((address_space(4))) *)__builtin_amdgcn_implicitarg_ptr() + (at))
__attribute__((device)) u32 counter = 5;
extern "C" __attribute__((device)) u32 exported = 11;
extern "C" __attribute__((device)) const u32 d4r_test = 42;
DEVICE u32 table[4] = {10, 20, 30, 40};
DEVICE u32 *pointers[2] = {&table[1], &table[3]};
KERNEL void ids(P p) {
  u32 x = __builtin_amdgcn_workitem_id_x(), y = __builtin_amdgcn_workitem_id_y(), z = __builtin_amdgcn_workitem_id_z();
  u32 gx = __builtin_amdgcn_workgroup_id_x(), gy = __builtin_amdgcn_workgroup_id_y(), gz = __builtin_amdgcn_workgroup_id_z();
  u32 at = ((gz * 3 + gy) * 2 + gx) * 60 + (z * 3 + y) * 5 + x;
  p.out[at] = x | y << 4 | z << 8 | gx << 12 | gy << 16 | gz << 20;
}
KERNEL void sizes(P p) {
  p.out[0] = __builtin_amdgcn_workgroup_size_x(); p.out[1] = __builtin_amdgcn_workgroup_size_y(); p.out[2] = __builtin_amdgcn_workgroup_size_z();
  for (int i = 0; i < 3; i++) { p.out[3 + i] = HIDDEN(u32, 4 * i); }
  p.out[6] = HIDDEN(u16, 64);
}
KERNEL void packet(P p) {
  p.out[0] = __builtin_amdgcn_workgroup_size_x(); p.out[1] = __builtin_amdgcn_workgroup_size_y();
  p.out[2] = __builtin_amdgcn_grid_size_x(); p.out[3] = __builtin_amdgcn_grid_size_z();
}
KERNEL void dynamic(P p) {
  extern SHARED_DYNAMIC u32 s[];
  s[lane] = lane * 3; barrier(); p.out[lane] = s[lane ^ 1];
}
KERNEL void globals(P p) {
  if (lane == 0) { counter++; exported += counter; }
  p.out[lane] = *pointers[lane & 1];
}
KERNEL void atomics(P p) { __atomic_fetch_add(p.out, lane, __ATOMIC_RELAXED); __atomic_fetch_add((u64 *)(p.out + 2), (u64)lane << 31, __ATOMIC_RELAXED); }
`

func dispatchedProgram(t *testing.T, target string, flags ...string) *emu.Program {
	flags = append(flags, "-DSHARED_DYNAMIC=__attribute__((shared))")
	return build(t, dispatched, target, flags...)
}

func TestDispatch(t *testing.T) {
	for _, c := range []struct {
		target string
		flags  []string
	}{
		{"gfx1100", nil}, // reserves user SGPRs because of a hardware bug
		{"gfx1101", []string{"-mcode-object-version=4"}},
		{"gfx1102", []string{"-mwavefrontsize64", "-O1"}},
		{"gfx1201", nil},
	} {
		t.Run(c.target, func(t *testing.T) {
			p := dispatchedProgram(t, c.target, c.flags...)
			d := newDevice(t)
			out := d.buffer("out", make([]byte, 4*60*18))
			d.mustLaunch(p, emu.Launch{Kernel: "ids", Grid: [3]uint32{2, 3, 3}, Block: [3]uint32{5, 3, 4}})
			for i := range 60 * 18 {
				g, l := i/60, i%60
				want := uint32(l%5 | l/5%3<<4 | l/15<<8 | g%2<<12 | g/2%3<<16 | g/6<<20)
				if got := word(out, i); got != want {
					t.Fatalf("ids[%d] = %#x, want %#x", i, got, want)
				}
			}
			if c.target != "gfx1101" { // code object 4 has other hidden arguments
				d.mustLaunch(p, emu.Launch{Kernel: "sizes", Grid: [3]uint32{7, 8, 9}, Block: [3]uint32{4, 2, 3}, Workers: 1})
				var got []uint32
				for i := range 7 {
					got = append(got, word(out, i))
				}
				if !slices.Equal(got, []uint32{4, 2, 3, 7, 8, 9, 3}) {
					t.Errorf("sizes: %d", got)
				}
			}
			// the packet counts work-items; with code object 4 sizes come from it too
			d.mustLaunch(p, emu.Launch{Kernel: "packet", Grid: [3]uint32{7, 1, 5}, Block: [3]uint32{4, 2, 3}, Workers: 1})
			if got := [4]uint32{word(out, 0), word(out, 1), word(out, 2), word(out, 3)}; got != [4]uint32{4, 2, 28, 15} {
				t.Errorf("packet: %d", got)
			}
			d.mustLaunch(p, emu.Launch{Kernel: "dynamic", Block: [3]uint32{128}, DynamicLDS: 512})
			if got := word(out, 100); got != 303 {
				t.Errorf("dynamic LDS: %d", got)
			}
			if f := asFault(t, second(d.launch(p, emu.Launch{Kernel: "dynamic", Block: [3]uint32{128}, DynamicLDS: 508}))); f.Kind != emu.OutsideLDS {
				t.Error(f)
			}
		})
	}
}

func second[A, B any](_ A, b B) B { return b }

// TestVariables: variables of the object keep their values between launches and
// differ between address spaces; pointers to them are relocated.
func TestVariables(t *testing.T) {
	p := dispatchedProgram(t, "gfx1201")
	if v, ok := p.Symbol("d4r_test"); !ok || v != 42 {
		t.Errorf("d4r_test = %d, %v", v, ok)
	}
	d := newDevice(t)
	out := d.buffer("out", make([]byte, 4*32))
	for range 3 {
		d.mustLaunch(p, emu.Launch{Kernel: "globals", Block: [3]uint32{32}})
		if word(out, 0) != 20 || word(out, 1) != 40 {
			t.Errorf("through pointers: %d, %d", word(out, 0), word(out, 1))
		}
	}
	b, err := d.Variable(p, "exported")
	if err != nil || binary.LittleEndian.Uint32(b) != 11+6+7+8 {
		t.Errorf("exported is % x, %v", b, err)
	}
	fresh := newDevice(t)
	if b, err := fresh.Variable(p, "exported"); err != nil || binary.LittleEndian.Uint32(b) != 11 {
		t.Errorf("in a new address space exported is % x, %v", b, err)
	}
	if _, err := d.Variable(p, "nothing"); err == nil {
		t.Error("a variable that is not there was found")
	}
}

// TestWorkers: any number of workers gives the same bytes and the same counts.
func TestWorkers(t *testing.T) {
	p := dispatchedProgram(t, "gfx1101")
	var first []byte
	var counted string
	for _, workers := range []int{1, 2, 7} {
		d := newDevice(t)
		out := d.buffer("out", make([]byte, 16))
		s := d.mustLaunch(p, emu.Launch{Kernel: "atomics", Grid: [3]uint32{100}, Block: [3]uint32{96}, Workers: workers})
		if word(out, 0) != 100*96*95/2 || binary.LittleEndian.Uint64(out[8:]) != 100*96*95/2<<31 {
			t.Errorf("%d workers: % x", workers, out)
		}
		if first == nil {
			first, counted = out, s.String()
		} else if !bytes.Equal(first, out) || counted != s.String() {
			t.Errorf("%d workers: %v, one: %s", workers, s, counted)
		}
		ends, all := int64(0), int64(0)
		for _, l := range p.Mnemonics(s) {
			all += l.Count
			if l.Text == "s_endpgm" {
				ends = l.Count
			}
		}
		if lines := p.Profile(s); ends != 300 || all != s.Total() || lines[0].Count < lines[len(lines)-1].Count || lines[0].Place == "" {
			t.Errorf("%d waves ended, %d instructions of %d; %v", ends, all, s.Total(), lines)
		}
	}
}
