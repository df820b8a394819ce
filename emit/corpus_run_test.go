package emit_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"kmx/amdgpu/codeobj"
	"kmx/amdgpu/emu"
	"kmx/cuda/ptx"
	"kmx/emit"
	"kmx/emit/emittest"
	"kmx/emit/emittest/emulated"
)

// launchCase runs a kernel and gives what its outputs hold.
func launchCase(t *testing.T, c emittest.Case, m *ptx.Module, p *emu.Program, o emit.Options) [][]byte {
	t.Helper()
	out, err := emulated.NewDevice(o.Target).Run(t.Context(), emulated.Launch{Program: p, Entry: m.Function(c.Name), Case: c})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// compareCodes compares images field by field: neighbours are equal.
func compareCodes(t *testing.T, p emittest.Param, got, want []byte, fields []int) {
	t.Helper()
	for i := range p.Count {
		g, w := p.Type.Get(got, i), p.Type.Get(want, i)
		at := 0
		for _, n := range fields {
			a, b := int64(g>>at&(1<<n-1)), int64(w>>at&(1<<n-1))
			if p.Type.Base == 's' {
				a, b = sign(uint64(a), n), sign(uint64(b), n)
			}
			if d := a - b; d < -1 || d > 1 {
				t.Fatalf("%s[%d]: %#x, the GPU gave %#x", p.Name, i, g, w)
			}
			at += n
		}
	}
}

// runCorpus compiles kernels together and runs each.
func runCorpus(t *testing.T, cases []emittest.Case, o emit.Options) {
	var b bytes.Buffer
	b.WriteString(header)
	var alone []emittest.Case
	together := map[string]string{}
	for _, c := range cases {
		if !addSingle(c, &b, together) {
			alone = append(alone, c)
		}
	}
	m := parse(t, b.String())
	ir := lower(t, m, "", o)
	p := loadCorpus(t, ir, o)
	for _, c := range cases {
		if together[c.Name] == "" {
			continue
		}
		t.Run(c.Name, func(t *testing.T) { runCase(t, c, m, p, o) })
	}
	for _, c := range alone {
		t.Run(c.Name, func(t *testing.T) {
			m := corpusModule(t, c)
			runCase(t, c, m, loadCorpus(t, lower(t, m, c.Name, o), o), o)
		})
	}
}

// addSingle adds a kernel, with the declarations of its module, to the text of
// another module; seen are those that are there, by name. It does not where two
// modules mean different things by a name.
func addSingle(c emittest.Case, b *bytes.Buffer, seen map[string]string) bool {
	m, err := ptx.Parse(c.File, c.Text)
	if err != nil {
		return false
	}
	add := map[string]string{}
	var order []string
	declare := func(name string, at ptx.Span) bool {
		text := m.Source(at)
		if old, ok := seen[name]; ok {
			return old == text
		}
		add[name] = text
		order = append(order, name)
		return true
	}
	for _, v := range m.Variables() {
		if !declare(v.Name, v.Statement) {
			return false
		}
	}
	for _, f := range m.Functions() {
		if f.Entry && f.Name != c.Name || !declare(f.Name, f.Span) {
			return false
		}
	}
	for _, name := range order {
		seen[name] = add[name]
		b.WriteString(add[name] + "\n")
	}
	return true
}

func loadCorpus(t *testing.T, ir []byte, o emit.Options) *emu.Program {
	t.Helper()
	dir := t.TempDir()
	from, to := filepath.Join(dir, "kernels.ll"), filepath.Join(dir, "kernels.hsaco")
	if err := os.WriteFile(from, ir, 0o644); err != nil {
		t.Fatal(err)
	}
	runClang(t, emit.Args(o, from, to, false)...)
	object, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	read, err := codeobj.Read(object)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range read.Kernels {
		wave := 32
		if o.Wave64 {
			wave = 64
		}
		if _, problems := codeobj.Check(object, codeobj.Want{Name: k.Name, Target: o.Target, WaveSize: wave, CodeObjectVersion: 5, Paths: []string{dir}}); len(problems) > 0 {
			t.Fatalf("%s: %v", k.Name, problems)
		}
	}
	p, err := emu.Load(t.Context(), object, objdump(t))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// runCase launches a kernel and compares its outputs with the vectors.
func runCase(t *testing.T, c emittest.Case, m *ptx.Module, p *emu.Program, o emit.Options) {
	got := launchCase(t, c, m, p, o)
	for i, param := range c.Params {
		if fields := oneCode[c.Name]; fields != nil && param.Out {
			compareCodes(t, param, got[i], c.Want[i], fields)
			return
		}
	}
	if err := c.Check(got); err != nil {
		t.Error(fmt.Errorf("%s: %w", c.About, err))
	}
}
