package emu_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"kmx/amdgpu/emu"
)

// faulty are kernels that each do one thing wrong. All take out and in.
const faulty = `
struct P { u32 *out; const u32 *in; };
#define VOLATILE(x) asm volatile("" : "+v"(x))
KERNEL void past_the_end(P p) { p.out[lane + 200] = 1; }
KERNEL void before_the_start(P p) { p.out[0] = p.in[(long)lane - 65536]; }
KERNEL void writes_constants(P p) { ((u32 *)p.in)[lane] = lane; }
KERNEL void odd_atomic(P p) { __atomic_fetch_add((u32 *)((char *)p.out + 2), 1u, __ATOMIC_RELAXED); }
KERNEL void beyond_lds(P p) {
  SHARED u32 s[64];
  u32 i = lane; VOLATILE(i);
  s[i + 40] = i; p.out[lane] = s[lane];
}
KERNEL void beyond_scratch(P p) {
  volatile u32 a[8];
  for (u32 i = 0; i < 8; i++) a[i] = i;
  u32 i = p.in[0] + 100000; a[i] = 3; p.out[lane] = a[3];
}
KERNEL void partial_permlane(P p) {
  u32 x = p.in[lane];
  if (lane < 16) { asm volatile("v_permlanex16_b32 %0, %0, %1, %2" : "+v"(x) : "s"(0x76543210), "s"(0xfedcba98)); }
  p.out[lane] = x;
}
KERNEL void partial_bpermute(P p) {
  u32 x = p.in[lane];
  if (lane < 16) x = __builtin_amdgcn_ds_bpermute(4 * (lane + 16), x);
  p.out[lane] = x;
}
#if defined(__GFX12__)
typedef _Float16 operand __attribute__((ext_vector_type(8)));
#define wmma __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12
#else
typedef _Float16 operand __attribute__((ext_vector_type(16)));
#define wmma __builtin_amdgcn_wmma_f32_16x16x16_f16_w32
#endif
typedef float accum __attribute__((ext_vector_type(8)));
KERNEL void partial_wmma(P p) {
  operand a = 1, b = 2; accum c = 0;
  asm volatile("" : "+v"(a), "+v"(b), "+v"(c));
  if (lane < 16) { c = wmma(a, b, c); asm volatile("" : "+v"(c)); }
  p.out[lane] = c[0];
}
KERNEL void unequal_halves(P p) {
  operand a = (f16)(float)lane, b = 2; accum c = 0;
  asm volatile("" : "+v"(a), "+v"(b), "+v"(c));
  c = wmma(a, b, c);
  p.out[lane] = c[0];
}
KERNEL void strange_message(P p) { p.out[lane] = 1; asm volatile("s_sendmsg sendmsg(MSG_INTERRUPT)"); }
KERNEL void wild_jump(P p) { asm volatile("s_mov_b64 s[0:1], 0x1234\n s_setpc_b64 s[0:1]" ::: "s0", "s1"); }
KERNEL void endless(P p) { for (;;) asm volatile("s_nop 0"); }
KERNEL void trap(P p) { if (p.in[0] == 0) __builtin_trap(); p.out[lane] = 1; }
KERNEL void no_barrier(P p) {
  SHARED u32 s[256];
  u32 i = lane; s[i] = p.in[i]; asm volatile("" ::: "memory");
  p.out[i] = s[i ^ 64];
}
KERNEL void one_barrier_of_two(P p) {
  SHARED u32 s[256];
  u32 i = lane, sum = 0;
  for (u32 n = 0; n < 4; n++) { s[i] = p.in[i] + n; barrier(); sum += s[i ^ 96]; asm volatile("" ::: "memory"); }
  p.out[i] = sum;
}
KERNEL void both_barriers(P p) {
  SHARED u32 s[256];
  u32 i = lane, sum = 0;
  for (u32 n = 0; n < 4; n++) { s[i] = p.in[i] + n; barrier(); sum += s[i ^ 96]; barrier(); }
  p.out[i] = sum;
}
KERNEL void barrier_without_wait(P p) {
  SHARED u32 s[256];
  u32 i = lane;
  u32 v = p.in[i];
  asm volatile("ds_store_b32 %0, %1" :: "v"((u32)(unsigned long long)(__attribute__((address_space(3))) u32*)&s[i]), "v"(v) : "memory");
  __builtin_amdgcn_s_barrier();
  asm volatile("" ::: "memory");
  p.out[i] = s[i ^ 64];
}
KERNEL void barrier_before_read_is_done(P p) {
  SHARED u32 s[256];
  u32 i = lane;
  s[i] = p.in[i]; barrier();
  u32 v;
  asm volatile("ds_load_b32 %0, %1" : "=v"(v) : "v"((u32)(unsigned long long)(__attribute__((address_space(3))) u32*)&s[i ^ 64]) : "memory");
  __builtin_amdgcn_s_barrier();
  s[i] = i; barrier();
  p.out[i] = v + s[i];
}
KERNEL void some_waves_end(P p) {
  SHARED u32 s[256];
  u32 i = lane;
  if (__builtin_amdgcn_readfirstlane(i) >= 128) return;
  s[i] = i; barrier(); p.out[i] = s[i ^ 32];
}
KERNEL void reads_unwritten(P p) {
  SHARED u32 s[256];
  if (lane < 32) s[lane] = 1;
  barrier();
  p.out[lane] = s[lane];
}
KERNEL void unset_register(P p) { u32 x; asm volatile("; %0" : "=v"(x)); p.out[lane] = x; }
KERNEL void bytes_of_a_word(P p) {
  SHARED u8 s[256];
  s[lane & 3 | lane >> 5 << 2 & 4] = 0;  // one wave, no race
  barrier();
  if ((lane & 31) == 0) s[lane >> 5] = lane >> 5;  // a byte a wave
  barrier();
  p.out[lane] = s[lane & 3];
}
#if defined(__GFX12__)
KERNEL void waits_unsignalled(P p) { p.out[lane] = 1; asm volatile("s_barrier_wait -1"); }
KERNEL void signals_twice(P p) { asm volatile("s_barrier_signal -1\n s_barrier_signal -1\n s_barrier_wait -1"); }
#endif
`

