package plan

import (
	"bytes"
	"encoding/binary"
	"slices"
	"unicode/utf8"

	"kmx/cache"
)

// tokens is what a C-family source is without its comments and white space.
type tokens struct {
	// Bare is the digest of the sequence of tokens, with where directives begin
	// and end. Laid is that of the tokens with the columns they stand in and
	// whether they begin a line; blank lines, lines of comments and comments
	// behind the last token of a line are not in it either.
	Bare, Laid cache.Digest
	Traits     traits
}

// traits are what a source does that its tokens alone do not decide.
type traits uint8

const (
	irregular  traits = 1 << iota // has something that compilers may read in different ways
	positional                    // asks where it stands, as __LINE__ does
	piece                         // has the start of a word that asks so
	pastes                        // makes words out of pieces: ##
	spaced                        // looks at white space: #x, module directives
	odd                           // has comments or splices that compilers warn of
	assembles                     // has a literal by which the assembler would read a file
)

// positions are the words by which the place of code gets into what is made of
// it. All are reserved for the compiler: other words (assert, source_location)
// stand for one of these, in a header of the project or of the toolchain.
// __PRETTY_FUNCTION__ names a lambda by its line.
var positions = []string{
	"__LINE__", "__COUNTER__", "__TIMESTAMP__", "__PRETTY_FUNCTION__", "__FUNCSIG__", "__builtin_LINE", "__builtin_COLUMN",
	"__builtin_FUNCSIG", "__builtin_source_location", "__builtin_dump_struct",
}

// operators are all tokens of more than one character that any version of the
// language has. Only their pairs of neighbours matter here.
var operators = []string{
	"<<<", ">>>", "<=>", "->*", "...", ".*", "->", "++", "--", "<<=", ">>=", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=",
	"*=", "/=", "%=", "&=", "|=", "^=", "::", "##", "<:", ":>", "<%", "%>", "%:%:", "^^", "[:", ":]", "??",
}

var joins = func() (table [128][128]bool) {
	for _, op := range operators {
		for i := 1; i < len(op); i++ {
			table[op[i-1]][op[i]] = true
		}
	}
	return table
}()

// tokenize reads a source up to what a compiler makes of it before macros are
// expanded.
//
// A chunk written to the digests is never less than a token of the compiler and
// ends where one ends, and its text is in it to the letter. Operators that
// stand together stay together if any operator has the two characters side by
// side, so it does not matter which ones a version of the language knows. What
// would have to be guessed (trigraphs, other than ASCII outside literals and
// comments, literals without an end) makes a source irregular.
func tokenize(src []byte) tokens {
	l := &lexer{src: src, begins: true, broke: true}
	if !plainText(src) {
		l.traits |= irregular
	}
	for l.step() {
	}
	l.endDirective()
	if !bytes.HasSuffix(src, []byte("\n")) {
		l.laid = append(l.laid, 2, 'e')
	}
	if !utf8.Valid(src) {
		l.traits |= odd
	}
	return tokens{cache.Sum(l.bare), cache.Sum(l.laid), l.traits}
}

// plainText says whether src has only the white space and the control
// characters that all compilers agree on, and no trigraphs.
func plainText(src []byte) bool {
	for i, c := range src {
		switch {
		case c == '\r' && (i+1 == len(src) || src[i+1] != '\n'):
			return false
		case c < ' ' && (c < '\t' || c > '\r'), c == 0x7f:
			return false
		case c == '?' && i+2 < len(src) && src[i+1] == '?' && bytes.IndexByte([]byte("=/'()!<>-"), src[i+2]) >= 0:
			return false
		}
	}
	return true
}

// lexer is the state of one tokenize.
type lexer struct {
	src        []byte
	i          int
	bare, laid []byte
	traits     traits

	begins bool   // no token yet in this line, spliced lines being one
	broke  bool   // a new line since the last token
	gap    []byte // what stands since the last token or new line, comments as spaces
	// Where the chunk that is read stands: broke and gap before it.
	placeBroke bool
	place      []byte

	directive string // the line's directive; "#" before its name is known
	named     bool   // of #define: its name was read
	header    int    // 1: '<' would begin a file name; 2: it would after a '('
}

