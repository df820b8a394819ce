package emit_test

import (
	"errors"
	"strings"
	"testing"

	"kmx/emit"
)

// In wave64 a barrier that only one of two warps may meet is refused; what both
// meet, and leaving before, is not.
func TestBarriersInWave64(t *testing.T) {
	tests := []struct {
		name, body string
		refused    bool
	}{
		{"at the top", "bar.sync 0;", false},
		{"after an early end", "setp.gt.u32 %p1, %r1, 40; @%p1 bra END; bar.sync 0; bar.sync 0;", false},
		{"after a condition", "setp.gt.u32 %p1, %r1, 40; @%p1 bra L; add.u32 %r3, %r3, 1; L: bar.sync 0;", false},
		{"in a loop of equal rounds", "mov.u32 %r4, 0; L: bar.sync 0; add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r2; @%p1 bra L; bar.sync 0;", false},
		{"in a loop of rounds from memory", "ld.global.u32 %r5, [%rd1]; mov.u32 %r4, 0; L: bar.sync 0; add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r5; @%p1 bra L; bar.sync 0;", false},
		{"after a loop of other rounds", "mov.u32 %r4, %r1; L: add.u32 %r4, %r4, %r2; setp.lt.u32 %p1, %r4, 900; @%p1 bra L; bar.sync 0;", false},
		{"around a loop of other rounds", "mov.u32 %r5, 0; M: mov.u32 %r4, %r1; L: add.u32 %r4, %r4, %r2; setp.lt.u32 %p1, %r4, 900; @%p1 bra L; bar.sync 0; add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 9; @%p2 bra M; bar.sync 0;", false},
		{"on a condition of the block", "setp.gt.u32 %p1, %r2, 40; @%p1 bra L; bar.sync 0; L: bar.sync 0;", false},
		{"last one in a loop of other rounds", "mov.u32 %r4, %r1; L: bar.sync 0; add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 9; @%p1 bra L;", false},

		{"on one way of two", "setp.gt.u32 %p1, %r1, 40; @%p1 bra L; bar.sync 0; L: bar.sync 0;", true},
		{"on both ways", "setp.gt.u32 %p1, %r1, 40; @%p1 bra L; bar.sync 0; bra M; L: bar.sync 0; M: add.u32 %r3, %r3, 1;", true},
		{"in a loop of other rounds", "mov.u32 %r4, %r1; L: bar.sync 0; add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 9; @%p1 bra L; bar.sync 0;", true},
		{"in a loop whose bound was chosen", "mov.u32 %r5, 3; setp.gt.u32 %p1, %r1, 40; @%p1 bra N; mov.u32 %r5, 4; N: mov.u32 %r4, 0; L: bar.sync 0; add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, %r5; @%p2 bra L; bar.sync 0;", true},
		{"on a vote", "setp.gt.u32 %p1, %r2, 40; vote.sync.any.pred %p2, %p1, -1; @%p2 bra L; bar.sync 0; L: bar.sync 0;", true},
		{"on memory of the thread", "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd2, %rd1; ld.global.u32 %r5, [%rd2]; setp.gt.u32 %p1, %r5, 40; @%p1 bra L; bar.sync 0; L: bar.sync 0;", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text := header + ".visible .entry k(.param .u64 k_0) {\n.reg .pred %p<4>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<3>;\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, 0;\nld.param.u64 %rd1, [k_0];\n" +
				strings.ReplaceAll(test.body, "; ", ";\n") + "\nEND:\nst.global.u32 [%rd1], %r3;\nret;\n}\n"
			m := parse(t, text)
			if _, err := emit.Lower(m, "k", emit.Options{Target: "gfx1201"}); err != nil {
				t.Fatalf("in wave32: %v", err)
			}
			_, err := emit.Lower(m, "k", emit.Options{Target: "gfx1201", Wave64: true})
			var refusal *emit.Refusal
			if refused := errors.As(err, &refusal); refused != test.refused || err != nil && !refused {
				t.Errorf("%v", err)
			} else if refused && !strings.Contains(err.Error(), "two warps of a wave may differ") {
				t.Error(err)
			}
		})
	}
}