var (
	faultyMu       sync.Mutex
	faultyPrograms = map[string]*emu.Program{}
)

func faultyProgram(t *testing.T, target string) *emu.Program {
	t.Helper()
	faultyMu.Lock()
	defer faultyMu.Unlock()
	if faultyPrograms[target] == nil {
		faultyPrograms[target] = buildAny(t, faulty, target, "-O1")
	}
	return faultyPrograms[target]
}

// faultyDevice has out (writable) and in (read-only), of 128 words each.
func faultyDevice(t *testing.T) (*device, []byte) {
	d := newDevice(t)
	out := d.buffer("out", make([]byte, 4*256))
	at, err := d.MapReadOnly("in", 0, make([]byte, 4*256))
	if err != nil {
		t.Fatal(err)
	}
	d.args = binary.LittleEndian.AppendUint64(d.args, at)
	return d, out
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		kernel string
		block  uint32
		only   string // target
		kind   emu.FaultKind
		lane   int
		wants  []string // in the message
	}{
		{"past_the_end", 64, "", emu.OutOfBounds, 24, []string{"wave 1", "store", "0x0 bytes past the end of out", "past_the_end+0x"}},
		{"before_the_start", 32, "", emu.OutOfBounds, 0, []string{"load", "before in ("}},
		{"writes_constants", 32, "", emu.ReadOnly, 0, []string{"offset 0x0 of in", "_store_b32"}},
		{"odd_atomic", 32, "", emu.Misaligned, 0, []string{"atomic"}},
		{"beyond_lds", 64, "", emu.OutsideLDS, 24, []string{"0x100 of 256", "ds_store_b32"}},
		{"beyond_scratch", 32, "", emu.OutsideScratch, 0, []string{"private segment"}},
		{"partial_permlane", 32, "", emu.InactiveLane, 0, []string{"lane 16", "v_permlanex16_b32", "0x0000ffff"}},
		{"partial_bpermute", 32, "", emu.InactiveLane, 0, []string{"lane 16", "ds_bpermute_b32"}},
		{"partial_wmma", 32, "", emu.PartialExec, -1, []string{"EXEC is 0xffff,", "v_wmma_f32_16x16x16_f16"}},
		{"unequal_halves", 32, "gfx1101", emu.ReplicationBroken, 16, []string{"operand A"}},
		{"strange_message", 32, "", emu.NotModelled, -1, []string{"s_sendmsg sendmsg(MSG_INTERRUPT)", "not modelled"}},
		{"wild_jump", 32, "", emu.BadJump, -1, []string{"0x1234", "s_setpc_b64"}},
		{"endless", 32, "", emu.EndlessLoop, -1, []string{"the launch allows 100000"}},
		{"trap", 32, "", emu.Trapped, -1, []string{"s_trap 2"}},
		{"no_barrier", 128, "", emu.Race, 0, []string{"ds_", "no barrier", "wave 0 read it"}},
		{"one_barrier_of_two", 128, "", emu.Race, 0, []string{"wave 1 wrote it", "barriers passed: 1"}},
		{"barrier_without_wait", 128, "", emu.Race, 0, []string{"nobody waited for LDS", "barriers passed: 1"}},
		{"barrier_before_read_is_done", 128, "", emu.Race, 0, []string{"nobody waited for LDS", "barriers passed: 2"}},
		{"waits_unsignalled", 64, "gfx1201", emu.Deadlock, -1, []string{"s_barrier_wait", "not signalled"}},
		{"signals_twice", 64, "gfx1201", emu.Deadlock, -1, []string{"second time"}},
	} {
		for _, target := range generations {
			if c.only != "" && c.only != target {
				continue
			}
			t.Run(c.kernel+"/"+target, func(t *testing.T) {
				p := faultyProgram(t, target)
				d, _ := faultyDevice(t)
				_, err := d.launch(p, emu.Launch{Kernel: c.kernel, Block: [3]uint32{c.block}, MaxInstructions: 100000})
				f := asFault(t, err)
				if f.Kind != c.kind || f.Lane != c.lane || f.Kernel != c.kernel || f.PC == 0 {
					t.Errorf("%v at lane %d, want %v at %d: %v", f.Kind, f.Lane, c.kind, c.lane, f)
				}
				for _, want := range c.wants {
					if !strings.Contains(f.Error(), want) {
						t.Errorf("no %q in: %v", want, f)
					}
				}
			})
		}
	}
}

