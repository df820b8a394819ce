package ptx

// Classes of bytes.
const (
	cSpace  uint8 = 1 << iota // blank, tab, line ends, form feed
	cStart                    // may begin an identifier
	cWord                     // letters, digits, _ and $: may go on in an identifier
	cDigit                    // 0-9
	cDotted                   // may go on in a word after a dot: letters, digits, _
)

var class = func() (c [256]uint8) {
	for _, b := range " \t\r\n\f\v" {
		c[b] |= cSpace
	}
	for b := 'a'; b <= 'z'; b++ {
		c[b] |= cStart | cWord | cDotted
		c[b-'a'+'A'] |= cStart | cWord | cDotted
	}
	for b := '0'; b <= '9'; b++ {
		c[b] |= cWord | cDigit | cDotted
	}
	c['_'] |= cStart | cWord | cDotted
	c['$'] |= cStart | cWord
	c['%'] |= cStart
	return c
}()

// skip passes white space and comments. A block comment without an end is
// reported once and takes the rest of the text.
func (p *parser) skip() {
	src, i := p.src, p.pos
	for i < len(src) {
		c := src[i]
		if class[c]&cSpace != 0 {
			i++
			continue
		}
		if c != '/' || i+1 >= len(src) {
			break
		}
		if src[i+1] == '/' {
			i += 2
			for i < len(src) && src[i] != '\n' {
				i++
			}
			continue
		}
		if src[i+1] != '*' {
			break
		}
		start := i
		for i += 2; ; i++ {
			if i+1 >= len(src) {
				i = len(src)
				p.fail(Span{start, start + 2}, "a comment that begins with /* has no end", "end it with */")
				break
			}
			if src[i] == '*' && src[i+1] == '/' {
				i += 2
				break
			}
		}
	}
	p.pos = i
}

// peek is the next byte, 0 at the end of the text. (A NUL in the text is no
// statement of PTX either.)
func (p *parser) peek() byte {
	if p.pos < len(p.src) {
		return p.src[p.pos]
	}
	return 0
}

// take passes c and the trivia after it if it is next.
func (p *parser) take(c byte) bool {
	if p.pos < len(p.src) && p.src[p.pos] == c {
		p.pos++
		p.skip()
		return true
	}
	return false
}

// word reads an identifier; "" when none is next. Trivia after it stays.
func (p *parser) word() string {
	src, i := p.src, p.pos
	if i >= len(src) || class[src[i]]&cStart == 0 {
		return ""
	}
	for i++; i < len(src) && class[src[i]]&cWord != 0; i++ {
	}
	w := src[p.pos:i]
	if w == "%" || w == "$" { // no names by themselves
		return ""
	}
	p.pos = i
	return w
}

// ident reads an identifier and the trivia after it.
func (p *parser) ident() (name string, at Span) {
	at.Start = p.pos
	name = p.word()
	at.End = p.pos
	if name != "" {
		p.skip()
	}
	return name, at
}

// dotted reads ".word" and gives the word without its dot, "" when none is
// next. Colons within (.shared::cluster) belong to it. Trivia after it stays.
func (p *parser) dotted() string {
	src, i := p.src, p.pos
	if i+1 >= len(src) || src[i] != '.' || class[src[i+1]]&cDotted == 0 {
		return ""
	}
	i++
	for {
		for i < len(src) && class[src[i]]&cDotted != 0 {
			i++
		}
		if i+2 < len(src) && src[i] == ':' && src[i+1] == ':' && class[src[i+2]]&cDotted != 0 {
			i += 2
			continue
		}
		break
	}
	w := src[p.pos+1 : i]
	p.pos = i
	return w
}

// quoted reads a string in double quotes as written; PTX has no escapes that
// could hide a quote but \". Trivia after it is passed.
func (p *parser) quoted() (string, bool) {
	start := p.pos
	for i := start + 1; i < len(p.src); i++ {
		switch p.src[i] {
		case '\\':
			i++
		case '\n':
			p.fail(Span{start, start + 1}, "a string has no end on its line", `end it with "`)
			return "", false
		case '"':
			s := p.src[start : i+1]
			p.pos = i + 1
			p.skip()
			return s, true
		}
	}
	p.fail(Span{start, start + 1}, "a string has no end", `end it with "`)
	return "", false
}
