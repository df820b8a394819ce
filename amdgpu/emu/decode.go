package emu

import (
	"fmt"
	"strconv"
	"strings"
)

// decoded is one instruction taken apart, or one half of a dual instruction.
type decoded struct {
	addr     uint64
	size     int    // bytes
	text     string // as printed, spaces squeezed
	mnemonic string // as printed
	name     string // without encoding suffix
	encoding string // "e32", "e64", "dpp", "e64_dpp" or ""
	operands []operand
	rest     string // operand text, for instructions with a syntax of their own
	mods     modifiers
	target   generation
	wave64   bool
}

type generation int

const (
	gfx11 generation = 11
	gfx12 generation = 12
)

// modifiers are the words after the operands: name:value or a bare name. Those
// that a builder takes are removed; what is left is not modelled.
type modifiers map[string]string

func (m modifiers) flag(name string) bool {
	_, ok := m[name]
	delete(m, name)
	return ok
}

func (m modifiers) number(name string) (int, error) {
	text, ok := m[name]
	if !ok {
		return 0, nil
	}
	delete(m, name)
	v, err := strconv.ParseInt(text, 0, 64)
	if err != nil {
		return 0, fmt.Errorf("modifier %s:%s is not a number", name, text)
	}
	return int(v), nil
}

// list reads name:[1,0,...]; absent gives nil.
func (m modifiers) list(name string) ([]int, error) {
	text, ok := m[name]
	if !ok {
		return nil, nil
	}
	delete(m, name)
	inner, ok := between(text, "[", "]")
	if !ok {
		return nil, fmt.Errorf("modifier %s:%s is not a list", name, text)
	}
	var out []int
	for _, item := range strings.Split(inner, ",") {
		v, err := strconv.Atoi(strings.TrimSpace(item))
		if err != nil {
			return nil, fmt.Errorf("modifier %s:%s is not a list of numbers", name, text)
		}
		out = append(out, v)
	}
	return out, nil
}

// leftover names a modifier that nobody took.
func (m modifiers) leftover() error {
	for name, value := range m {
		if value != "" {
			name += ":" + value
		}
		return fmt.Errorf("modifier %s is not modelled here", name)
	}
	return nil
}

// parseText takes mnemonic, operands and modifiers apart.
func parseText(text string) (*decoded, error) {
	d := &decoded{text: text, mods: modifiers{}}
	d.mnemonic, d.rest, _ = strings.Cut(text, " ")
	d.name = d.mnemonic
	for _, suffix := range []string{"_e64_dpp", "_dpp", "_e32", "_e64"} {
		if base, ok := strings.CutSuffix(d.name, suffix); ok {
			d.name, d.encoding = base, suffix[1:]
			break
		}
	}
	d.rest = strings.TrimSpace(d.rest)
	if ownSyntax(d.name) || d.rest == "" || strings.Contains(text, " :: ") {
		return d, nil
	}
	parts := splitTop(d.rest, ',')
	last := splitTop(strings.TrimSpace(parts[len(parts)-1]), ' ')
	if parts[len(parts)-1] = last[0]; len(parts) == 1 && strings.Contains(last[0], ":") && !strings.Contains(last[0], "[") {
		parts, last = nil, append([]string{""}, last...) // modifiers only
	}
	for _, word := range last[1:] {
		if name, value, ok := strings.Cut(word, ":"); ok {
			d.mods[name] = value
		} else if word != "" {
			d.mods[word] = ""
		}
	}
	for _, part := range parts {
		o, err := parseOperand(strings.TrimSpace(part))
		if err != nil {
			return d, err
		}
		d.operands = append(d.operands, o)
	}
	return d, nil
}

// ownSyntax are instructions whose operands are no registers or numbers.
func ownSyntax(name string) bool {
	switch name {
	case "s_delay_alu", "s_sendmsg", "s_sendmsghalt", "s_waitcnt", "s_getreg_b32", "s_setreg_b32", "s_setreg_imm32_b32",
		"s_waitcnt_depctr", "s_wait_alu", "s_sendmsg_rtn_b32", "s_sendmsg_rtn_b64", "s_wait_event":
		return true
	}
	return false
}

// splitTop splits at separators outside brackets, parentheses and bars.
func splitTop(text string, separator byte) []string {
	var out []string
	depth, bars, start := 0, false, 0
	for i := range len(text) {
		switch c := text[i]; {
		case c == '[' || c == '(':
			depth++
		case c == ']' || c == ')':
			depth--
		case c == '|':
			bars = !bars
		case c == separator && depth == 0 && !bars:
			out = append(out, text[start:i])
			start = i + 1
		}
	}
	return append(out, text[start:])
}

// want checks the number of operands.
func (d *decoded) want(n int) error {
	if len(d.operands) != n {
		return fmt.Errorf("%s has %d operands, %d are modelled", d.mnemonic, len(d.operands), n)
	}
	return nil
}