// TestMissingBarrierByOrder: with the check off, waves forward and backwards
// leave different bytes where a barrier is missing, and the same where none is.
func TestMissingBarrierByOrder(t *testing.T) {
	for _, target := range generations {
		p := faultyProgram(t, target)
		for kernel, same := range map[string]bool{"no_barrier": false, "one_barrier_of_two": false, "both_barriers": true} {
			var results [][]byte
			for _, order := range []emu.Order{emu.Forward, emu.Reverse, emu.Interleaved} {
				d := newDevice(t)
				out := d.buffer("out", make([]byte, 4*256))
				in := make([]byte, 4*256)
				for i := range 256 {
					binary.LittleEndian.PutUint32(in[4*i:], uint32(i*i+1))
				}
				d.buffer("in", in)
				d.mustLaunch(p, emu.Launch{Kernel: kernel, Block: [3]uint32{256}, Order: order, AllowRaces: true})
				results = append(results, out)
			}
			if got := bytes.Equal(results[0], results[1]) && bytes.Equal(results[0], results[2]); got != same {
				t.Errorf("%s %s: the orders agree: %v, want %v", target, kernel, got, same)
			}
		}
	}
}

func TestNoFalseRace(t *testing.T) {
	for _, target := range generations {
		p := faultyProgram(t, target)
		for _, kernel := range []string{"both_barriers", "some_waves_end", "bytes_of_a_word"} {
			for _, order := range []emu.Order{emu.Forward, emu.Reverse, emu.Interleaved} {
				if kernel == "bytes_of_a_word" && order != emu.Forward {
					continue
				}
				d, _ := faultyDevice(t)
				block := uint32(256)
				if kernel == "bytes_of_a_word" {
					block = 32
				}
				d.mustLaunch(p, emu.Launch{Kernel: kernel, Block: [3]uint32{block}, Order: order})
			}
		}
	}
}

