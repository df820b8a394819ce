package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kmx/amdgpu/codeobj"
	"kmx/toolchains"
)

const kernel = `.version 8.3
.target sm_89
.address_size 64
.extern .func helper(.param .b64 helper_0);
.visible .entry k(.param .u64 k_0) {
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [k_0];
	st.global.u64 [%rd1], %rd1;
	BODY
	ret;
}
`

// call runs the program on a module with this body.
func call(t *testing.T, body string, env map[string]string, arch string) (code int, said, dir string) {
	t.Helper()
	dir = t.TempDir()
	in := filepath.Join(dir, "in.ptx")
	if err := os.WriteFile(in, []byte(strings.Replace(kernel, "BODY", body, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	var talk bytes.Buffer
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	code = run(t.Context(), []string{in, filepath.Join(dir, "out"), arch}, lookup, &talk)
	return code, talk.String(), filepath.Join(dir, "out")
}

func compilerHere(t *testing.T) {
	t.Helper()
	if _, err := toolchains.Find(context.Background(), toolchains.Request{Name: "emit", Kind: toolchains.KindClang}, nil); err != nil {
		t.Skip(err)
	}
}

func TestFiles(t *testing.T) {
	compilerHere(t)
	for wave, size := range map[string]int{"0": 32, "1": 64} {
		code, said, dir := call(t, "", map[string]string{"D4R_ZLUDA_WAVE64": wave, "D4R_ZLUDA_IMPLICIT_MAX_BLOCK": "128", "D4R_ZLUDA_IGNORE_DENORMAL": "1", "D4R_ZLUDA_FAST_MATH": "0", "D4R_ZLUDA_WMMA": "1"}, "gfx1101")
		if code != 0 || said != "" {
			t.Fatalf("%d: %s", code, said)
		}
		object, err := os.ReadFile(filepath.Join(dir, "module.hsaco"))
		if err != nil {
			t.Fatal(err)
		}
		o, problems := codeobj.Check(object, codeobj.Want{Name: "k", Target: "gfx1101", WaveSize: size, CodeObjectVersion: 5, Paths: []string{filepath.Dir(dir), os.TempDir()}})
		if len(problems) > 0 {
			t.Error(problems)
		}
		k, _ := o.Kernel("k")
		d, _ := o.Descriptor("k")
		// bits 12 to 19 are the float mode: f32 flushed, f16 and f64 kept
		if k.MaxWorkgroup != 128 || d.RSRC1>>12&0xff != 0xc0 {
			t.Errorf("at most %d threads, float mode %#x", k.MaxWorkgroup, d.RSRC1>>12&0xff)
		}
		if asm, err := os.ReadFile(filepath.Join(dir, "asm.s")); err != nil || !bytes.Contains(asm, []byte("s_endpgm")) {
			t.Errorf("asm.s: %v", err)
		}
	}
}

// What is wrong is said, all of it, and leaves no file behind.
func TestRefusals(t *testing.T) {
	tests := []struct {
		name, body string
		env        map[string]string
		arch       string
		code       int
		says       []string
	}{
		{"instructions", "cp.async.wait_all; sin.approx.f32 %f1, %f2;", nil, "gfx1201", 1, []string{"in.ptx:9:2", "cp is not translated", "in.ptx:9:21", "sin is not translated"}},
		{"a statement that is none", "mov %rd1 %rd2", nil, "gfx1201", 1, []string{"in.ptx:9"}},
		{"a function without bitcode", "call.uni helper, (%rd1);", nil, "gfx1201", 1, []string{"helper is an external function"}},
		{"bitcode that is not there", "call.uni helper, (%rd1);", map[string]string{"D4R_ZLUDA_EXTRA_BC": "nowhere.bc"}, "gfx1201", 5, []string{"nowhere.bc"}},
		{"another GPU", "", nil, "gfx900", 1, []string{`target "gfx900"`}},
		{"an environment that is wrong", "", map[string]string{"D4R_ZLUDA_WAVE64": "yes", "D4R_ZLUDA_IMPLICIT_MAX_BLOCK": "5000", "D4R_ZLUDA_FAST_MATH": "1"}, "gfx1201", 2,
			[]string{"D4R_ZLUDA_WAVE64", "D4R_ZLUDA_IMPLICIT_MAX_BLOCK", "D4R_ZLUDA_FAST_MATH"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.code == 5 {
				compilerHere(t)
			}
			code, said, dir := call(t, test.body, test.env, test.arch)
			if code != test.code {
				t.Errorf("exit code %d, want %d: %s", code, test.code, said)
			}
			for _, s := range test.says {
				if !strings.Contains(said, s) {
					t.Errorf("it does not say %q: %s", s, said)
				}
			}
			if _, err := os.Stat(dir); !os.IsNotExist(err) {
				t.Errorf("something was written: %v", err)
			}
		})
	}
	var talk bytes.Buffer
	if code := run(t.Context(), []string{"in.ptx"}, os.LookupEnv, &talk); code != 2 || !strings.Contains(talk.String(), "usage:") {
		t.Errorf("a wrong call: %d, %s", code, talk.String())
	}
	if code := run(t.Context(), []string{"nowhere.ptx", t.TempDir(), "gfx1201"}, os.LookupEnv, &talk); code != 5 {
		t.Errorf("no module: %d", code)
	}
}
