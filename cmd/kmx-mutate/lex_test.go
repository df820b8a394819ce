package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestLex(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"a+=b; // c\n/* d\n */ e", "1:a 1:+= 1:b 1:; 3:e"},
		{"x<<2 >= y->z::w", "1:x 1:<< 1:2 1:>= 1:y 1:-> 1:z 1::: 1:w"},
		{"1.0f 0x7fffu 7.5", "1:1.0f 1:0x7fffu 1:7.5"},
		{`f("a\"b", 'c')`, `1:f 1:( 1:"a\"b" 1:, 1:'c' 1:)`},
		{"#define A \\\n  b\nc", "1:# 1:define 1:A 2:b 3:c"},
		{"/* open", ""},
		{`"open`, `1:"open`},
	} {
		var got []string
		for _, x := range lex(c.src) {
			got = append(got, fmt.Sprintf("%d:%s", x.line, x.text))
			if c.src[x.start:x.end] != x.text {
				t.Errorf("%q: token %q stands at %d to %d", c.src, x.text, x.start, x.end)
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%q\n got %s\nwant %s", c.src, s, c.want)
		}
	}
}

func TestLexDirectives(t *testing.T) {
	var got []string
	for _, x := range lex("#if A && \\\n B\n#  define C(x) (x)\nd\n") {
		got = append(got, x.text+"/"+x.directive)
	}
	want := "#/# if/if A/if &&/if B/if #/# define/define C/define (/define x/define )/define (/define x/define )/define d/"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("\n got %s\nwant %s", s, want)
	}
}

func TestFixed(t *testing.T) {
	s := newSource("a.h", `#if N > 4
static_assert(a < b);
u32 f(u32 a) { if (a % 3 == 0) phase(); return a < 2; }
constexpr bool laid_out(u32 a) { return a < 3; }
#define M(x) (x < 1)
`)
	var open []string
	for i, x := range s.tokens {
		if x.text == "<" && !x.fixed {
			open = append(open, fmt.Sprint(x.line, s.tokens[i].function))
		}
		if x.text == "%" && !x.fixed {
			t.Error("the condition of a hint to the scheduler is open")
		}
	}
	if got := strings.Join(open, ","); got != "3f,5" {
		t.Errorf("places that can be mutated: %s", got)
	}
}

func FuzzSites(f *testing.F) {
	f.Add("u32 f(u32 a) { for (u32 i = 0; i < 4; i++) x[i] = a ? b : c + d * 2; }")
	f.Add("} ] ) { ( [ < > ? : ,")
	f.Add("if (a) { return b<c, d>(e); } T x[2][M] = {{1, 2}, {}};")
	f.Fuzz(func(t *testing.T, src string) {
		for _, s := range sites(newSource("a.h", src)) {
			if got := s.apply(src); got == src {
				t.Errorf("%s changes nothing", s.Operator)
			}
		}
	})
}
