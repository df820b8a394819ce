package codeobj_test

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"kmx/amdgpu/codeobj"
	"kmx/toolchains/toolchaintest"
)

// compile returns the object and the compiler's remarks.
func compile(t *testing.T, source, target string, flags ...string) (object []byte, remarks string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "k.hip"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-x", "hip", "--offload-arch=" + target, "--offload-device-only", "--no-gpu-bundle-output",
		"-nogpuinc", "-nogpulib", "-nostdlibinc", "--no-default-config", "-std=c++20", "-O3", "-fuse-cuid=none",
		"-mcode-object-version=5", "-Rpass-analysis=kernel-resource-usage", "-o", "k.hsaco"}, append(flags, "k.hip")...)
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
	return object, stderr.String()
}

const realKernel = `
extern "C" __device__ const unsigned d4r_prep_blocks = 40;
extern "C" __device__ const unsigned d4r_block_z = 4;
extern "C" __device__ const unsigned d4r_prep_key_at = 0;
struct P { float *out; const float *in; };
extern "C" __attribute__((global, amdgpu_flat_work_group_size(1, 128))) void k(P p) {
	static __attribute__((shared)) float s[64];
	unsigned t = __builtin_amdgcn_workitem_id_x();
	s[t & 63] = p.in[t];
	__builtin_amdgcn_s_barrier();
	p.out[t] = s[(t + 1) & 63];
}
extern "C" __attribute__((global, amdgpu_flat_work_group_size(1, 128))) void k_prep(P p) {
	unsigned t = __builtin_amdgcn_workitem_id_x();
	p.out[t] = p.in[t] * 2;
}`

const deviceMacro = "-D__device__=__attribute__((device))"

func TestRealObject(t *testing.T) {
	w := soundWant()
	w.Limits = codeobj.Limits{VGPRs: limit(8), SGPRs: limit(16), Spills: limit(0), Scratch: limit(0), LDS: limit(256)}
	w.Target = "gfx1201"
	newer, _ := compile(t, realKernel, "gfx1201", deviceMacro)
	o, ps := codeobj.Check(newer, w)
	expect(t, ps, nil)
	k, _ := o.Kernel("k")
	if k.CodeBytes == 0 || k.LDS != 256 || k.Kernarg != 16 || !k.WGPMode || k.Waves("gfx1201") != 16 {
		t.Errorf("%+v", k)
	}
	everyCut(t, newer, w)

	// the field fault: this object in the folder of its sibling
	w.Target = "gfx1200"
	_, ps = codeobj.Check(newer, w)
	expect(t, ps, []string{"this is a gfx1201 object in a gfx1200 folder: machine in the ELF flags (offset 0x30): want 0x48, got 0x4e"})
	older, _ := compile(t, realKernel, "gfx1200", deviceMacro)
	p, ps := codeobj.Check(older, w)
	expect(t, ps, nil)
	if !bytes.Equal(o.Text(), p.Text()) || !bytes.Equal(o.Data(), p.Data()) || bytes.Equal(newer, older) {
		t.Error("gfx1200 and gfx1201 should differ in metadata only")
	}

	wide, _ := compile(t, realKernel, "gfx1200", deviceMacro, "-mwavefrontsize64")
	_, ps = codeobj.Check(wide, w)
	expect(t, ps, []string{"wave size of k: want 32, got 64", "wave size of k_prep: want 32, got 64"})
}

// What an object says stays when its bytes are used for something else.
func TestWithoutBytes(t *testing.T) {
	data, _ := compile(t, realKernel, "gfx1201", deviceMacro)
	want, err := codeobj.Read(bytes.Clone(data))
	if err != nil {
		t.Fatal(err)
	}
	o, err := codeobj.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	o = o.WithoutBytes()
	for i := range data {
		data[i] = 0xff
	}
	if !reflect.DeepEqual(o.Kernels, want.Kernels) || !reflect.DeepEqual(o.Symbols, want.Symbols) || o.Target != want.Target || o.Size != want.Size ||
		!reflect.DeepEqual(o.Hook(), want.Hook()) {
		t.Errorf("%+v\n%+v", o, want)
	}
	if _, ok := o.Descriptor("k"); ok || len(o.Text())+len(o.Data())+len(o.Segments()) > 0 {
		t.Error("there is code in it")
	}
}

