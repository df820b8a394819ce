package report

import (
	"os"

	"golang.org/x/sys/windows"
)

// isTerminal reports whether f is a console that understands cursor movements,
// which is asked for here: old consoles do not by themselves.
func isTerminal(f *os.File) bool {
	h := windows.Handle(f.Fd())
	var mode uint32
	if windows.GetConsoleMode(h, &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(h, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
