package emittest

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"kmx/internal/diag"
)

// maxBytes bounds one buffer or image: a corpus of small kernels.
const maxBytes = 1 << 20

// header is a header being read.
type header struct {
	c    Case
	line int
	seen map[string]bool
	list diag.List
}

func parse(file string, text []byte) (Case, diag.List) {
	name, _ := strings.CutSuffix(path.Base(file), ".ptx")
	h := &header{c: Case{Name: name, File: file, Text: text, Tier: -1, seed: name + "."}, seen: map[string]bool{}}
	for line := range strings.Lines(string(text)) {
		h.line++
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "//!")
		if !ok {
			break
		}
		h.statement(strings.Fields(rest), strings.TrimSpace(rest))
	}
	h.whole(string(text))
	return h.c, h.list
}

func (h *header) fail(format string, args ...any) {
	h.list = append(h.list, diag.Message{
		Summary: fmt.Sprintf(format, args...),
		Where:   diag.Range{File: h.c.File, Start: diag.Pos{Line: h.line, Column: 1}},
		Hint:    "the header is described in the documentation of kmx/emit/emittest",
	})
}

// whole checks what no single line can.
func (h *header) whole(text string) {
	h.line = 1
	if h.c.Tier < 0 {
		h.fail("no tier")
	}
	if h.c.About == "" {
		h.fail("it does not say what it is about")
	}
	if h.c.Grid[0] == 0 {
		h.fail("no launch")
	}
	out := false
	for _, p := range h.c.Params {
		out = out || p.Out
	}
	if !out {
		h.fail("it has no output")
	}
	if n := strings.Count(text, ".entry"); n != 1 {
		h.fail("it has %d entries, not one", n)
	} else if !strings.Contains(text, ".entry "+h.c.Name+"(") && !strings.Contains(text, ".entry "+h.c.Name+" (") {
		h.fail("its entry is not named %s as the file is", h.c.Name)
	}
}

func (h *header) statement(words []string, rest string) {
	if len(words) == 0 {
		h.fail("an empty header line")
		return
	}
	switch w := words[1:]; words[0] {
	case "about":
		h.c.About = strings.TrimSpace(strings.TrimPrefix(rest, "about"))
	case "tier":
		n, err := strconv.Atoi(strings.Join(w, " "))
		if err != nil || n < 0 || n > 5 {
			h.fail("tier is 0 to 5")
			return
		}
		h.c.Tier = n
	case "launch":
		if len(w) != 2 || !shape(w[0], &h.c.Grid) || !shape(w[1], &h.c.Block) {
			h.fail("launch takes grid and block, as in: launch 2 16x4")
		} else if h.c.Threads() > 1024 {
			h.fail("%d threads a block; 1024 are the most", h.c.Threads())
		}
	case "denormals":
		at := map[string]Denormals{"keep": Keep, "flush": Flush}[strings.Join(w, " ")]
		if at == Either {
			h.fail("denormals is keep or flush")
		}
		h.c.Denormals = at
	case "in", "out", "inout":
		h.buffer(words[0], w)
	case "value":
		h.value(w)
	case "struct":
		h.structure(w)
	case "tex", "surf":
		h.image(words[0], w)
	default:
		h.fail("%q is no word of a header", words[0])
	}
}

// shape reads x, XxY or XxYxZ.
func shape(s string, to *[3]int) bool {
	parts := strings.Split(s, "x")
	*to = [3]int{1, 1, 1}
	if len(parts) > 3 {
		return false
	}
	for i, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil || n < 1 || n > 65535 {
			return false
		}
		to[i] = n
	}
	return true
}

// add takes a parameter whose last words are its fill and its tolerance.
func (h *header) add(p Param, words []string) {
	p.Line = h.line
	name, offset, inside := strings.Cut(p.Name, "@")
	p.Name = name
	if h.seen[p.Name] {
		h.fail("two parameters named %s", p.Name)
		return
	}
	h.seen[p.Name] = true
	if p.Kind != Value && (p.Count < 1 || p.Size() > maxBytes) {
		h.fail("%s has %d bytes; 1 to %d are possible", p.Name, p.Size(), maxBytes)
		return
	}
	var err error
	if p.In {
		if p.Fill, words, err = readFill(words); err != nil {
			h.fail("%s: %v", p.Name, err)
			return
		}
	}
	if p.Out {
		if p.Tolerance, words, err = readTolerance(words); err != nil {
			h.fail("%s: %v", p.Name, err)
			return
		}
		if !p.Exact && p.Type.Base != 'f' {
			h.fail("%s: only floats have a tolerance", p.Name)
			return
		}
	}
	if len(words) > 0 {
		h.fail("%s: %q is too much", p.Name, strings.Join(words, " "))
		return
	}
	h.place(p, inside, offset)
	h.c.Params = append(h.c.Params, p)
}

// place finds room for a parameter: of its own, or in the last structure.
func (h *header) place(p Param, inside bool, offset string) {
	size := 8
	if p.Kind == Value {
		size = p.Type.Size()
	}
	index := len(h.c.Params)
	if !inside {
		h.c.args = append(h.c.args, argument{name: p.Name, size: size, members: []member{{index, 0}}})
		return
	}
	at, err := strconv.Atoi(offset)
	if len(h.c.args) == 0 || !h.c.args[len(h.c.args)-1].structure || err != nil || at < 0 || at%size != 0 || at+size > h.c.args[len(h.c.args)-1].size {
		h.fail("%s lies at no place of a structure that stands before it", p.Name)
		return
	}
	last := &h.c.args[len(h.c.args)-1]
	last.members = append(last.members, member{index, at})
}

// structure begins a parameter of several.
func (h *header) structure(w []string) {
	n, err := strconv.Atoi(strings.Join(w[min(1, len(w)):], " "))
	if len(w) != 2 || err != nil || n < 1 || n > 4096 {
		h.fail("struct takes name and size, 4096 bytes at most")
		return
	}
	h.c.args = append(h.c.args, argument{name: w[0], size: n, structure: true})
}

func (h *header) buffer(kind string, w []string) {
	if len(w) < 4 {
		h.fail("%s takes name, type, count and more", kind)
		return
	}
	t, ok := ParseType(w[1])
	n, err := strconv.Atoi(w[2])
	if !ok || err != nil {
		h.fail("%s %s is no type and count", w[1], w[2])
		return
	}
	h.add(Param{Name: w[0], Kind: Buffer, Type: t, Count: n, In: kind != "out", Out: kind != "in"}, w[3:])
}

func (h *header) value(w []string) {
	if len(w) != 3 {
		h.fail("value takes name, type and number")
		return
	}
	t, ok := ParseType(w[1])
	if !ok {
		h.fail("%s is no type", w[1])
		return
	}
	bits, err := t.number(w[2])
	if err != nil {
		h.fail("%s: %v", w[0], err)
		return
	}
	h.add(Param{Name: w[0], Kind: Value, Type: t, Bits: bits}, nil)
}
