package tex

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"kmx/cuda/ptx"
	"kmx/internal/diag"
)

// refusal is a module of testdata with something wrong in it.
type refusal struct {
	name, module, recipe string
	change               []string // pairs: what is replaced everywhere, by what
	counts               map[string]string
	options              Options
	want                 string // in the message, which is complete in refusals.golden
}

var refusals = []refusal{
	{name: "a form without a function", module: "stores", recipe: "stores", change: []string{"sust.b.2d.v2.b16.zero", "sust.b.2d.v2.b16.clamp"}, want: "no device function does"},
	{name: "two forms without a function", module: "stores", recipe: "stores", change: []string{"sust.b.2d.v2.b16.zero", "sust.b.1d.b32.zero", "sust.b.2d.v4.b16.zero", "sured.b.add.2d.u32.zero"}, want: "sured.b.add.2d.u32.zero"},
	{name: "a surface by name", module: "stores", recipe: "stores", change: []string{"v2.b16.zero [%rd1,", "v2.b16.zero [surface,"}, want: "not given by a register"},
	{name: "three coordinates", module: "stores", recipe: "stores", change: []string{"{%r5, %r3}", "{%r5, %r3, %r3}"}, want: "no two coordinates"},
	{name: "too few values", module: "stores", recipe: "stores", change: []string{"{%rs1, %rs2}", "{%rs1}"}, want: "has 1 value"},
	{name: "a constant of 64 bits", module: "stores", recipe: "stores", change: []string{"0f3F800000", "0d3FF0000000000000"}, want: "64-bit constant"},
	{name: "no such kind", module: "stores", recipe: "stores", options: Options{Kinds: []string{"b32", "v2b61"}}, want: "did you mean v2b16?"},
	{name: "no such recipe", module: "stores", recipe: "store", want: "did you mean stores?"},
	{name: "one store too many", module: "stores", recipe: "stores", counts: map[string]string{"stores.b32": "1", "stores": "5", "stores.v2b16": "1"}, want: "stores.b32 = 2 would be edited, 1 declared"},
	{name: "no such count", module: "stores", recipe: "stores", counts: map[string]string{"e4m3": "0", "stores.v2b": "1", "round": "-1", "stores.p": "many"}, want: "of nothing that the recipe does"},
	{name: "no rounding where some is declared", module: "stores", recipe: "stores", counts: map[string]string{"round": "pairs"}, want: "the kernel does not round"},
	{name: "a declared kernel", module: "stores", recipe: "stores", change: []string{"{\n\t.reg .pred", ";\n.func f() {\n\t.reg .pred"}, want: "does not define it"},
	{name: "a function that stores", module: "stores", recipe: "stores", change: []string{
		"\n\t// .globl", "\n.func helper() {\n.reg .b64 %rd<2>;\n.reg .b32 %r<2>;\nsust.b.2d.b32.zero [%rd1, {%r1, %r1}], {%r1};\nret;\n}\n.func other() {\ncall helper;\nret;\n}\n\t// .globl",
		"\tret;\n}", "\tcall other;\n\tret;\n}"}, want: "this statement of helper"},
	{name: "a call through a register", module: "stores", recipe: "stores", change: []string{"\tret;\n}", "\tcall %rd1, (), none;\n\tret;\n}"}, want: "goes through a register"},

	{name: "another directed rounding", module: "round", recipe: "stores", change: []string{"sub.f32 \t%f21", "sub.rm.f32 \t%f21", "abs.f32 \t%f22, %f21", "cvt.rz.f16.f32 \t%f22, %f21"}, want: "sub.rm.f32 rounds .rm"},
	{name: "not one half", module: "round", recipe: "stores", change: []string{"1056964608", "1056964609"}, want: "does not put in one half"},
	{name: "not the sign", module: "round", recipe: "stores", change: []string{"-2147483648", "-2147483647"}, want: "does not take the sign"},
	{name: "the sign of another number", module: "round", recipe: "stores", change: []string{"mov.b32 \t%r1, %f1", "mov.b32 \t%r1, %f30"}, want: "not that of the number"},
	{name: "the number changes in between", module: "round", recipe: "stores", change: []string{"mov.b32 \t%f2, %r3;", "mov.b32 \t%f2, %r3;\n\tadd.f32 %f1, %f1, %f1;"}, want: "not that of the number"},
	{name: "the half of another turn of a loop", module: "round", recipe: "stores", change: []string{"\tcopysign.f32 \t%f10, %f9, 0f3F000000;", "\t@%p2 bra L;\n\tcopysign.f32 \t%f10, %f9, 0f3F000000;\nL:"}, want: "does not always run"},
	{name: "the half under a guard", module: "round", recipe: "stores", change: []string{"or.b32  \t%r3", "@%p1 or.b32  \t%r3"}, want: "under a guard"},
	{name: "two halves", module: "round", recipe: "stores", change: []string{"\tadd.rz.ftz.f32 \t%f3", "\t@%p1 mov.f32 %f2, 0f3F000000;\n\tadd.rz.ftz.f32 \t%f3"}, want: "comes from 2 places"},
	{name: "the sum is used elsewhere", module: "round", recipe: "stores", change: []string{"[%rd1+4], %f1", "[%rd1+4], %f3"}, want: "is used in line"},
	{name: "converted to an integer", module: "round", recipe: "stores", change: []string{"cvt.rzi.f32.f32 \t%f4, %f3", "cvt.rzi.s32.f32 \t%r9, %f3"}, want: "is used in line"},
	{name: "the sum is not used", module: "round", recipe: "stores", change: []string{"cvt.rzi.f32.f32 \t%f4, %f3", "cvt.rzi.f32.f32 \t%f4, %f1"}, want: "no cvt.rzi.f32.f32 takes"},
	{name: "another sum may come", module: "round", recipe: "stores", change: []string{"[%rd1+4], %f1;", "[%rd1+4], %f1;\n\tmov.f32 %f3, %f1;"}, want: "may take %f3 from elsewhere"},
	{name: "a sum with a constant", module: "round", recipe: "stores", change: []string{"%f7, %f6, %f4", "%f7, %f4, 0f3F000000"}, want: "does not add two registers"},
	{name: "a sum of two numbers", module: "round", recipe: "stores", change: []string{"copysign.f32 \t%f6, %f4, %f5", "mul.f32 \t%f6, %f4, %f5"}, want: "neither of the two forms"},
	{name: "fewer roundings", module: "round", recipe: "stores", counts: map[string]string{"round": "4"}, want: "round = 3 would be edited, 4 declared"},

	{name: "a fourth barrier", module: "enc0", recipe: "enc0-tail", change: []string{"\tmul.wide.u32 \t%rd6", "\tbar.warp.sync -1;\n\tmul.wide.u32 \t%rd6"}, want: "4 bar.warp.sync, not 3"},
	{name: "a barrier of half the warp", module: "enc0", recipe: "enc0-tail", change: []string{"-1; // the cut", "0xffff;"}, want: "does not wait for all lanes"},
	{name: "a barrier under a guard", module: "enc0", recipe: "enc0-tail", change: []string{"bar.warp.sync \t-1; // the cut", "@%p1 bar.warp.sync \t-1;"}, want: "the third barrier has a guard"},
	{name: "a barrier in a scope", module: "enc0", recipe: "enc0-tail", change: []string{"bar.warp.sync \t-1; // the cut", "{ bar.warp.sync \t-1;\n\tmov.u32 %r70, 0; }"}, want: "the third barrier stands in a scope"},
	{name: "another block of parameters", module: "enc0", recipe: "enc0-tail", change: []string{"[360]", "[368]"}, want: "368 bytes, not 360"},
	{name: "two loads of the output", module: "enc0", recipe: "enc0-tail", change: []string{"\tcvta.to.global.u64 \t%rd5", "\tld.param.u32 %r70, [small_enc0_mvhi_hdr_param_0+44];\n\tcvta.to.global.u64 \t%rd5"}, want: "found 2 loads of these bytes"},
	{name: "no size", module: "enc0", recipe: "enc0-tail", change: []string{"ld.param.v2.u32 \t{%r1, %r2}, [small_enc0_mvhi_hdr_param_0+8]", "ld.param.u32 \t%r1, [small_enc0_mvhi_hdr_param_0+16]"}, want: "found 0 loads"},
	{name: "weights from elsewhere", module: "enc0", recipe: "enc0-tail", change: []string{"add.s64 \t%rd7, %rd4, %rd6", "add.s64 \t%rd7, %rd5, %rd6"}, want: "load from the weights was expected"},
	{name: "output to elsewhere", module: "enc0", recipe: "enc0-tail", change: []string{"add.s64 \t%rd9, %rd5, %rd8", "add.s64 \t%rd9, %rd3, %rd8"}, want: "store to the output was expected"},
	{name: "no output", module: "enc0", recipe: "enc0-tail", change: []string{"st.global.v2.u32 \t[%rd9], {%r25, %r26}", "mov.u32 %r25, %r26"}, want: "nothing behind the cut stores"},
	{name: "one coordinate", module: "enc0", recipe: "enc0-tail", change: []string{"shr.u32 \t%r33, %r4, 31", "shr.u32 \t%r33, %r4, 30"}, want: "1 register is from before"},
	{name: "a coordinate of the lane", module: "enc0", recipe: "enc0-tail", change: []string{"shl.b32 \t%r6, %r5, 2", "mov.u32 %r6, %laneid"}, want: "depends on the lane"},
	{name: "two bases", module: "enc0", recipe: "enc0-tail", change: []string{"\tshl.b32 \t%r10", "\tadd.s32 %r70, %r9, 64;\n\tshl.b32 \t%r10", "{%r21, %r22}, [%r20]", "{%r21, %r22}, [%r70]", "\tmul.wide.u32 \t%rd6", "\tst.shared.u32 [%r20], %r70;\n\tmul.wide.u32 \t%rd6"}, want: "several registers may be the base"},
	{name: "no base", module: "enc0", recipe: "enc0-tail", change: []string{"add.s32 \t%r20, %r9, %r10", "mov.u32 \t%r20, 64"}, want: "was not found"},
	{name: "a way round the tail", module: "enc0", recipe: "enc0-tail", change: []string{"@%p1 bra \t$L__BB0_9", "@%p1 bra \t$L__BB0_8"}, want: "leads into the part that is replaced"},
	{name: "a tail in a loop", module: "enc0", recipe: "enc0-tail", change: []string{"\tbar.warp.sync \t-1;\n\tld.shared.u32 \t%r17", "AGAIN:\n\tbar.warp.sync \t-1;\n\tld.shared.u32 \t%r17", "@%p2 bra \t$L__BB0_8", "@%p2 bra AGAIN"}, want: "the cut is in a loop"},
	{name: "all at once", module: "enc0", recipe: "enc0-tail", change: []string{"[360]", "[352]", "shl.b32 \t%r6, %r5, 2", "mov.u32 %r6, %laneid", "add.rz.ftz.f32", "add.rp.ftz.f32", "sust.b.2d.v2.b16.zero", "sust.b.2d.v2.b16.trap"}, want: "add.rp.ftz.f32"},

	{name: "one instruction differs", module: "enc0_other", recipe: "enc0-tail", change: []string{"add.s32 \t%r134, %r106, %r133", "add.u32 \t%r134, %r106, %r133"}, want: "two statements differ"},
	{name: "one constant differs", module: "enc0_other", recipe: "enc0-tail", change: []string{"[%rd27+4096]", "[%rd27+4112]"}, want: "two statements differ"},
	{name: "one instruction more", module: "enc0_other", recipe: "enc0-tail", change: []string{"$L__BB0_18:", "\tmov.u32 %r150, %r106;\n$L__BB0_18:"}, want: "two statements differ"},
	{name: "one instruction less", module: "enc0_other", recipe: "enc0-tail", change: []string{"\tret;\n", ""}, want: "statement more than"},
	{name: "one register for two", module: "enc0_other", recipe: "enc0-tail", change: []string{"{%r125, %r126}", "{%r125, %r122}"}, want: "two statements differ"},

	{name: "another register from before", module: "enc0_other", recipe: "enc0-tail", change: []string{"mul.wide.u32 \t%rd26, %r107", "mul.wide.u32 \t%rd26, %r108", "and.b32  \t%r108, %r107, 15", "and.b32  \t%r108, %r107, 15;\n\tmov.u32 %r108, %r101"}, want: "is not what it is in the reference kernel"},

	{name: "no lane", module: "dec0", recipe: "dec0-head", change: []string{"%laneid", "%tid.x"}, want: "does not read %laneid"},
	{name: "no barrier", module: "dec0", recipe: "dec0-head", change: []string{"bar.warp.sync", "membar.cta; //"}, want: "no barrier follows"},
	{name: "no shared store", module: "dec0", recipe: "dec0-head", change: []string{"st.shared", "st.local"}, want: "no shared store stands between"},
	{name: "a head under a guard", module: "dec0", recipe: "dec0-head", change: []string{"mov.u32 \t%r10, %laneid", "@%p1 mov.u32 \t%r10, %laneid"}, want: "begins, has a guard"},
	{name: "two arrays", module: "dec0", recipe: "dec0-head", change: []string{"\t.shared", "\t.shared .b8 more[64];\n\t.shared", "[%r27+16], %r24", "[more], %r24"}, want: "more, staged"},
	{name: "an address of the block", module: "dec0", recipe: "dec0-head", change: []string{"shl.b32 \t%r26, %r11, 5", "shl.b32 \t%r26, %r4, 5"}, want: "not made of a shared array and the lane alone"},
	{name: "a third pointer", module: "dec0", recipe: "dec0-head", change: []string{"\tmul.wide.u32 \t%rd8", "\tld.global.u32 %r100, [%rd3];\n\tmul.wide.u32 \t%rd8"}, want: "[0 24 96]"},
	{name: "the head writes", module: "dec0", recipe: "dec0-head", change: []string{"\tmul.wide.u32 \t%rd8", "\tst.global.u32 [%rd4], %r10;\n\tmul.wide.u32 \t%rd8"}, want: "writes to global memory"},
	{name: "other sizes", module: "dec0", recipe: "dec0-head", change: []string{"min.s32 \t%r16, %r13, %r15;", "min.s32 \t%r16, %r13, %r15;\n\tld.param.u32 %r100, [small_dec0_param_0+40];"}, want: "[8 12 40]"},
	{name: "a third coordinate", module: "dec0", recipe: "dec0-head", change: []string{"\t// the head", "\tmov.u32 %r100, %ctaid.z;", "%r6, %r1, %r16", "%r6, %r100, %r16"}, want: "%r4, %r6 and %r100"},
	{name: "coordinates of one axis", module: "dec0", recipe: "dec0-head", change: []string{"%ctaid.y", "%ctaid.x"}, want: "which of %r4 and %r6"},
	{name: "more of the head is needed", module: "dec0", recipe: "dec0-head", change: []string{"{%r91}", "{%r22}"}, want: "cannot be kept apart"},
	{name: "needed and set twice", module: "dec0", recipe: "dec0-head", change: []string{"{%r91}", "{%r17}"}, want: "set elsewhere too"},
	{name: "a way out of the head", module: "dec0", recipe: "dec0-head", change: []string{"@%p1 bra \t$L__BB0_2", "@%p1 bra \tEND", "\tret;\n}", "END:\n\tret;\n}"}, want: "leads out of the part"},
	{name: "a way into the head", module: "dec0", recipe: "dec0-head", change: []string{"\t// the head", "\t@%p1 bra \t$L__BB0_2;"}, want: "leads into the part"},
	{name: "a return in the head", module: "dec0", recipe: "dec0-head", change: []string{"@%p1 bra \t$L__BB0_2", "@%p1 ret"}, want: "may end in the part"},
	{name: "31 conversions", module: "dec0", recipe: "dec0-head", options: Options{FP8: true}, change: []string{"cvt.rn.f16x2.e4m3x2 \t%r91, %rs41", "mov.u32 %r91, %r90"}, want: "31 cvt.rn.f16x2.e4m3x2 behind the head, not 32"},
	{name: "another conversion", module: "dec0", recipe: "dec0-head", options: Options{FP8: true}, change: []string{"cvt.rn.f16x2.e4m3x2 \t%r91", "cvt.rn.relu.f16x2.e4m3x2 \t%r91"}, want: "none that the recipe knows"},
	{name: "another count of conversions", module: "dec0", recipe: "dec0-head", options: Options{FP8: true}, counts: map[string]string{"e4m3": "0"}, want: "e4m3 = 32 would be edited, 0 declared"},

	{name: "337 mma", module: "lenc0", recipe: "l-enc0-tail", change: []string{"\tbar.warp.sync \t-1;\n\tbar", "\tbar.warp.sync \t-1;\n\tmma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16 {%r6, %r7}, {%r5, %r5, %r5, %r5}, {%r5, %r5}, {%r6, %r7};\n\tbar"}, want: "337 mma instructions, not 336"},
	{name: "two arrays of a size", module: "lenc0", recipe: "l-enc0-tail", change: []string{"other[512]", "other[2048]"}, want: "2 shared arrays of 2048 bytes"},
	{name: "no array of the size", module: "lenc0", recipe: "l-enc0-tail", change: []string{"features[2048]", "features[1024]"}, want: "0 shared arrays of 2048 bytes"},
	{name: "no staging", module: "lenc0", recipe: "l-enc0-tail", change: []string{"%r3, features", "%r3, other"}, want: "nothing before the first barrier stores"},
	{name: "an mma before the barrier", module: "lenc0", recipe: "l-enc0-tail", change: []string{"\tst.shared", "\tmma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16 {%r6, %r7}, {%r5, %r5, %r5, %r5}, {%r5, %r5}, {%r6, %r7};\n\tst.shared"}, want: "stand"},

	{name: "305 mma", module: "ldec0", recipe: "l-dec0-block", change: []string{"\tmov.u32 \t%r1, %laneid;", "\tmov.u32 \t%r1, %laneid;\n\tmma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16 {%r7, %r8}, {%r1, %r1, %r1, %r1}, {%r1, %r1}, {%r7, %r8};"}, want: "305 mma instructions, not 304"},
	{name: "nine stores", module: "ldec0", recipe: "l-dec0-block", change: []string{"\tst.shared", "\tsust.b.2d.b32.zero [%rd2, {%r140, %r5}], {%r131};\n\tst.shared"}, want: "9 surface stores behind the last mma, not 8"},
	{name: "a result twice", module: "ldec0", recipe: "l-dec0-block", change: []string{"{%r130, %r131}", "{%r130, %r129}"}, want: "is a result of the mma in line"},
	{name: "four results", module: "ldec0", recipe: "l-dec0-block", change: []string{"{%r130, %r131}", "{%r130, %r131, %r132, %r133}"}, want: "has not two result registers"},
	{name: "an mma of nothing", module: "ldec0", recipe: "l-dec0-block", change: []string{"f16 {%r130, %r131}, {%r7, %r8, %r7, %r8}, {%r9, %r9}, {%r7, %r8};", "f16;"}, want: "has not two result registers"},
	{name: "results are changed", module: "ldec0", recipe: "l-dec0-block", change: []string{"\tmma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16 {%r130", "\t@%p1 mov.u32 %r128, %r1;\n\tmma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16 {%r130"}, want: "may come from line"},
	{name: "a predicate is needed", module: "ldec0", recipe: "l-dec0-block", change: []string{"\tst.shared", "\t@%p1 st.shared"}, want: "cannot be kept apart"},
	{name: "a product is needed", module: "ldec0", recipe: "l-dec0-block", change: []string{"shl.b32 \t%r3, %r2, 3", "mul.lo.s32 \t%r3, %r2, 8"}, want: "cannot be kept apart"},
	{name: "a result goes into what is kept", module: "ldec0", recipe: "l-dec0-block", change: []string{"\tmma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16 {%r130", "\tadd.s32 %r170, %r100, 1;\n\tmma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16 {%r130", "\tst.shared", "\tst.shared.u32 [features], %r170;\n\tst.shared"}, want: "needs a result of the part"},
	{name: "an early end", module: "ldec0", recipe: "l-dec0-block", change: []string{"@%p1 bra \t$L__BB0_2", "@%p1 ret"}, want: "may end in the part"},
}

