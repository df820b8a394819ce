package ptx

import (
	"strings"
	"testing"
)

// Every form of statement within a function.
func TestStatementForms(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		// opcodes and guards
		{"ret;", "ret"},
		{"@%p1 bra $L_1;", "@%p1 bra s:$L_1"},
		{"@!%p1 bra.uni $L_1;", "@!%p1 bra.uni s:$L_1"},
		{".reg .pred p; @ ! p ret ;", "variable p reg pred; @!p ret"},
		{"ld .param .u64 %rd1, [x];", "ld.param.u64 r:%rd1 [s:x+0]"},
		{"ld.global.nc.L1::no_allocate.L2::128B.b32 %r6, [%rd3];", "ld.global.nc.L1::no_allocate.L2::128B.b32 r:%r6 [r:%rd3+0]"},
		{"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], %r2, [%r3];", "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [r:%r1+0] [r:%rd1+0] r:%r2 [r:%r3+0]"},
		{"$L_1: $L_2:", "label $L_1; label $L_2"},
		{"_x: ret;", "label _x; ret"},
		{"{ ret; { } }", "{ ret; {  } }"},

		// registers and symbols
		{"mov.u32 %r1, %tid.x;", "mov.u32 r:%r1 r:%tid.x"},
		{"mov.u32 %r1, %laneid;", "mov.u32 r:%r1 r:%laneid"},
		{"mov.u32 %r1, WARP_SZ;", "mov.u32 r:%r1 i:0x20"},
		{"mov.u32 %r1, -WARP_SZ;", "mov.u32 r:%r1 i:0xffffffffffffffe0"},
		{"mov.u64 %rd1, table;", "mov.u64 r:%rd1 s:table"},
		{"mov.u64 %rd1, table + 4;", "mov.u64 r:%rd1 s:table+4"},
		{"mov.u64 %rd1, table-4;", "mov.u64 r:%rd1 s:table-4"},
		{"mov.f32 %f1, %v.x;", "mov.f32 r:%f1 r:%v.x"},
		{"mov.b32 x, 1;", "mov.b32 s:x i:0x1"},
		{".reg .b32 x; mov.b32 x, 1;", "variable x reg b32; mov.b32 r:x i:0x1"},
		{".reg .b32 x<3>; mov.b32 x2, x3;", "variable x reg b32 range 3; mov.b32 r:x2 s:x3"},
		{"{ .reg .pred p; @p trap; } mov.b32 %r1, p;", "{ variable p reg pred; @p trap }; mov.b32 r:%r1 s:p"},
		{".reg .b32 x; { .param .b32 x; ld.param.b32 %r1, [x]; } mov.b32 x, 1;", "variable x reg b32; { variable x param b32; ld.param.b32 r:%r1 [s:x+0] }; mov.b32 r:x i:0x1"},
		{".param .b32 %x; st.param.b32 [%x], 1;", "variable %x param b32; st.param.b32 [s:%x+0] i:0x1"},
		{"vadd.s32.u32.s32.sat %r9, %r1.b0, -%r2.h1, %r3;", "vadd.s32.u32.s32.sat r:%r9 r:%r1.b0 -r:%r2.h1 r:%r3"},

		// addresses
		{"ld.shared.b32 %r1, [256];", "ld.shared.b32 r:%r1 [+256]"},
		{"ld.shared.b32 %r1, [%r2+-4];", "ld.shared.b32 r:%r1 [r:%r2-4]"},
		{"ld.shared.b32 %r1, [%r2-4];", "ld.shared.b32 r:%r1 [r:%r2-4]"},
		{"ld.shared.b32 %r1, [ %r2 + 0x10 ];", "ld.shared.b32 r:%r1 [r:%r2+16]"},
		{"ld.shared.b32 %r1, [s+(4*3)];", "ld.shared.b32 r:%r1 [s:s+12]"},
		{"ld.const.b32 %r1, s[3];", "ld.const.b32 r:%r1 s:s[i:0x3]"},
		{"ld.const.b32 %r1, [s[%r2]];", "ld.const.b32 r:%r1 [s:s[r:%r2]+0]"},
		{"tex.base.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd4, {%r1, %r2}];", "tex.base.2d.v4.f32.s32 {r:%f1 r:%f2 r:%f3 r:%f4} [r:%rd4+0 more {r:%r1 r:%r2}]"},
		{"tex.2d.v4.f32.f32 {%f1, %f2, _, _}|%p1, [t, s, {%f1, %f2}];", "tex.2d.v4.f32.f32 {r:%f1 r:%f2 _ _}|r:%p1 [s:t+0 more s:s {r:%f1 r:%f2}]"},
		{"tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd4, %r1];", "tex.1d.v4.f32.s32 {r:%f1 r:%f2 r:%f3 r:%f4} [r:%rd4+0 more r:%r1]"},
		{"sust.b.2d.b32.zero [%rd1, {%r1, %r2}], {%r3};", "sust.b.2d.b32.zero [r:%rd1+0 more {r:%r1 r:%r2}] {r:%r3}"},

		// vectors, pairs, negations, sinks
		{"mov.b64 {%r1, _}, %rd1;", "mov.b64 {r:%r1 _} r:%rd1"},
		{"setp.lt.and.s32 %p1|%p2, %r1, 10, !%p3;", "setp.lt.and.s32 r:%p1|r:%p2 r:%r1 i:0xa !r:%p3"},
		{"setp.lt.and.s32 _|%p2, %r1, 10, %p3;", "setp.lt.and.s32 _|r:%p2 r:%r1 i:0xa r:%p3"},
		{"shfl.sync.bfly.b32 %r7|%p1, %r6, 16, 31, -1;", "shfl.sync.bfly.b32 r:%r7|r:%p1 r:%r6 i:0x10 i:0x1f i:0xffffffffffffffff"},
		{"atom.global.add.u32 _, [%rd3], 1;", "atom.global.add.u32 _ [r:%rd3+0] i:0x1"},

		// calls
		{"call.uni (retval0), f, (param0, %r1, 3);", "call.uni returns s:retval0 target s:f args s:param0 r:%r1 i:0x3"},
		{"call f;", "call returns target s:f args"},
		{"call f, (%r1);", "call returns target s:f args r:%r1"},
		{"call (%r1), f;", "call returns r:%r1 target s:f args"},
		{"call (%r1), f, ();", "call returns r:%r1 target s:f args"},
		{"call (%r1), %rd1, (%r2), proto;", "call returns r:%r1 target r:%rd1 args r:%r2 prototype proto"},
		{"call %rd1, proto;", "call returns target r:%rd1 args prototype proto"},
		{"proto: .callprototype (.param .b32 _) _ (.param .b64 _, .param .b32 _) .noreturn;", "label proto; .callprototype returns 1 params 2 .noreturn"},
		{"proto: .callprototype _;", "label proto; .callprototype returns 0 params 0"},
		{"t: .calltargets f, g;", "label t; .calltargets f|g"},
		{"t: .branchtargets $L_1, $L_2;", "label t; .branchtargets $L_1|$L_2"},

		// directives and declarations
		{".loc 1 2 3", ".loc 1|2|3"},
		{".loc 1 2 3, function_name $L__info+4, inlined_at 1 5 6\nret;", ".loc 1|2|3|function_name|$L__info|4|inlined_at|1|5|6; ret"},
		{`.pragma "nounroll";`, `.pragma "nounroll"`},
		{`.pragma "a", "b\"c";`, `.pragma "a"|"b\"c"`},
		{".reg .pred %p<4>;", "variable %p reg pred range 4"},
		{".reg .b16 %rs<3>, %h<2>, x;", "variable %rs reg b16 range 3; variable %h reg b16 range 2; variable x reg b16"},
		{".reg .v4 .f32 %v;", "variable %v reg f32 v4"},
		{".param .align 16 .b8 retval0[16];", "variable retval0 param b8 align 16 array [16] of 16"},
		{".local .align 4 .b8 depot[64];", "variable depot local b8 align 4 array [64] of 64"},
		{".shared .f32 s[4][8];", "variable s shared f32 array [4 8] of 32"},
	} {
		var got []string
		m := parse(t, "t.ptx", ".entry f() { "+c.source+" }")
		checkSpans(t, m)
		for _, it := range m.Function("f").Body.Items {
			got = append(got, describe(it))
		}
		if s := strings.Join(got, "; "); s != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.source, s, c.want)
		}
	}
}

