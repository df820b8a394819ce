package emittest

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"kmx/internal/diag"
)

// Case is one kernel with all that a launch of it needs.
type Case struct {
	Name string // of file and kernel
	File string // slash-separated, as given to Read
	Text []byte // the PTX, header included

	About     string
	Tier      int
	Grid      [3]int // blocks
	Block     [3]int // threads of a block
	Denormals Denormals
	Params    []Param
	args      []argument
	seed      string // of inputs, before the parameter's name

	// Want holds, for every parameter that is an output, the bytes that an NVIDIA
	// GPU left there; nil for the others. Only Cases sets it.
	Want [][]byte

	// Share is the part of an output's texels that may lie outside of its
	// tolerance: 0 but for kernels in which a last place decides a branch.
	Share float64
}

// Denormals is what a kernel wants done with f32 denormals.
type Denormals int

const (
	// Either way the results are the same.
	Either Denormals = iota
	// Keep: some instruction that could flush has no .ftz.
	Keep
	// Flush: its f32 instructions have .ftz.
	Flush
)

// Kind is what a parameter is.
type Kind int

const (
	Value   Kind = iota // by value, Bits
	Buffer              // address of Count elements in global memory
	Texture             // u64 handle
	Surface             // u64 handle
)

// Param is one kernel parameter. A Surface is both In and Out, a Texture In.
type Param struct {
	Name string
	Kind Kind
	Type Type // of a value, of a buffer's elements, of an image's channels
	Line int  // of the header, from 1

	Bits uint64 // Value

	Count   int // Buffer: elements; images: channels in all
	In, Out bool
	Fill    Fill
	Tolerance

	Image Image // Texture, Surface
}

// argument is one parameter of the kernel as it is declared: a plain one, or a
// structure of several Params.
type argument struct {
	name      string
	size      int
	structure bool
	members   []member
}

type member struct{ param, offset int }

// Arguments are the bytes of the kernel's parameters in the order of its
// declaration. The address of a buffer, or the handle of an image, comes from
// handle, which is asked with the index in Params.
func (c Case) Arguments(handle func(param int) uint64) [][]byte {
	var all [][]byte
	for _, a := range c.args {
		b := make([]byte, a.size)
		for _, m := range a.members {
			p := c.Params[m.param]
			if p.Kind == Value {
				p.Type.Put(b[m.offset:], 0, p.Bits)
			} else {
				binary.LittleEndian.PutUint64(b[m.offset:], handle(m.param))
			}
		}
		all = append(all, b)
	}
	return all
}

// Size is the bytes of a buffer or an image.
func (p Param) Size() int { return p.Count * p.Type.Size() }

// Read reads the cases of a folder, ordered by name, without their vectors. All
// that is wrong in them is in the error, a diag.List; the cases that can be read
// are returned all the same.
func Read(dir string) ([]Case, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.ptx"))
	if err != nil {
		return nil, err
	}
	var cases []Case
	var all diag.List
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return cases, err
		}
		c, list := parse(filepath.ToSlash(name), text)
		all = append(all, list...)
		if !list.HasErrors() {
			cases = append(cases, c)
		}
	}
	if len(names) == 0 {
		all = append(all, diag.Message{Summary: "no *.ptx in " + dir, Hint: "the corpus is emit/testdata/ptx, and emit/testdata/tier5"})
	}
	return cases, all.Err()
}

// Start is what parameter i holds before the launch: the seeded contents of an
// input, 0xa5 everywhere in an output, nil for a value.
func (c Case) Start(i int) []byte {
	p := c.Params[i]
	if p.Kind == Value {
		return nil
	}
	if !p.In {
		b := make([]byte, p.Size())
		for i := range b {
			b[i] = unwritten
		}
		return b
	}
	return p.Fill.Bytes(p.Type, p.Count, Seed(c.seed+p.Name))
}

// unwritten is what an output starts as, so that a store that is missing shows.
const unwritten = 0xa5

// Threads is the number of threads of a block.
func (c Case) Threads() int { return c.Block[0] * c.Block[1] * c.Block[2] }

// machine is all that decides what a GPU does, but for the inputs: launch,
// parameters without their tolerances, and the PTX without comments and white
// space at line ends.
func (c Case) machine() string {
	var b strings.Builder
	fmt.Fprintln(&b, c.Grid, c.Block)
	for _, a := range c.args {
		fmt.Fprintln(&b, a.size, a.members)
	}
	for _, p := range c.Params {
		m := p.Image
		fmt.Fprintln(&b, p.Name, p.Kind, p.Type, p.Count, p.In, p.Out,
			m.Format.Channels, m.Format.Bits, m.Format.Class, m.Width, m.Height, m.Linear, m.Address, m.Normalized)
	}
	for line := range strings.Lines(string(c.Text)) {
		line, _, _ = strings.Cut(line, "//")
		if line = strings.TrimSpace(line); line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}