// at gives the character at or behind i, spliced lines joined, where it stands
// and where the next begins. It is 0 at the end.
func (l *lexer) at(i int) (c byte, start, end int) {
	for i < len(l.src) {
		n := splice(l.src[i:])
		if n == 0 {
			if l.src[i] == '\r' && i+1 < len(l.src) && l.src[i+1] == '\n' {
				return '\n', i, i + 2
			}
			return l.src[i], i, i + 1
		}
		i += n
	}
	return 0, i, i
}

// splice is the length of a backslash with the new line that ends its line, 0 if
// s does not begin with one. White space may stand between the two.
func splice(s []byte) int {
	if s[0] != '\\' {
		return 0
	}
	for i, c := range s[1:] {
		switch c {
		case '\n':
			return i + 2
		case ' ', '\t', '\v', '\f', '\r':
		default:
			return 0
		}
	}
	return 0
}

// take moves on to end, which at gave together with start.
func (l *lexer) take(start, end int) {
	if start > l.i {
		l.broke, l.gap = true, l.gap[:0]
		if bytes.ContainsAny(l.src[l.i:start], " \t\v\f") {
			l.traits |= odd
		}
	}
	l.i = end
}

// step reads one token or one piece of white space; false at the end.
func (l *lexer) step() bool {
	c, start, end := l.at(l.i)
	next, _, _ := l.at(end)
	if start == len(l.src) {
		return false
	}
	switch {
	case c == '\n':
		l.i = end
		l.endDirective()
		l.begins, l.broke, l.gap = true, true, l.gap[:0]
		return true
	case c == ' ' || c == '\t' || c == '\v' || c == '\f':
		l.take(start, end)
		l.gap = append(l.gap, c)
		return true
	case c == '/' && next == '/':
		l.lineComment()
		return true
	case c == '/' && next == '*':
		l.blockComment()
		return true
	}
	l.take(start, start)
	l.place, l.placeBroke = append(l.place[:0], l.gap...), l.broke
	l.gap, l.broke = l.gap[:0], false
	switch {
	case c == '<' && l.header == 1:
		l.fileName()
	case c == '"' || c == '\'':
		l.emit(l.literal(nil))
	case isDigit(c) || c == '.' && isDigit(next):
		l.emit(l.number(nil))
	case isWord(c):
		l.word()
	case c >= utf8.RuneSelf || c == '\\' || c == '$' || c == '@' || c == '`':
		l.traits |= irregular
		l.take(start, end)
		l.emit([]byte{c})
	default:
		l.operator()
	}
	return true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWord(c byte) bool {
	return c == '_' || isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// emit writes one chunk.
func (l *lexer) emit(text []byte) {
	l.header = 0
	l.begins = false
	l.write(text)
}

func (l *lexer) write(text []byte) {
	l.bare = append(binary.AppendUvarint(l.bare, uint64(len(text))), text...)
	flag := byte(0)
	if l.placeBroke {
		flag = 1
	}
	l.laid = append(l.laid, flag)
	l.laid = append(binary.AppendUvarint(l.laid, uint64(len(l.place))), l.place...)
	l.laid = append(binary.AppendUvarint(l.laid, uint64(len(text))), text...)
}

// mark writes what is no text.
func (l *lexer) mark(c byte) {
	l.bare = append(l.bare, 0, c)
	l.laid = append(l.laid, 2, c)
}

func (l *lexer) endDirective() {
	if l.directive != "" {
		l.mark('.')
	}
	l.directive, l.named, l.header = "", false, 0
}

// isPiece says whether a word is the start of one that asks for its place.
func isPiece(word string) bool {
	return slices.ContainsFunc(positions, func(p string) bool { return len(word) < len(p) && p[:len(word)] == word })
}
