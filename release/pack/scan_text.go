package pack

import (
	"bytes"
	"regexp"
)

// plain is text in which the rules look for words: in lower case and without zeros,
// so that UTF-16 and UTF-32 are as UTF-8.
type plain struct {
	data []byte // what it was made of
	text []byte // one byte for each of data that is not zero
}

func plainText(data []byte) plain {
	text := make([]byte, 0, len(data))
	for _, b := range data {
		switch {
		case 'A' <= b && b <= 'Z':
			text = append(text, b|0x20)
		case b != 0:
			text = append(text, b)
		}
	}
	return plain{data, text}
}

// What stands between words besides spaces: comments, and line ends and tabs as
// strings of other languages have them.
var (
	gap     = regexp.MustCompile(`(?s)/\*.*?\*/|\\[nrt]`)
	gapLine = regexp.MustCompile(`//[^\n]*`)
)

// views are the text as it is, with spaces for gaps, and with spaces also for what
// is behind two slashes, which is a comment or is not.
func (p plain) views() []plain {
	one := gap.ReplaceAllFunc(p.text, func(g []byte) []byte {
		b := bytes.Repeat([]byte(" "), len(g))
		if g[0] == '\\' {
			b[1] = '\n'
		}
		return b
	})
	two := gapLine.ReplaceAllFunc(one, func(g []byte) []byte { return bytes.Repeat([]byte(" "), len(g)) })
	return []plain{p, {p.data, one}, {p.data, two}}
}

// offset is where a byte of the text lies in the data.
func (p plain) offset(at int) int {
	for i, b := range p.data {
		if b == 0 {
			continue
		}
		if at == 0 {
			return i
		}
		at--
	}
	return len(p.data)
}