func TestUninitialised(t *testing.T) {
	for _, target := range generations {
		p := faultyProgram(t, target)
		d, _ := faultyDevice(t)
		l := emu.Launch{Kernel: "reads_unwritten", Block: [3]uint32{64}}
		d.mustLaunch(p, l)
		l.CheckUninitialised = true
		_, err := d.launch(p, l)
		if f := asFault(t, err); f.Kind != emu.Uninitialised || f.Wave != 1 {
			t.Errorf("%s: %v", target, f)
		}
		// registers have no such check: two poisons show it
		var seen [][]byte
		for _, poison := range []uint32{0, 0x01020304} {
			d, out := faultyDevice(t)
			d.mustLaunch(p, emu.Launch{Kernel: "unset_register", Block: [3]uint32{32}, Poison: poison})
			seen = append(seen, out[:4])
		}
		if word(seen[0], 0) != emu.DefaultPoison || word(seen[1], 0) != 0x01020304 {
			t.Errorf("%s: an unset register held %x and %x", target, seen[0], seen[1])
		}
	}
}

func TestStopped(t *testing.T) {
	p := faultyProgram(t, "gfx1201")
	d, _ := faultyDevice(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := p.Launch(ctx, d.Memory, emu.Launch{Kernel: "endless", Args: d.args, Block: [3]uint32{32}})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a launch whose context ends returns %v", err)
	}
}

func TestLaunchRefusals(t *testing.T) {
	p := faultyProgram(t, "gfx1201")
	d, _ := faultyDevice(t)
	for want, l := range map[string]emu.Launch{
		`no kernel "nothing"`:            {Kernel: "nothing", Args: d.args},
		"explicit parameters":            {Kernel: "trap", Args: d.args[:4]},
		"the launch has 1025":            {Kernel: "trap", Args: d.args, Block: [3]uint32{1025}},
		"a work-group has at most 65536": {Kernel: "trap", Args: d.args, DynamicLDS: 65537},
	} {
		if _, err := p.Launch(t.Context(), d.Memory, l); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
}

func TestLoadRefusals(t *testing.T) {
	dump := objdump(t)
	for want, object := range map[string][]byte{
		"not an ELF":    []byte("plainly not an object"),
		"file is empty": nil,
	} {
		if _, err := emu.Load(t.Context(), object, dump); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
}

func TestMapRefusals(t *testing.T) {
	m := emu.NewMemory()
	if _, err := m.Map("a", 0x5000, make([]byte, 256)); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Map("b", 0x50ff, make([]byte, 1)); err == nil || !strings.Contains(err.Error(), "overlaps a") {
		t.Errorf("overlap: %v", err)
	}
	if _, err := m.Map("c", 1<<63, make([]byte, 16)); err == nil {
		t.Error("an address of an aperture was accepted")
	}
	if err := m.Unmap(0x5000); err != nil {
		t.Error(err)
	}
	if err := m.Unmap(0x5000); err == nil {
		t.Error("unmapped twice")
	}
}