func TestRealLinkage(t *testing.T) {
	w := soundWant()
	w.Limits = codeobj.Limits{}
	block := strings.Replace(realKernel, `extern "C" __device__ const unsigned d4r_block_z = 4;`,
		`extern "C" { __device__ const unsigned d4r_block_z = 4; }`, 1)
	object, _ := compile(t, block, "gfx1200", deviceMacro)
	_, ps := codeobj.Check(object, w)
	expect(t, ps, []string{"d4r_block_z = 4 is declared but the object does not export it"})

	// a linker script makes it local, and .symtab still knows it
	script := filepath.Join(t.TempDir(), "local.map")
	if err := os.WriteFile(script, []byte("{ local: d4r_block_z; };\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	object, _ = compile(t, realKernel, "gfx1200", deviceMacro, "-Xoffload-linker", "--version-script="+script)
	_, ps = codeobj.Check(object, w)
	expect(t, ps, []string{"d4r_block_z = 4 lost its linkage: it is in the object as LOCAL PROTECTED but not exported"})

	dir := strings.Replace(realKernel, `void k_prep(P p) {`, `void k_prep(P p) { asm volatile("; %0" :: "s"(__FILE__));`, 1)
	object, _ = compile(t, dir, "gfx1200", deviceMacro, "-ffile-prefix-map=k.hip=/srv7/checkout/k.hip")
	_, ps = codeobj.Check(object, w)
	expect(t, ps, []string{`a path of the build machine is in .rodata at offset 0x`})
}

// occupancyKernels vary registers, LDS and work-group size.
const occupancyKernels = `
#define K(NAME, ITEMS, LDS, LAST) extern "C" __attribute__((global, amdgpu_flat_work_group_size(1, ITEMS))) void NAME(float *p) { \
	static __attribute__((shared)) char s[LDS]; \
	s[__builtin_amdgcn_workitem_id_x()] = 1; __builtin_amdgcn_s_barrier(); \
	p[0] = s[__builtin_amdgcn_workitem_id_x() ^ 1]; asm volatile("" ::: LAST); }
K(a, 32, 64, "v7")       K(b, 64, 64, "v63")      K(c, 64, 64, "v71")     K(d, 64, 64, "v95")    K(e, 64, 64, "v96")
K(f, 128, 24576, "v7")   K(g, 128, 24577, "v7")   K(h, 256, 28672, "v7")  K(i, 512, 53248, "v7") K(j, 128, 14464, "v7")
K(l, 256, 65536, "v7")   K(m, 64, 512, "v7")      K(n, 1024, 64, "v7")    K(o, 1024, 49152, "v7") K(p, 96, 3000, "v7")
K(q, 128, 8192, "v127")  K(r, 128, 8192, "v128")  K(s, 128, 8192, "v191") K(t, 32, 30000, "v7")  K(u, 128, 64, "v255")
K(v, 200, 9000, "v7")    K(x, 64, 64, "v11")      K(y, 64, 64, "v47")     K(z, 64, 64, "v48")`

var (
	remarkName      = regexp.MustCompile(`Function Name: (\w+)`)
	remarkOccupancy = regexp.MustCompile(`Occupancy \[waves/SIMD\]: (\d+)`)
)

// TestWavesAgreeWithClang compares Waves with the compiler's own remark.
func TestWavesAgreeWithClang(t *testing.T) {
	if version, err := toolchaintest.Clang(t, "--version").Output(); err != nil || !bytes.Contains(version, []byte("clang version 19.")) {
		t.Skipf("the rule is that of clang 19's remark, this is %.60q (%v)", version, err)
	}
	compared, values := 0, map[int]bool{}
	for _, c := range []struct {
		target string
		flags  []string
	}{
		{"gfx1100", nil}, {"gfx1101", []string{"-mcumode"}}, {"gfx1102", nil}, {"gfx1103", []string{"-mwavefrontsize64", "-mcumode"}},
		{"gfx1200", []string{"-mwavefrontsize64"}}, {"gfx1201", nil}, {"gfx1201", []string{"-mcumode"}},
	} {
		if testing.Short() && c.target != "gfx1201" {
			continue
		}
		object, remarks := compile(t, occupancyKernels, c.target, c.flags...)
		o, err := codeobj.Read(object)
		if err != nil {
			t.Fatal(err)
		}
		names, occupancies := remarkName.FindAllStringSubmatch(remarks, -1), remarkOccupancy.FindAllStringSubmatch(remarks, -1)
		if len(names) != len(o.Kernels) || len(names) != len(occupancies) {
			t.Fatalf("%s: %d kernels, %d remarks", c.target, len(o.Kernels), len(names))
		}
		for i, n := range names {
			want, _ := strconv.Atoi(occupancies[i][1])
			k, _ := o.Kernel(n[1])
			if got := k.Waves(c.target); got != want {
				t.Errorf("%s %v %s: %d waves, clang says %d (%+v)", c.target, c.flags, n[1], got, want, k)
			}
			compared++
			values[want] = true
		}
	}
	t.Logf("%d kernels compared, %d different occupancies", compared, len(values))
}
