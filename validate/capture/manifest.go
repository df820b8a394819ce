package capture

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// manifest is manifest.txt, line by line: a first word that says what it is.
// Lines that begin with another word are left alone.
type manifest struct {
	Capture // without contents
	args    int
	sizes   map[int]int64 // of allocations, by number
	// seen says which lines there were.
	seen map[string]bool
}

// Limits of what is read, far above what any launch has.
const (
	maxParams      = 64 << 10
	maxAllocations = 4096
	maxBytes       = 1 << 40
)

// parseManifest reads a manifest. Problems come with their line.
func parseManifest(data []byte) (*manifest, []string) {
	m := &manifest{sizes: map[int]int64{}, seen: map[string]bool{}}
	var problems []string
	for i, line := range strings.Split(string(data), "\n") {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if err := m.line(words[0], words[1:]); err != nil {
			problems = append(problems, fmt.Sprintf("line %d: %s: %v", i+1, words[0], err))
		}
	}
	for _, word := range []string{"kernel", "launch", "args"} {
		if !m.seen[word] {
			problems = append(problems, fmt.Sprintf("there is no line %q", word))
		}
	}
	for _, p := range m.Pointers {
		if p.Offset+8 > m.args && m.seen["args"] {
			problems = append(problems, fmt.Sprintf("the pointer at offset %d lies beyond the %d bytes of parameters", p.Offset, m.args))
		}
		if size, ok := m.sizes[p.Number]; ok && p.Delta > uint64(size) {
			problems = append(problems, fmt.Sprintf("the pointer at offset %d leads %d bytes into allocation %d, which has %d", p.Offset, p.Delta, p.Number, size))
		}
	}
	slices.SortFunc(m.Allocations, func(a, b Allocation) int { return a.Number - b.Number })
	return m, problems
}

func (m *manifest) line(what string, words []string) error {
	shape := map[string]int{"kernel": 1, "launch": 7, "args": 1, "alloc": 3, "pointer": 3, "surface": 1, "texture": 1}
	n, known := shape[what]
	switch {
	case !known:
		return nil
	case len(words) != n:
		return fmt.Errorf("%d values, there should be %d", len(words), n)
	case n != 3 && what != "surface" && what != "texture":
		if m.seen[what] {
			return fmt.Errorf("it is there twice")
		}
		m.seen[what] = true
	}
	if what == "kernel" {
		m.Kernel = words[0]
		return checkName(m.Kernel)
	}
	v := make([]uint64, n)
	for i, w := range words {
		bits := 63
		if what == "launch" {
			bits = 32
		} else if what == "alloc" && i == 1 {
			bits = 64
		}
		var err error
		if v[i], err = strconv.ParseUint(w, 0, bits); err != nil {
			return fmt.Errorf("%q is no number of %d bits", w, bits)
		}
	}
	switch what {
	case "launch":
		for i, x := range v[:6] {
			if x == 0 {
				return fmt.Errorf("a size is 0")
			}
			if i < 3 {
				m.Grid[i] = uint32(x)
			} else {
				m.Block[i-3] = uint32(x)
			}
		}
		m.SharedBytes = uint32(v[6])
	case "args":
		if m.args = int(min(v[0], maxParams+1)); m.args > maxParams {
			return fmt.Errorf("%d bytes of parameters are more than any kernel has (%d)", v[0], maxParams)
		}
	case "alloc":
		number := int(min(v[0], maxAllocations))
		switch _, twice := m.sizes[number]; {
		case number >= maxAllocations:
			return fmt.Errorf("number %d is too large", v[0])
		case twice:
			return fmt.Errorf("allocation %d is there twice", number)
		case v[2] > maxBytes:
			return fmt.Errorf("%d bytes are more than any device has", v[2])
		}
		m.sizes[number] = int64(v[2])
		m.Allocations = append(m.Allocations, Allocation{Number: number, Base: v[1]})
	case "pointer":
		if v[0] > maxParams || v[1] >= maxAllocations {
			return fmt.Errorf("offset %d or number %d is too large", v[0], v[1])
		}
		m.Pointers = append(m.Pointers, Pointer{int(v[0]), int(v[1]), v[2]})
	default:
		if v[0] > maxParams {
			return fmt.Errorf("offset %d is too large", v[0])
		}
		if what == "surface" {
			m.Surfaces = append(m.Surfaces, int(v[0]))
		} else {
			m.Textures = append(m.Textures, int(v[0]))
		}
	}
	return nil
}

// checkName accepts what can be a kernel's symbol and a directory's name.
func checkName(name string) error {
	for _, r := range name {
		if !(r == '_' || r == '.' || r == '$' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z') {
			return fmt.Errorf("%q is no name of a kernel", name)
		}
	}
	if name == "" || strings.Trim(name, ".") == "" || len(name) > 200 {
		return fmt.Errorf("%q is no name of a kernel", name)
	}
	return nil
}

// formatManifest writes the manifest of a capture, words in the order of their
// offsets and each allocation before the first pointer into it. Allocations that
// no parameter points into come last.
func formatManifest(c *Capture) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "kernel %s\n", c.Kernel)
	fmt.Fprintf(&b, "launch %d %d %d %d %d %d %d\n", c.Grid[0], c.Grid[1], c.Grid[2], c.Block[0], c.Block[1], c.Block[2], c.SharedBytes)
	fmt.Fprintf(&b, "args %d\n", len(c.Args))
	type word struct {
		at   int
		text string
	}
	var words []word
	for _, at := range c.Surfaces {
		words = append(words, word{at, fmt.Sprintf("surface %d\n", at)})
	}
	for _, at := range c.Textures {
		words = append(words, word{at, fmt.Sprintf("texture %d\n", at)})
	}
	pointers := slices.Clone(c.Pointers)
	slices.SortStableFunc(pointers, func(a, b Pointer) int { return a.Offset - b.Offset })
	written := map[int]bool{}
	alloc := func(number int) string {
		for _, a := range c.Allocations {
			if a.Number == number && !written[number] {
				written[number] = true
				return fmt.Sprintf("alloc %d 0x%x %d\n", number, a.Base, len(a.Data))
			}
		}
		return ""
	}
	for _, p := range pointers {
		words = append(words, word{p.Offset, alloc(p.Number) + fmt.Sprintf("pointer %d %d %d\n", p.Offset, p.Number, p.Delta)})
	}
	slices.SortStableFunc(words, func(a, b word) int { return a.at - b.at })
	for _, w := range words {
		b.WriteString(w.text)
	}
	for _, a := range c.Allocations {
		b.WriteString(alloc(a.Number))
	}
	return b.Bytes()
}
