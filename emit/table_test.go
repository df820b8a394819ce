package emit_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"kmx/amdgpu/emu"
	"kmx/emit"
)

// row is one instruction with what PTX says of its result. In text, $d is the
// destination, $a, $b, $c and $e are operands, each a register of the type named
// in types; want gives the bits of the result of the bits of the operands.
type row struct {
	text   string
	result string   // type of $d: b16, b32, b64, pred, f16 ...
	types  []string // of the operands
	want   func(v []uint64) uint64
	near   int // units in the last place that the result may be off; 0: none
}

// threads of a table's kernel: two blocks, so that waves are full.
const tableThreads = 512

func sizeOf(typ string) int {
	switch {
	case typ == "pred":
		return 1
	case strings.HasSuffix(typ, "x2"):
		return 32
	}
	n := 0
	fmt.Sscanf(typ[1:], "%d", &n)
	return n
}

// tableKernel is PTX that runs every row on the inputs of its thread: four words
// of 64 bits, cut to the operands' sizes.
func tableKernel(rows []row) string {
	var b strings.Builder
	b.WriteString(header + ".visible .entry table(.param .u64 in_ptr, .param .u64 out_ptr)\n.maxntid 256, 1, 1\n{\n")
	b.WriteString(".reg .pred %p<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<20>;\n.reg .b64 %d<20>;\n.reg .b64 %at<9>;\n")
	b.WriteString("ld.param.u64 %at1, [in_ptr];\nld.param.u64 %at2, [out_ptr];\n")
	b.WriteString("mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nshl.b32 %r2, %r2, 8;\nadd.u32 %r1, %r1, %r2;\n")
	b.WriteString("mul.wide.u32 %at3, %r1, 32;\nadd.u64 %at1, %at1, %at3;\nmul.wide.u32 %at3, %r1, 8;\nadd.u64 %at2, %at2, %at3;\n")
	for i := range 4 {
		fmt.Fprintf(&b, "ld.global.u64 %%d%d, [%%at1+%d];\ncvt.u32.u64 %%r%d, %%d%d;\ncvt.u16.u64 %%h%d, %%d%d;\n", i, 8*i, i+4, i, i, i)
		fmt.Fprintf(&b, "and.b64 %%d9, %%d%d, 1;\nsetp.ne.u64 %%p%d, %%d9, 0;\n", i, i)
	}
	register := func(typ string, i int) string {
		switch sizeOf(typ) {
		case 1:
			return fmt.Sprintf("%%p%d", i)
		case 16:
			return fmt.Sprintf("%%h%d", i)
		case 32:
			return fmt.Sprintf("%%r%d", i+4)
		}
		return fmt.Sprintf("%%d%d", i)
	}
	for i, r := range rows {
		text := strings.ReplaceAll(r.text, "$d", register(r.result, 8))
		for j, t := range r.types {
			text = strings.ReplaceAll(text, "$"+"abce"[j:j+1], register(t, j))
		}
		b.WriteString(text + "\n")
		switch sizeOf(r.result) {
		case 1:
			b.WriteString("selp.u64 %d8, 1, 0, %p8;\n")
		case 16:
			b.WriteString("cvt.u64.u16 %d8, %h8;\n")
		case 32:
			b.WriteString("cvt.u64.u32 %d8, %r12;\n")
		}
		fmt.Fprintf(&b, "st.global.u64 [%%at2+%d], %%d8;\n", 8*tableThreads*i)
	}
	b.WriteString("ret;\n}\n")
	return b.String()
}

func cut(v uint64, typ string) uint64 {
	if n := sizeOf(typ); n < 64 {
		return v & (1<<n - 1)
	}
	return v
}

// inputs are edge values of every kind in every pairing, and random bits.
func inputs(edges []uint64) []uint64 {
	random := rand.New(rand.NewPCG(1, 2))
	v := make([]uint64, 4*tableThreads)
	for i := range tableThreads {
		for j := range 4 {
			switch {
			case random.IntN(8) == 0:
				v[4*i+j] = random.Uint64()
			case random.IntN(6) == 0:
				v[4*i+j] = uint64(random.IntN(70))
			default:
				v[4*i+j] = edges[random.IntN(len(edges))]
			}
		}
	}
	return v
}

// runTable runs rows on every machine and compares with what they say.
func runTable(t *testing.T, rows []row, edges []uint64, options ...emit.Options) {
	m := parse(t, tableKernel(rows))
	in := inputs(edges)
	for _, o := range options {
		t.Run(name(o), func(t *testing.T) {
			t.Parallel()
			p := program(t, m, "table", o)
			d := newDevice(t)
			raw := make([]byte, 8*len(in))
			for i, v := range in {
				binary.LittleEndian.PutUint64(raw[8*i:], v)
			}
			d.buffer("in", raw)
			out := d.buffer("out", make([]byte, 8*tableThreads*len(rows)))
			d.launch(p, emu.Launch{Kernel: "table", Grid: [3]uint32{2}, Block: [3]uint32{256}})
			for i, r := range rows {
				bad := 0
				for k := range tableThreads {
					args := make([]uint64, len(r.types))
					for j, typ := range r.types {
						args[j] = cut(in[4*k+j], typ)
					}
					want := cut(r.want(args), r.result)
					got := binary.LittleEndian.Uint64(out[8*(tableThreads*i+k):])
					if !same(got, want, r.result, r.near) {
						if bad++; bad <= 3 {
							t.Errorf("%s with %#x = %#x, want %#x", r.text, args, got, want)
						}
					}
				}
			}
		})
	}
}

// same compares results: floats by value, any NaN with any.
func same(got, want uint64, typ string, near int) bool {
	if got == want {
		return true
	}
	switch typ {
	case "f16":
		return isNaN16(got) && isNaN16(want) || near > 0 && apart(got, want, 16) <= near
	case "f16x2":
		return same(got&0xffff, want&0xffff, "f16", near) && same(got>>16, want>>16, "f16", near)
	case "f32":
		return isNaN32(got) && isNaN32(want) || near > 0 && apart(got, want, 32) <= near
	case "f64":
		return math.IsNaN(math.Float64frombits(got)) && math.IsNaN(math.Float64frombits(want))
	}
	return false
}

func isNaN16(v uint64) bool { return v&0x7fff > 0x7c00 }
func isNaN32(v uint64) bool { return v&0x7fffffff > 0x7f800000 }

// apart is how many numbers lie between two of the same sign.
func apart(a, b uint64, bits int) int {
	sign := uint64(1) << (bits - 1)
	line := func(v uint64) int64 {
		if v&sign != 0 {
			return -int64(v &^ sign)
		}
		return int64(v)
	}
	d := line(a) - line(b)
	return int(max(d, -d))
}

func replace(s, from, to string) string { return strings.ReplaceAll(s, from, to) }
