package ptx

import (
	"math"
	"strconv"
	"strings"
)

// number is a constant while it is being computed.
type number struct {
	kind     Kind
	unsigned bool
	bits     uint64
}

// immediate reads a constant or a constant expression and the trivia after it.
func (p *parser) immediate() (*Immediate, bool) {
	start := p.pos
	var n number
	var ok bool
	end := 0
	if c := p.peek(); class[c]&cDigit != 0 {
		n, ok = p.literal()
		end = p.pos
		if ok && end < len(p.src) {
			if c := p.src[end]; c != ',' && c != ';' && c != ']' && c != '}' { // almost always
				p.skip()
				if p.operator() != "" {
					p.pos = start
					n, end, ok = p.expression(0, 0)
				}
			}
		}
	} else {
		n, end, ok = p.expression(0, 0)
	}
	if !ok {
		return nil, false
	}
	im := p.immediates.get()
	*im = Immediate{Span{start, end}, p.src[start:end], n.kind, n.unsigned, n.bits}
	return im, true
}

// literal reads one number without sign. Trivia after it stays.
func (p *parser) literal() (n number, ok bool) {
	src, start := p.src, p.pos
	i := start
	for i < len(src) && class[src[i]]&cDigit != 0 {
		i++
	}
	if i == start+1 && src[start] == '0' && i < len(src) {
		if n, ok := p.hexadecimal(i); ok {
			return n, true
		}
	}
	if i < len(src) && (class[src[i]]&cWord != 0 || src[i] == '.') || src[start] == '0' && i-start > 1 || i-start > 18 {
		return p.longLiteral(i)
	}
	for _, c := range []byte(src[start:i]) {
		n.bits = n.bits*10 + uint64(c-'0')
	}
	p.pos = i
	return n, true
}

// hexadecimal reads a well-formed number that begins with 0x, 0f or 0d; i is at
// the letter. Anything else is left for longLiteral.
func (p *parser) hexadecimal(i int) (n number, ok bool) {
	src := p.src
	most, exact := 16, false
	switch src[i] {
	case 'x', 'X':
	case 'f', 'F':
		n.kind, most, exact = F32, 8, true
	case 'd', 'D':
		n.kind, exact = F64, true
	default:
		return n, false
	}
	first := i + 1
	for i = first; i < len(src) && class[src[i]]&cWord != 0; i++ {
		v := hexValue[src[i]]
		if v == 0 {
			return n, false
		}
		n.bits = n.bits<<4 | uint64(v-1)
	}
	if digits := i - first; digits == 0 || digits > most || exact && digits < most {
		return n, false
	}
	n.unsigned = n.kind == Int && int64(n.bits) < 0
	p.pos = i
	return n, true
}

// hexValue is the value of a hexadecimal digit and one; 0 for what is none.
var hexValue = func() (v [256]uint8) {
	for i, c := range []byte("0123456789abcdef") {
		v[c] = uint8(i + 1)
	}
	for i, c := range []byte("ABCDEF") {
		v[c] = uint8(i + 11)
	}
	return v
}()

// longLiteral reads every form of number but a short decimal one; i is behind
// its first digits.
func (p *parser) longLiteral(i int) (n number, ok bool) {
	src, start := p.src, p.pos
	for i < len(src) && class[src[i]]&cWord != 0 {
		i++
	}
	point := false
	if i < len(src) && src[i] == '.' && strings.Trim(src[start:i], "0123456789") == "" {
		point = true
		for i++; i < len(src) && class[src[i]]&cWord != 0; i++ {
		}
	}
	lower := strings.ToLower(src[start:i])
	hexadecimal := strings.HasPrefix(lower, "0x") || strings.HasPrefix(lower, "0f") || strings.HasPrefix(lower, "0d")
	if !hexadecimal && strings.HasSuffix(lower, "e") && i+1 < len(src) && (src[i] == '+' || src[i] == '-') && class[src[i+1]]&cDigit != 0 {
		for i++; i < len(src) && class[src[i]]&cWord != 0; i++ {
		}
	}
	text := src[start:i]
	lower = strings.ToLower(text)
	bad := func(why string) (number, bool) {
		return number{}, p.fail(Span{start, i}, "malformed number "+shorten(text), why)
	}
	var err error
	switch {
	case strings.HasPrefix(lower, "0f"):
		if n.bits, err = strconv.ParseUint(lower[2:], 16, 32); err != nil || len(lower) != 10 {
			return bad("0f is followed by 8 hexadecimal digits")
		}
		n.kind = F32
	case strings.HasPrefix(lower, "0d"):
		if n.bits, err = strconv.ParseUint(lower[2:], 16, 64); err != nil || len(lower) != 18 {
			return bad("0d is followed by 16 hexadecimal digits")
		}
		n.kind = F64
	case point || !hexadecimal && !strings.HasPrefix(lower, "0b") && strings.Contains(lower, "e"):
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || strings.ContainsAny(lower, "_xp") {
			return bad("a decimal number of 64 bits was expected")
		}
		n.kind, n.bits = F64, math.Float64bits(f)
	default:
		digits, base := lower, 10
		if strings.HasSuffix(text, "U") {
			n.unsigned = true
			digits = digits[:len(digits)-1]
		}
		switch {
		case strings.HasPrefix(digits, "0x"):
			digits, base = digits[2:], 16
		case strings.HasPrefix(digits, "0b"):
			digits, base = digits[2:], 2
		case len(digits) > 1 && digits[0] == '0':
			digits, base = digits[1:], 8
		}
		if n.bits, err = strconv.ParseUint(digits, base, 64); err != nil {
			return bad("an integer of at most 64 bits was expected")
		}
		n.unsigned = n.unsigned || int64(n.bits) < 0
	}
	p.pos = i
	return n, true
}
