package emit

import (
	"maps"
	"slices"
	"strings"

	"kmx/cuda/ptx"
)

// Unsupported is a construct that Lower refuses, for the manual: what it is, why,
// and an instruction as an example, which a test gives to Lower.
type Unsupported struct {
	What, Why, Example string
	match              func(*ptx.Instruction) bool
}

func begins(names ...string) func(*ptx.Instruction) bool {
	return func(in *ptx.Instruction) bool { return slices.Contains(names, in.Parts[0]) }
}

func has(op string, parts ...string) func(*ptx.Instruction) bool {
	return func(in *ptx.Instruction) bool {
		if op != "" && in.Parts[0] != op {
			return false
		}
		return slices.ContainsFunc(parts, in.Has)
	}
}

// refusedConstructs are searched in order for the reason of a refusal.
var refusedConstructs = []Unsupported{
	{"matrix instructions: mma, wmma, wgmma, ldmatrix, stmatrix, movmatrix", "matrix instructions have no exact counterpart in layout and rounding", "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r1,%r2}, {%r1,%r2,%r3,%r4}, {%r1,%r2}, {%r1,%r2};",
		begins("mma", "wmma", "wgmma", "ldmatrix", "stmatrix", "movmatrix")},
	{"conversions of e5m2, tf32 and the narrower formats", "the formats of matrix instructions; of e4m3 both conversions of pairs are there", "cvt.rn.f16x2.e5m2x2 %r1, %h1;",
		has("", "e5m2x2", "tf32", "e2m1x2", "e2m3x2", "e3m2x2", "ue8m0x2")},
	{"bf16 arithmetic and conversions", "not needed so far", "fma.rn.bf16x2 %r1, %r2, %r3, %r4;",
		has("", "bf16", "bf16x2")},
	{"arithmetic rounded toward zero, up or down other than add, sub, mul, fma, div and rcp of f32", "a change of the rounding mode inside a kernel", "sqrt.rz.f32 %f1, %f2;",
		func(in *ptx.Instruction) bool {
			return in.Parts[0] != "cvt" && (in.Has("rz") || in.Has("rm") || in.Has("rp"))
		}},
	{"sin, cos", "the error of the hardware's instructions is not stated", "sin.approx.f32 %f1, %f2;", begins("sin", "cos")},
	{"asynchronous copies and barriers in memory: cp, mbarrier", "no counterpart", "cp.async.wait_all;", begins("cp", "mbarrier", "multimem", "tensormap", "tcgen05", "griddepcontrol", "clusterlaunchcontrol")},
	{"textures other than 2D through a handle in a register, with gradients, offsets or depth comparison; tex with a separate sampler", "not needed so far", "tex.3d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f1,%f2,%f3,%f4}];", has("tex", "1d", "3d", "a1d", "a2d", "cube", "acube", "2dms", "a2dms", "grad")},
	{"reads of surfaces and queries: suld, sured, suq, txq, istypep", "not needed so far", "suld.b.2d.b32.zero %r1, [%rd1, {%r1,%r2}];", begins("suld", "sured", "suq", "txq", "istypep")},
	{"surface stores other than sust.b.2d.{b32,v2.b16,v4.b16}.zero and sust.p.2d.v4.b32.zero", "no helper for them", "sust.b.2d.b32.trap [%rd1, {%r1,%r2}], %r1;", begins("sust")},
	{"barriers other than bar.sync 0 of all threads, bar.warp.sync", "no counterpart", "bar.arrive 1, 64;", begins("bar", "barrier")},
	{"match, redux, elect, and shfl and vote without .sync", "not needed so far", "redux.sync.add.u32 %r1, %r2, 0xffffffff;", begins("match", "redux", "elect", "shfl", "vote")},
	{"indirect calls and jumps: call through a register, brx", "no counterpart", "brx.idx %r1, targets;", begins("brx")},
	{"alloca, stacksave, stackrestore, nanosleep, pmevent, brkpt, setmaxnreg", "no counterpart", "pmevent 7;", begins("alloca", "stacksave", "stackrestore", "nanosleep", "pmevent", "brkpt", "setmaxnreg")},
	{"video instructions: vadd, vsub, vmad, ... and their like", "not needed so far", "vadd.u32.u32.u32 %r1, %r2, %r3;", func(in *ptx.Instruction) bool {
		return strings.HasPrefix(in.Parts[0], "v") && in.Parts[0] != "vote"
	}},
	{"atomics of f16, f64, vectors and 128 bits; of f32 where denormals are kept", "their rounding of denormals is not that of the hardware", "atom.global.add.noftz.f16 %rs1, [%rd1], %rs2;", has("atom", "f16", "f16x2", "f64", "b128", "noftz", "v2", "v4")},
	{"rsqrt, sqrt of f64, approximations of f64", "not needed so far", "sqrt.rn.f64 %fd1, %fd2;", has("", "f64")},
	{"dp2a, fns, szext, bmsk, lop3 with a predicate", "not needed so far", "fns.b32 %r1, %r2, %r3, %r4;", begins("dp2a", "fns", "szext", "bmsk", "lop3")},
}

// reasonFor is why an instruction is refused, where that is known.
func reasonFor(in *ptx.Instruction) string {
	for _, c := range refusedConstructs {
		if c.match(in) {
			return ": " + c.Why
		}
	}
	return ""
}

// Refused lists what Lower refuses of PTX, for people. Whatever else it does not
// know it refuses as well.
func Refused() []Unsupported { return slices.Clone(refusedConstructs) }

// Operations lists the instructions that Lower knows, in some forms at least, by
// the first part of their opcodes, sorted.
func Operations() []string { return slices.Sorted(maps.Keys(operations)) }
