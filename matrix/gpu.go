package matrix

import (
	"regexp"
	"strings"

	"kmx/internal/diag"
)

// gpu is how compilers call an AMD GPU, or all GPUs of a generation.
var gpu = regexp.MustCompile(`^gfx([0-9][0-9a-f]+|[0-9]+(-[0-9]+)*-generic)$`)

func isGPU(name string) bool { return gpu.MatchString(name) }

// digits finds what is probably the number in a misspelt name of a GPU.
var digits = regexp.MustCompile(`^[A-Za-z]*[-_ ]?([0-9][0-9a-fA-F]{2,3})$`)

// noGPU reports a target whose name can be no GPU's; others are those beside
// it.
func (l *loader) noGPU(t Token, others []Token) {
	l.d.targetsPartial = true
	p := l.errorf(t.From.Range, "%q is no name of a GPU", t.Text)
	if m := digits.FindStringSubmatch(t.Text); m != nil {
		p.hint("did you mean gfx%s?", strings.ToLower(m[1]))
		return
	}
	var names []string
	for _, o := range others {
		if isGPU(o.Text) {
			names = append(names, o.Text)
		}
	}
	p.hint("%s", diag.DidYouMean(t.Text, names))
	p.hint("it is gfx and its number, as the compiler calls it: gfx1201")
}
