package pack

import (
	"encoding/base64"
	"encoding/hex"
)

// maxEncoded is how often what is looked at may be encoded.
const maxEncoded = 2

// shortestRun of digits is looked at as what it encodes. Digests are shorter.
const shortestRun = 160

// coding is a way of writing bytes as text.
type coding struct {
	name   string
	digits string
	phases int // at which of its first digits a run may begin to mean something
	decode func(digits []byte) ([]byte, error)
}

var codings = []coding{
	{"hex digits", "0123456789abcdefABCDEF", 2, func(d []byte) ([]byte, error) {
		data := make([]byte, len(d)/2)
		_, err := hex.Decode(data, d[:len(data)*2])
		return data, err
	}},
	{"base64", base64Digits + "+/", 4, func(d []byte) ([]byte, error) { return decodeBase64(base64.RawStdEncoding, d) }},
	{"base64", base64Digits + "-_", 4, func(d []byte) ([]byte, error) { return decodeBase64(base64.RawURLEncoding, d) }},
}

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

func decodeBase64(e *base64.Encoding, d []byte) ([]byte, error) {
	if len(d)%4 == 1 {
		d = d[:len(d)-1]
	}
	data := make([]byte, e.DecodedLen(len(d)))
	n, err := e.Decode(data, d)
	return data[:n], err
}

// encoded looks at what runs of digits stand for, in lines or not.
func (s *scanner) encoded(depth int) {
	for _, c := range codings {
		c.runs(s.data, func(at int, digits []byte) {
			for phase := range c.phases { // a word before it may run into it
				if data, err := c.decode(digits[phase:]); err == nil {
					s.inside(at, c.name, data, depth)
				}
			}
		})
	}
}

// runs calls f with every run of digits, without what stands between them: blanks,
// line ends, and line ends as strings of other languages have them.
func (c coding) runs(data []byte, f func(at int, digits []byte)) {
	var digit [256]bool
	for i := range len(c.digits) {
		digit[c.digits[i]] = true
	}
	var digits []byte
	start := 0
	for i := 0; i <= len(data); i++ {
		switch {
		case i < len(data) && digit[data[i]]:
			if len(digits) == 0 {
				start = i
			}
			digits = append(digits, data[i])
			continue
		case i < len(data) && (data[i] == ' ' || data[i] == '\t' || data[i] == '\r' || data[i] == '\n'):
			continue
		case i+1 < len(data) && data[i] == '\\' && (data[i+1] == 'n' || data[i+1] == 'r' || data[i+1] == 't'):
			i++
			continue
		}
		if len(digits) >= shortestRun {
			f(start, digits)
		}
		digits = digits[:0]
	}
}

// inside looks at what something stands for.
func (s *scanner) inside(at int, name string, data []byte, depth int) {
	in := scanner{data: data}
	in.contents(depth + 1)
	for _, f := range in.found {
		s.say(at, "%s, in %s", f.What, name)
	}
}
