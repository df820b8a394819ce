package emu

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// attributes are the features of the target that an object does not name:
// 64 lanes, and 16-bit instructions that address halves of registers.
func (p *Program) attributes(halves bool) string {
	var list []string
	if p.wave64 {
		list = append(list, "+wavefrontsize64")
	}
	if halves {
		list = append(list, "+real-true16")
	}
	return strings.Join(list, ",")
}

// disassemble runs llvm-objdump on the object.
func disassemble(ctx context.Context, object []byte, objdump, attributes string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "kmx-emu-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "object.hsaco")
	if err := os.WriteFile(file, object, 0o600); err != nil {
		return nil, err
	}
	args := []string{"--disassemble", "--disassemble-zeroes"}
	if attributes != "" {
		args = append(args, "--mattr="+attributes)
	}
	cmd := exec.CommandContext(ctx, objdump, append(args, file)...)
	if dirs := librariesOf(objdump); dirs != "" {
		cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+dirs)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("%s could not disassemble the object: %w\n%s", objdump, err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}

var (
	instructionLine = regexp.MustCompile(`^\s+(\S.*?)\s*// ([0-9A-F]+):((?: [0-9A-F]{8})+)`)
	functionLine    = regexp.MustCompile(`^([0-9a-f]+) <(.+)>:$`)
)

// decode parses a disassembly: first where instructions begin, then what they do.
func (p *Program) decode(text []byte) error {
	for line := range strings.SplitSeq(string(text), "\n") {
		if m := functionLine.FindStringSubmatch(line); m != nil {
			addr, err := strconv.ParseUint(m[1], 16, 64)
			if err != nil {
				return err
			}
			p.places = append(p.places, place{addr, m[2]})
			continue
		}
		m := instructionLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		addr, err := strconv.ParseUint(m[2], 16, 64)
		if err != nil {
			return err
		}
		p.code = append(p.code, inst{addr: addr, size: 4 * len(strings.Fields(m[3])), text: strings.Join(strings.Fields(m[1]), " ")})
	}
	if len(p.code) == 0 {
		return fmt.Errorf("the disassembly holds no instruction")
	}
	slices.SortStableFunc(p.code, func(a, b inst) int { return int(int64(a.addr) - int64(b.addr)) })
	p.base = p.code[0].addr
	last := p.code[len(p.code)-1]
	words := (last.addr + uint64(last.size) - p.base) / 4
	if words > uint64(len(text)) {
		return fmt.Errorf("the disassembly's addresses reach from 0x%x to 0x%x", p.base, last.addr)
	}
	p.index = make([]int32, words)
	for i := range p.index {
		p.index[i] = -1
	}
	for i, in := range p.code {
		p.index[(in.addr-p.base)/4] = int32(i)
	}
	for i := range p.code {
		p.build(&p.code[i])
	}
	return nil
}

// indexOf finds the instruction at an address of the object.
func (p *Program) indexOf(addr uint64) (int, bool) {
	at := addr - p.base
	if at%4 != 0 || at/4 >= uint64(len(p.index)) || p.index[at/4] < 0 {
		return 0, false
	}
	return int(p.index[at/4]), true
}

// build makes an instruction runnable, or one that faults when it is reached.
func (p *Program) build(in *inst) {
	d, err := parseText(in.text)
	if err == nil {
		d.addr, d.size, d.target, d.wave64 = in.addr, in.size, p.target, p.wave64
		in.class = instructionClass(d.name)
		for _, o := range d.operands {
			for _, o := range append(o.ranges, o) {
				if o.kind == vgpr {
					in.vgprs = max(in.vgprs, o.reg+o.count)
				}
			}
		}
		in.run, err = p.instruction(d)
		if err == nil {
			err = d.mods.leftover()
		}
	}
	if err != nil {
		in.err = err
		in.run = func(w *wave) { w.fail(NotModelled, -1, "%v", err) }
	}
}

// place is an address as function and offset.
func (p *Program) place(addr uint64) string {
	best := -1
	for i, f := range p.places {
		if f.addr <= addr && (best < 0 || f.addr >= p.places[best].addr) {
			best = i
		}
	}
	if best < 0 {
		return ""
	}
	if f := p.places[best]; f.addr != addr {
		return fmt.Sprintf("%s+0x%x", f.name, addr-f.addr)
	}
	return p.places[best].name
}
