package tex

import (
	"bytes"
	"fmt"
)

// names makes names that occur nowhere in a module: all of them begin with a
// prefix that the text does not have.
type names struct {
	prefix string
	skips  int
}

func newNames(text []byte) *names {
	for n := 0; ; n++ {
		prefix := "kmx"
		if n > 0 {
			prefix = fmt.Sprintf("kmx%d", n)
		}
		if !bytes.Contains(text, []byte(prefix+"_")) {
			return &names{prefix: prefix}
		}
	}
}

// reg is a register; what is its purpose.
func (n *names) reg(what string) string { return "%" + n.prefix + "_" + what }

// param is the i-th parameter of a call.
func (n *names) param(i int) string { return fmt.Sprintf("%s_arg%d", n.prefix, i) }

// result is the parameter that holds the result of a call.
func (n *names) result() string { return n.prefix + "_result" }

// skip is a new label.
func (n *names) skip() string {
	n.skips++
	return fmt.Sprintf("$%s_skip%d", n.prefix, n.skips)
}
