package emu_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kmx/amdgpu/emu"
	"kmx/toolchains/toolchaintest"
)

func objdump(t testing.TB) string {
	t.Helper()
	path, err := emu.FindObjdump()
	if err != nil {
		t.Skip(err)
	}
	return path
}

// prelude is what every test kernel may use.
const prelude = `
using u8 = unsigned char; using i8 = signed char; using u16 = unsigned short; using i16 = short;
using u32 = unsigned; using i32 = int; using u64 = unsigned long; using i64 = long; using f16 = _Float16;
#define KERNEL extern "C" __attribute__((global))
#define DEVICE __attribute__((device))
#define SHARED __attribute__((shared)) static
#define lane __builtin_amdgcn_workitem_id_x()
#define group __builtin_amdgcn_workgroup_id_x()
DEVICE inline void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
`

// build compiles a source and loads the object, all of which must be modelled.
func build(t testing.TB, source, target string, flags ...string) *emu.Program {
	t.Helper()
	p := buildAny(t, source, target, flags...)
	if list := p.Unsupported(); len(list) > 0 {
		t.Fatalf("%s: %d instructions are not modelled:\n%s", target, len(list), strings.Join(list[:min(len(list), 12)], "\n"))
	}
	return p
}

func buildAny(t testing.TB, source, target string, flags ...string) *emu.Program {
	t.Helper()
	p, err := emu.Load(t.Context(), compile(t, source, target, flags...), objdump(t))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// compile makes an object of a source with the prelude before it.
func compile(t testing.TB, source, target string, flags ...string) []byte {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "k.hip"), []byte(prelude+source), 0o644); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-x", "hip", "--offload-arch=" + target, "--offload-device-only", "--no-gpu-bundle-output",
		"-nogpuinc", "-nogpulib", "-nostdlibinc", "--no-default-config", "-std=c++20", "-O3", "-fuse-cuid=none", "-ffp-contract=off",
		"-mcode-object-version=5", "-mllvm", "-disable-machine-sink", "-w", "-o", "k.hsaco"}, append(flags, "k.hip")...)
	cmd := toolchaintest.Clang(t, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, stderr.String())
	}
	object, err := os.ReadFile(filepath.Join(dir, "k.hsaco"))
	if err != nil {
		t.Fatal(err)
	}
	return object
}

// device is an address space with what a test mapped.
type device struct {
	testing.TB
	*emu.Memory
	args []byte
}

func newDevice(t testing.TB) *device { return &device{TB: t, Memory: emu.NewMemory()} }

// buffer maps data and adds its address to the parameters.
func (d *device) buffer(name string, data []byte) []byte {
	d.Helper()
	at, err := d.Map(name, 0, data)
	if err != nil {
		d.Fatal(err)
	}
	d.args = binary.LittleEndian.AppendUint64(d.args, at)
	return data
}

// launch runs a kernel with the parameters so far.
func (d *device) launch(p *emu.Program, l emu.Launch) (*emu.Stats, error) {
	l.Args = d.args
	return p.Launch(d.Context(), d.Memory, l)
}

// mustLaunch fails the test on a fault.
func (d *device) mustLaunch(p *emu.Program, l emu.Launch) *emu.Stats {
	d.Helper()
	s, err := d.launch(p, l)
	if err != nil {
		d.Fatal(err)
	}
	return s
}

func word(b []byte, i int) uint32 { return binary.LittleEndian.Uint32(b[4*i:]) }

func asFault(t testing.TB, err error) *emu.Fault {
	t.Helper()
	var f *emu.Fault
	if !errors.As(err, &f) {
		t.Fatalf("not a fault: %v", err)
	}
	return f
}

var generations = []string{"gfx1101", "gfx1201"}

// TestLaunch is also the shortest way to run a kernel: load an object, map
// buffers, put their addresses in the parameter block, launch, read back.
func TestLaunch(t *testing.T) {
	const source = `
struct P { u32 *out; const u32 *in; u32 add; };
KERNEL void k(P p) { u32 i = group * 64 + lane; p.out[i] = p.in[i] * 3 + p.add; }`
	for _, target := range generations {
		p := build(t, source, target)
		m := emu.NewMemory()
		in, out := make([]byte, 4*256), make([]byte, 4*256)
		for i := range 256 {
			binary.LittleEndian.PutUint32(in[4*i:], uint32(i*i))
		}
		outAt, err := m.Map("out", 0, out)
		if err != nil {
			t.Fatal(err)
		}
		inAt, err := m.MapReadOnly("in", 0, in)
		if err != nil {
			t.Fatal(err)
		}
		args := binary.LittleEndian.AppendUint64(nil, outAt)
		args = binary.LittleEndian.AppendUint64(args, inAt)
		args = binary.LittleEndian.AppendUint32(args, 7)
		stats, err := p.Launch(context.Background(), m, emu.Launch{Kernel: "k", Grid: [3]uint32{4}, Block: [3]uint32{64}, Args: args})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 256 {
			if got, want := word(out, i), uint32(i*i*3+7); got != want {
				t.Fatalf("%s: out[%d] = %d, want %d", target, i, got, want)
			}
		}
		if stats.Waves != 8 || stats.GlobalStored != 4*256 || stats.GlobalLoaded != 4*256 || stats.Instructions[emu.ClassVALU] == 0 {
			t.Errorf("%s: %v", target, stats)
		}
		t.Logf("%s: %v", target, stats)
	}
}
