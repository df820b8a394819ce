package emit_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kmx/amdgpu/codeobj"
	"kmx/amdgpu/emu"
	"kmx/cuda/ptx"
	"kmx/emit"
	"kmx/toolchains/toolchaintest"
)

// header stands before the functions of every test module.
const header = ".version 8.3\n.target sm_89\n.address_size 64\n\n"

// everything: the documented switch for everything.
func everything() bool { return os.Getenv("KMX_TEST_ALL") == "1" }

// some are the machines that the tables of instructions run on: both generations
// and wave sizes, every combination where everything is asked for.
func some() []emit.Options {
	if everything() {
		return slices.Clone(builds)
	}
	return []emit.Options{builds[0], builds[3]}
}

// builds are the machines of the corpus.
var builds = []emit.Options{
	{Target: "gfx1100"}, {Target: "gfx1100", Wave64: true},
	{Target: "gfx1201"}, {Target: "gfx1201", Wave64: true},
}

// shortly leaves one machine under -short, as the race detector runs the tests.
func shortly(list []emit.Options) []emit.Options {
	if testing.Short() {
		return list[len(list)-1:]
	}
	return list
}

func name(o emit.Options) string {
	s := o.Target
	if o.Wave64 {
		s += "-wave64"
	}
	if o.Denormals {
		s += "-denormals"
	}
	return s
}

func objdump(t testing.TB) string {
	t.Helper()
	path, err := emu.FindObjdump()
	if err != nil {
		t.Skip(err)
	}
	return path
}

func parse(t testing.TB, text string) *ptx.Module {
	t.Helper()
	m, err := ptx.Parse(strings.ReplaceAll(t.Name(), "/", "_")+".ptx", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// lower is Lower for what must be translated.
func lower(t testing.TB, m *ptx.Module, kernel string, o emit.Options) []byte {
	t.Helper()
	ir, err := emit.Lower(m, kernel, o)
	if err != nil {
		t.Fatal(err)
	}
	return ir
}

// compile makes an object of IR and checks it as a build would.
func compile(t testing.TB, ir []byte, kernel string, o emit.Options) []byte {
	t.Helper()
	dir := t.TempDir()
	from, to := filepath.Join(dir, "kernel.ll"), filepath.Join(dir, "module.hsaco")
	if err := os.WriteFile(from, ir, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := toolchaintest.Clang(t, emit.Args(o, from, to, false)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %v\n%s\n%s", cmd, err, stderr.String(), numbered(ir))
	}
	if stderr.Len() > 0 {
		t.Errorf("the compiler says: %s", stderr.String())
	}
	object, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	wave := 32
	if o.Wave64 {
		wave = 64
	}
	if _, problems := codeobj.Check(object, codeobj.Want{Name: kernel, Target: o.Target, WaveSize: wave, CodeObjectVersion: 5, Paths: []string{dir}}); len(problems) > 0 {
		t.Errorf("%s for %s: %v", kernel, name(o), problems)
	}
	return object
}

func numbered(ir []byte) string {
	var b strings.Builder
	for i, l := range strings.Split(string(ir), "\n") {
		fmt.Fprintf(&b, "%4d %s\n", i+1, l)
	}
	return b.String()
}

// program translates and compiles a kernel and loads it.
func program(t testing.TB, m *ptx.Module, kernel string, o emit.Options) *emu.Program {
	t.Helper()
	p, err := emu.Load(t.Context(), compile(t, lower(t, m, kernel, o), kernel, o), objdump(t))
	if err != nil {
		t.Fatal(err)
	}
	if list := p.Unsupported(); len(list) > 0 {
		t.Fatalf("%s: not modelled:\n%s", name(o), strings.Join(list[:min(len(list), 12)], "\n"))
	}
	return p
}

// device is an address space and the parameters of a launch.
type device struct {
	testing.TB
	*emu.Memory
	args []byte
}

func newDevice(t testing.TB) *device { return &device{TB: t, Memory: emu.NewMemory()} }

// buffer maps bytes and adds their address to the parameters.
func (d *device) buffer(name string, data []byte) []byte {
	d.Helper()
	at, err := d.Map(name, 0, data)
	if err != nil {
		d.Fatal(err)
	}
	d.args = binary.LittleEndian.AppendUint64(d.args, at)
	return data
}

func (d *device) launch(p *emu.Program, l emu.Launch) {
	d.Helper()
	l.Args = d.args
	if _, err := p.Launch(d.Context(), d.Memory, l); err != nil {
		d.Fatal(err)
	}
}