// text is the module of a refusal.
func (c refusal) text(t *testing.T) string {
	t.Helper()
	s := source(t, c.module)
	for i := 0; i < len(c.change); i += 2 {
		if !strings.Contains(s, c.change[i]) {
			t.Fatalf("there is no %q in %s", c.change[i], c.module)
		}
		s = strings.ReplaceAll(s, c.change[i], c.change[i+1])
	}
	return s
}

// TestRefusals: everything that a recipe does not expect is an error that names
// kernel and module.
func TestRefusals(t *testing.T) {
	var all strings.Builder
	for _, c := range refusals {
		t.Run(c.name, func(t *testing.T) {
			m, _ := ptx.Parse(c.module+".ptx", []byte(c.text(t)))
			r := Request{Kernel: firstKernel(c.module), Recipe: c.recipe, Module: m, Options: c.options, Counts: c.counts}
			if c.module == "enc0_other" {
				r.Reference = parse(t, "enc0", source(t, "enc0"))
			}
			res, err := Edit(r)
			if err == nil || res != nil {
				t.Fatalf("it was edited:\n%s", Diff(m, res, DiffOptions{Context: 1, Elide: 5}))
			}
			var f *diag.Failure
			if !errors.As(err, &f) || f.Class != diag.Cells {
				t.Fatalf("%T %v", err, err)
			}
			for _, p := range f.Messages {
				if !strings.Contains(p.Summary, r.Kernel) || p.Where.File == "" {
					t.Errorf("the message does not name kernel and module: %+v", p)
				}
				if p.Hint == "" {
					t.Errorf("the message does not say what to do: %+v", p)
				}
			}
			var b strings.Builder
			diag.Print(&b, f.Messages, diag.Style{Source: func(file string) []byte {
				if file == m.Name {
					return m.Text
				}
				return []byte(source(t, strings.TrimSuffix(file, ".ptx")))
			}})
			if !strings.Contains(b.String(), c.want) {
				t.Errorf("no %q in\n%s", c.want, b.String())
			}
			fmt.Fprintf(&all, "---- %s\n%s\n", c.name, b.String())
		})
	}
	golden(t, "refusals.golden", all.String())
}

