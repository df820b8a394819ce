package main

import (
	"slices"
	"strings"
	"testing"
)

// snippets show what each operator makes of a source: all mutants, in order.
var snippets = []struct {
	operator, src string
	want          []string
}{
	{"drop barrier", "void f() { barrier_lds(); g(); if (a) barrier_release(); }", []string{
		"void f() { (void)0; g(); if (a) barrier_release(); }", "void f() { barrier_lds(); g(); if (a) (void)0; }"}},
	{"drop barrier", "KMX_DEVICE void barrier_lds() { }", nil},
	{"drop fence", `{ __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent"); }`, []string{"{ (void)0; }"}},
	{"drop cross-lane exchange", "x = wmma::swap_halves(a[j]) + p(b); y = __builtin_amdgcn_perm(o, k, 0x1u);", []string{
		"x = (a[j]) + p(b); y = __builtin_amdgcn_perm(o, k, 0x1u);", "x = wmma::swap_halves(a[j]) + p(b); y = (k);"}},
	{"drop cross-lane exchange", "u32 swap_halves(u32 v) { return v; }", nil},
	{"wrong lane half", "at + 16 * wmma::half(); row(i, half);", []string{"at + 16 * (1 - wmma::half()); row(i, half);", "at + 16 * wmma::half(); row(i, (1 - half));"}},
	{"wrong lane half", "u32 half() { return lane_id() >> 4; } u32 row(u32 i, u32 half);", nil},
	{"wrong lane order", "m = wmma::index(); q = wmma::to_operand(e * r); o = wmma::join(v); s = lane_of(i);", []string{
		"m = wmma::column(); q = wmma::to_operand(e * r); o = wmma::join(v); s = lane_of(i);",
		"m = wmma::index(); q = wmma::join(e * r); o = wmma::join(v); s = lane_of(i);",
		"m = wmma::index(); q = wmma::to_operand(e * r); o = wmma::to_operand(v); s = lane_of(i);",
		"m = wmma::index(); q = wmma::to_operand(e * r); o = wmma::join(v); s = (i);"}},
	{"drop statement", "{ tape.enter(a); x[1] = b; u32 c = d; phase(); return f(x); }", []string{
		"{ (void)0; x[1] = b; u32 c = d; phase(); return f(x); }", "{ tape.enter(a); (void)0; u32 c = d; phase(); return f(x); }"}},
	{"drop statement", "for (u32 i = 0; f(i); g(i)) h(i);", []string{"for (u32 i = 0; f(i); g(i)) (void)0;"}},
	{"drop guard", "if (a < b) f(); if (c) return; if constexpr (d) g();", []string{
		"if (true) f(); if (c) return; if constexpr (d) g();", "if (a < b) f(); if (false) return; if constexpr (d) g();"}},
	{"negate condition", "if constexpr (d) g();", []string{"if constexpr (!(d)) g();"}},
	{"swap select arms", "f(c ? a : b + 1, d); return x ? y : z ? 1 : 2;", []string{
		"f(c ? (b + 1) : (a), d); return x ? y : z ? 1 : 2;", "f(c ? a : b + 1, d); return x ? (z ? 1 : 2) : (y);",
		"f(c ? a : b + 1, d); return x ? y : z ? (2) : (1);"}},
	{"other relation", "a < b; load<T>(c); template <class T> d >= e; f == g;", []string{
		"a <= b; load<T>(c); template <class T> d >= e; f == g;", "a < b; load<T>(c); template <class T> d > e; f == g;",
		"a < b; load<T>(c); template <class T> d >= e; f != g;"}},
	{"other relation", "for (u32 i = 0; i < 4; i++) f();", nil},
	{"other connective", "a && b; T&& c; d || e;", []string{"a || b; T&& c; d || e;", "a && b; T&& c; d && e;"}},
	{"wrong loop bound", "for (u32 i = 0; i < n * 2; i++) f();", []string{
		"for (u32 i = 1; i < n * 2; i++) f();", "for (u32 i = 0; i < (n * 2) - 1; i++) f();", "for (u32 i = 0; i < (n * 2) + 1; i++) f();"}},
	{"flip flag", "f(true); __builtin_amdgcn_permlanex16(v, v, 1, 2, false, true);", []string{"f(false); __builtin_amdgcn_permlanex16(v, v, 1, 2, false, true);"}},
	{"swap rows", "x = m[nt][kt]; u32 p[4][2]; return {a, b + 1, c};", []string{
		"x = m[kt][nt]; u32 p[4][2]; return {a, b + 1, c};", "x = m[nt][kt]; u32 p[4][2]; return {b + 1, a, c};", "x = m[nt][kt]; u32 p[4][2]; return {a, c, b + 1};"}},
	{"wrong index", "x = a[0] + b[2 * i]; u32 c[4]; f(const T (&d)[M]);", []string{
		"x = a[1] + b[2 * i]; u32 c[4]; f(const T (&d)[M]);", "x = a[0] + b[(2 * i) + 1]; u32 c[4]; f(const T (&d)[M]);",
		"x = a[0] + b[(2 * i) - 1]; u32 c[4]; f(const T (&d)[M]);"}},
	{"wrong tile", "wmma::load_tile(w, m >> 2); load_tile(Bytes image, u32 tile);", []string{"wmma::load_tile(w, (m >> 2) + 1); load_tile(Bytes image, u32 tile);"}},
	{"wrong offset", "load(base, 32 * t + 3);", []string{"load(base, 64 * t + 3);", "load(base, 16 * t + 3);"}},
	{"off-by-one mirror", "i32 mirror(i32 v) { return -v < 2 * n - 2 - v; } i32 f() { return n - 1; }", []string{
		"i32 mirror(i32 v) { return -v - 1 < 2 * n - 2 - v; } i32 f() { return n - 1; }",
		"i32 mirror(i32 v) { return -v + 1 < 2 * n - 2 - v; } i32 f() { return n - 1; }",
		"i32 mirror(i32 v) { return -v < 1 * n - 2 - v; } i32 f() { return n - 1; }",
		"i32 mirror(i32 v) { return -v < 2 * n - 1 - v; } i32 f() { return n - 1; }",
		"i32 mirror(i32 v) { return -v < 2 * n - 3 - v; } i32 f() { return n - 1; }"}},
	{"wrong name", "i32 width, height; f(p.width);", []string{"i32 width, width; f(p.width);", "i32 width, height; f(p.height);"}},
	{"swap operands", "a - 2 * b; g(x, y + 1); larger(p, q); u32 h(u32 a, u32 b);", []string{
		"2 - a * b; g(x, y + 1); larger(p, q); u32 h(u32 a, u32 b);", "a - 2 * b; g(y + 1, x); larger(p, q); u32 h(u32 a, u32 b);"}},
	{"skip an addend", "x = a * b + c.d[1]; y += z;", []string{"x = a * b; y += z;", "x = c.d[1]; y += z;", "x = a * b + c.d[1]; y = z;"}},
	{"other arithmetic", "a + b % c; *p & -1; T& d;", []string{"a - b % c; *p & -1; T& d;", "a + b / c; *p & -1; T& d;", "a + b % c; *p | -1; T& d;"}},
	{"round otherwise", "v = narrow(d[i]); s = add_wide(s, x); r = fma16(a, b, c); m = wmma::mma_f16(a, b, c); n = wmma::round(wmma::mma_f16(a, b, c));", []string{
		"v = (f16)__builtin_amdgcn_cvt_pkrtz(d[i], 0.0f)[0]; s = add_wide(s, x); r = fma16(a, b, c); m = wmma::mma_f16(a, b, c); n = wmma::round(wmma::mma_f16(a, b, c));",
		"v = narrow(d[i]); s = (f32)(f16)add_wide(s, x); r = fma16(a, b, c); m = wmma::mma_f16(a, b, c); n = wmma::round(wmma::mma_f16(a, b, c));",
		"v = narrow(d[i]); s = add_wide(s, x); r = ((a) * (b) + (c)); m = wmma::mma_f16(a, b, c); n = wmma::round(wmma::mma_f16(a, b, c));",
		"v = narrow(d[i]); s = add_wide(s, x); r = fma16(a, b, c); m = wmma::widen(wmma::round(wmma::mma_f16(a, b, c))); n = wmma::round(wmma::mma_f16(a, b, c));"}},
	{"sum in another order", "x[t] * (r * gamma); (a + b) + (c + d); e * (f + g);", []string{
		"((x[t] * r) * gamma); (a + b) + (c + d); e * (f + g);", "x[t] * (r * gamma); (((a + b) + c) + d); e * (f + g);"}},
	{"drop clamp", "c = clamp_abs(s * k, limit);", []string{"c = (s * k);"}},
	{"drop quantisation", "x = e4m3::q8(v); y = gelu16(finish(z));", []string{"x = (v); y = gelu16(finish(z));", "x = e4m3::q8(v); y = (finish(z));"}},
	{"wrong bits", "half_bits(0x2466); 0x06040200u;", []string{"half_bits(0x2467); 0x06040200u;", "half_bits(0x2566); 0x06040200u;", "half_bits(0x2466); 0x06040201u;", "half_bits(0x2466); 0x06050200u;"}},
	{"wrong constant", "f(3, 1.5f, -0.0f); a[2];", []string{"f(4, 1.5f, -0.0f); a[2];", "f(3, 1.59375f, -0.0f); a[2];", "f(3, 1.5f, 0.0f); a[2];"}},
}

