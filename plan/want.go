package plan

import (
	"bytes"
	"errors"
	"strings"

	"kmx/amdgpu/codeobj"
	"kmx/matrix"
)

// Want is the promise the object of cell c has to keep. Paths are prefixes of
// this machine that may stand in no string of it.
func Want(c *matrix.Cell, paths []string) codeobj.Want {
	w := codeobj.Want{
		Name:     c.Kernel,
		Target:   c.Target.Name,
		WaveSize: 32,
		Hook:     map[string]uint32{},
		Limits:   codeobj.Limits(c.Limits),
		Paths:    paths,
	}
	if c.Wave64 {
		w.WaveSize = 64
	}
	for _, h := range c.Hook {
		w.Hook[h.Name] = h.Value
	}
	return w
}

// A CheckError reports an object that does not keep its cell's promise.
type CheckError struct {
	Address  string
	Problems []codeobj.Problem
}

func (e *CheckError) Error() string {
	var b strings.Builder
	b.WriteString("the object does not match its declaration: ")
	for i, p := range e.Problems {
		if i > 0 { // the first one stands on the line that people see first
			b.WriteString("\n  ")
		}
		b.WriteString(p.String())
	}
	return b.String()
}

// check opens a fresh or cached object of cell c, compares it with the
// declaration and hands it to opened.
func check(c *matrix.Cell, s Source, emitter string) func(outputs map[string][]byte) error {
	return func(outputs map[string][]byte) error {
		data, ok := outputs[ObjectOutput(c, emitter)]
		if !ok {
			return errors.New("no object among the outputs")
		}
		if s.Code {
			data = bytes.Clone(data) // whose place is used again
		}
		obj, problems := codeobj.Check(data, Want(c, s.Hidden))
		if len(problems) > 0 {
			return &CheckError{Address: c.Address(), Problems: problems}
		}
		if s.Opened == nil {
			return nil
		}
		if !s.Code {
			obj = obj.WithoutBytes()
		}
		s.Opened(c.Address(), obj)
		return nil
	}
}