// firstKernel is the kernel of a module of testdata.
func firstKernel(module string) string {
	return map[string]string{"stores": "four_stores", "round": "rounds", "enc0": "small_enc0_mvhi_hdr", "enc0_other": "small_enc0_mvlo_ldr", "dec0": "small_dec0", "lenc0": "small_lenc0", "ldec0": "small_ldec0"}[module]
}

func TestRefusalsOfRequests(t *testing.T) {
	m := parse(t, "stores", source(t, "stores"))
	other := parse(t, "enc0_other", source(t, "enc0_other"))
	several := parse(t, "several", source(t, "enc0")+strings.ReplaceAll(source(t, "enc0")[strings.Index(source(t, "enc0"), ".visible"):], "small_enc0", "second_enc0"))
	broken := parse(t, "enc0", strings.ReplaceAll(source(t, "enc0"), "bar.warp.sync", "bar.sync"))
	for _, c := range []struct {
		name string
		r    Request
		want []string
	}{
		{"nothing at all", Request{Kernel: "k", Recipe: "r", Options: Options{Kinds: []string{"x"}}}, []string{"k: there is no recipe r", "no kind of surface store x", "no module was given"}},
		{"another kernel", Request{Kernel: "four_store", Recipe: "stores", Module: m}, []string{"four_store: the module has no entry of this name", "did you mean four_stores?"}},
		{"a reference that is wrong", Request{Kernel: "small_enc0_mvlo_ldr", Recipe: "enc0-tail", Module: other, Reference: broken}, []string{"the reference kernel small_enc0_mvhi_hdr: the kernel has 0 bar.warp.sync,"}},
		{"a reference that is not named", Request{Kernel: "small_enc0_mvlo_ldr", Recipe: "enc0-tail", Module: other, Reference: several}, []string{"has several kernels, and none is named"}},
		{"a reference without the kernel", Request{Kernel: "small_enc0_mvlo_ldr", Recipe: "enc0-tail", Module: other, Reference: m, ReferenceKernel: "x"}, []string{"the reference kernel x: the module has no entry"}},
	} {
		_, err := Edit(c.r)
		if err == nil {
			t.Errorf("%s: edited", c.name)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: no %q in\n%v", c.name, w, err)
			}
		}
	}
}
