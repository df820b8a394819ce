package report

// painter puts a colour around a text, or does not.
type painter bool

const (
	red    = "1;31"
	yellow = "1;33"
	green  = "32"
	dim    = "2"
	bold   = "1"
)

func (p painter) with(code, text string) string {
	if !p {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