// Every form of statement of module scope.
func TestModuleForms(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{".version 8.10", ".version 8.10"},
		{".target sm_80, debug, texmode_unified", ".target sm_80|debug|texmode_unified"},
		{".address_size 32", ".address_size 32"},
		{`.file 1 "a.cu"`, `.file 1|"a.cu"`},
		{`.file 1 "a.cu", 17, 18`, `.file 1|"a.cu"|17|18`},
		{`.file 1 "dir" "a.cu"`, `.file 1|"dir"|"a.cu"`},
		{".section .debug_str { .b8 1, 2; { } \"}\" }", ".section .debug_str"},
		{".alias f, g;", ".alias f|g"},
		{".extern .shared .align 16 .b8 s[];", "variable s extern shared b8 align 16 array [0] of 0"},
		{".weak .global .u32 x = 3;", "variable x weak global u32 = i:0x3"},
		{".common .global .v2 .f32 x;", "variable x common global f32 v2"},
		{".visible .global .attribute(.managed) .b32 x;", "variable x visible global b32 .attribute .managed"},
		{".global .attribute(.unified(1, 2), .managed) .b32 x;", "variable x global b32 .attribute .unified|1|2|.managed"},
		{".const[3] .b32 x;", "variable x const b32"},
		{".tex .u32 x;", "variable x tex u32"},
		{".global .samplerref s = { addr_mode_0 = clamp_to_border, force_unnormalized_coords = 1 };", "variable s global samplerref = addr_mode_0=s:clamp_to_border force_unnormalized_coords=i:0x1"},
		{".global .b8 x[4] = {1, -2, 0x3, 4U};", "variable x global b8 array [4] of 4 = i:0x1 i:0xfffffffffffffffe i:0x3 i:0x4u"},
		{".global .f32 x[2][1] = {{0f3F800000}, {1.5}};", "variable x global f32 array [2 1] of 2 = {f:0x3f800000} {d:0x3ff8000000000000}"},
		{".global .b8 x[2] = {};", "variable x global b8 array [2] of 2"},
		{".global .u64 x[3] = {y, y+4, generic(y)+8};", "variable x global u64 array [3] of 3 = s:y s:y+4 generic(s:y+8)"},
		{".global .u8 x[] = {0xFF(y), 0xFF00(y+4)};", "variable x global u8 array [0] of 0 = 0xff(s:y) 0xff00(s:y+4)"},
		{".global .u32 x = 1, y = 2;", "variable x global u32 = i:0x1; variable y global u32 = i:0x2"},
		{".global .s64 x = WARP_SZ;", "variable x global s64 = i:0x20"},

		{".func f;", "func f returns() params()"},
		{".extern .func f (.param .b32 x) .noreturn;", "extern func f returns() params(param b32 x align 4 at 0 size 4) .noreturn"},
		{".visible .func (.reg .f32 r) f (.reg .f32 x) { ret; }", "visible func f returns(reg f32 r align 4 at -1 size 4) params(reg f32 x align 4 at -1 size 4) { ret }"},
		{".weak .func (.param .align 8 .b8 r[12]) f () { }", "weak func f returns(param b8 r[12] align 8 at 0 size 12) params() {  }"},
		{".extern .func f()\n.visible .entry g() { ret; }", "extern func f returns() params(); visible entry g returns() params() { ret }"},
		{".func f .noreturn\n.global .b32 x;\n.func g()", "func f returns() params() .noreturn; variable x global b32; func g returns() params()"},
		{".entry f { }", "entry f returns() params() {  }"},
		{".entry f (.param .u8 a, .param .u64 .ptr .global .align 16 b, .param .align 16 .b8 c[9], .param .v2 .f32 d, .param .texref e) .maxntid 32, 1, 1 .minnctapersm 2 .pragma \"x\"; { }",
			"entry f returns() params(param u8 a align 1 at 0 size 1, param u64 b ptr global 16 align 8 at 8 size 8, param b8 c[9] align 16 at 16 size 9, param f32 d v2 align 8 at 32 size 8, param texref e align 8 at 40 size 8) .maxntid 32|1|1 .minnctapersm 2 .pragma \"x\" {  }"},
		{".entry f .reqntid 8 .maxnreg 64 .explicitcluster .reqnctapercluster 2, 1 { }", "entry f returns() params() .reqntid 8 .maxnreg 64 .explicitcluster .reqnctapercluster 2|1 {  }"},
		{".func .attribute(.unified(1,2)) f .noreturn .abi_preserve 16 ;", "func f returns() params() .attribute .unified|1|2 .noreturn .abi_preserve 16"},
	} {
		var got []string
		m := parse(t, "t.ptx", c.source)
		checkSpans(t, m)
		for _, it := range m.Items {
			got = append(got, describe(it))
		}
		if s := strings.Join(got, "; "); s != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.source, s, c.want)
		}
	}
}