func TestOperators(t *testing.T) {
	for _, c := range snippets {
		var got []string
		for _, s := range sites(newSource("a.h", c.src)) {
			if s.Operator == c.operator {
				got = append(got, s.apply(c.src))
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %s\n got %s\nwant %s", c.operator, c.src, strings.Join(got, "\n     "), strings.Join(c.want, "\n     "))
		}
	}
	for _, op := range operators() {
		if !slices.ContainsFunc(snippets, func(c struct {
			operator, src string
			want          []string
		}) bool {
			return c.operator == op.name && len(c.want) > 0
		}) {
			t.Errorf("no snippet shows %q", op.name)
		}
	}
}

// TestID holds that the name of a site outlives changes elsewhere in the file, and
// that no two sites of a file share one.
func TestID(t *testing.T) {
	line := "x = a[0] + a[0]; // b"
	before, after := sites(newSource("a.h", line)), sites(newSource("a.h", "int y;\n\n  "+line))
	seen := map[string]bool{}
	for _, s := range before {
		if seen[s.ID()] {
			t.Errorf("%s, %q: two have the ID %s", s.Operator, s.After, s.ID())
		}
		seen[s.ID()] = true
		if !slices.ContainsFunc(after, func(x site) bool { return x.ID() == s.ID() }) {
			t.Errorf("%s, %q has another ID two lines further down", s.Operator, s.After)
		}
	}
	if len(seen) < 4 {
		t.Errorf("%d sites", len(seen))
	}
}
