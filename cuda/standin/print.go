package standin

import (
	"fmt"
	"math"
	"strings"
)

// text prints a function behind its head: from { to }. Lines end with "\n".
func (f *fn) text() string {
	var b strings.Builder
	b.WriteString("{\n")
	if f.depot > 0 {
		fmt.Fprintf(&b, "\t.local .align 16 .b8 \t__local_depot%d[%d];\n\t.reg .b64 \t%%SP;\n\t.reg .b64 \t%%SPL;\n", f.index, f.depot)
	}
	var counts [classes]int
	for _, r := range f.all {
		counts[r.class] = max(counts[r.class], r.number+1)
	}
	for c, n := range counts {
		if n > 1 {
			fmt.Fprintf(&b, "\t.reg %s \t%s<%d>;\n", kinds[c], prefixes[c], n)
		}
	}
	for _, a := range f.shared {
		fmt.Fprintf(&b, "\t// demoted variable\n\t.shared .align 16 .b8 %s[%d];\n", a.name, a.bytes)
	}
	b.WriteString("\n")
	if f.depot > 0 {
		fmt.Fprintf(&b, "\tmov.u64 \t%%SPL, __local_depot%d;\n", f.index)
	}
	for _, blk := range f.blocks {
		if blk.label > 0 {
			fmt.Fprintf(&b, "\n%s:\n", f.labelOf(blk))
		}
		if blk.pragma != "" {
			fmt.Fprintf(&b, "\t.pragma \"%s\";\n", blk.pragma)
		}
		for _, in := range blk.insts {
			f.statement(&b, in)
		}
	}
	b.WriteString("\n}\n")
	return b.String()
}

func (f *fn) labelOf(b *block) string { return fmt.Sprintf("$L__BB%d_%d", f.index, b.number) }

func name(r *reg) string { return fmt.Sprintf("%s%d", prefixes[r.class], r.number) }

func (f *fn) statement(b *strings.Builder, in *inst) {
	if in.lines != nil {
		for _, l := range in.lines(name) {
			if l != "" {
				b.WriteString("\t" + l)
			}
			b.WriteString("\n")
		}
		return
	}
	guard := ""
	if in.guard != nil {
		guard = "@"
		if in.not {
			guard += "!"
		}
		guard += name(in.guard) + " "
	}
	args := make([]string, len(in.args))
	for i, a := range in.args {
		args[i] = f.operand(a)
	}
	list := strings.Join(args, ", ")
	switch {
	case in.style == inline:
		fmt.Fprintf(b, "\t// begin inline asm\n\t%s{%s %s;}\n\n\t// end inline asm\n", guard, in.op, list)
	case in.op == "bar.warp.sync":
		fmt.Fprintf(b, "\t%s%s %s;\n", guard, in.op, list)
	case list == "":
		fmt.Fprintf(b, "\t%s%s;\n", guard, in.op)
	default:
		fmt.Fprintf(b, "\t%s%s \t%s;\n", guard, in.op, list)
	}
}

func (f *fn) operand(a any) string {
	switch a := a.(type) {
	case *reg:
		return name(a)
	case int:
		return fmt.Sprint(a)
	case float64:
		return fmt.Sprintf("0f%08X", math.Float32bits(float32(a)))
	case string:
		return a
	case vec:
		names := make([]string, len(a))
		for i, r := range a {
			names[i] = name(r)
		}
		return "{" + strings.Join(names, ", ") + "}"
	case mem:
		if a.offset == 0 {
			return "[" + f.operand(a.base) + "]"
		}
		return "[" + f.operand(a.base) + "+" + f.operand(a.offset) + "]"
	case texel:
		return "[" + name(a.object) + ", " + f.operand(a.at) + "]"
	case both:
		return name(a.d) + "|" + name(a.p)
	case target:
		return f.labelOf(a.block)
	}
	return fmt.Sprintf("<%T>", a)
}
