package standin

import (
	"bytes"
	"fmt"
	"strings"

	"kmx/cuda/fatbin/fatbintest"
)

// pad adds containers until all have about o.Pad bytes: in each of them machine
// code that does not compress, and the modules of outputs, posts and encoders
// again under other names.
func (o Options) pad(all [][]byte) [][]byte {
	total := int64(0)
	for _, c := range all {
		total += int64(len(c))
	}
	if total >= o.Pad {
		return all
	}
	var models []Module
	for _, s := range sources(o.Version) {
		switch s.container {
		case atOutputs, atPosts, atEncoders:
			models = append(models, s.module())
		}
	}
	for n := len(all); total < o.Pad; n++ {
		m := models[n%len(models)]
		text := rename(m, fmt.Sprintf("standin_pad%04d_", n))
		code := machineCode(n, 89, 300<<10)
		c := fatbintest.Container(
			fatbintest.Entry{Kind: 2, PTX: code, Minor: 7},
			fatbintest.Entry{PTX: text, Compression: compression(n), Minor: 7, NULs: 1, Header: headers[n%len(headers)]},
		)
		total += int64(len(c))
		all = append(all, c)
	}
	return all
}

// rename puts a prefix before the names of a module's entries, and of what is
// named after them.
func rename(m Module, prefix string) []byte {
	pairs := make([]string, 0, 2*len(m.Entries))
	for _, e := range m.Entries {
		pairs = append(pairs, e, prefix+e)
	}
	var b bytes.Buffer
	_, _ = strings.NewReplacer(pairs...).WriteString(&b, string(m.Text)) // a buffer takes everything
	return b.Bytes()
}
