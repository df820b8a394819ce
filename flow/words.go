package flow

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// advised finds a command that a room advises: rooms call every door "mage".
var advised = regexp.MustCompile("(^|[\\s:(`'])mage (-h |-l\\b|[a-z]+(:[a-z]+)?\\b)")

// words puts the door that this command came through into advice, so that it
// can be pasted: `go tool mage`, bin/kmx, or kmx where it is installed.
func (p *Project) words(text string) string {
	if !strings.Contains(text, "mage ") {
		return text
	}
	const kept = "go tool mage "
	parts := strings.Split(text, kept) // advice that names its door already
	for i, part := range parts {
		parts[i] = advised.ReplaceAllStringFunc(part, func(match string) string {
			return strings.Replace(match, "mage ", p.door()+" ", 1)
		})
	}
	return strings.Join(parts, kept)
}

// door is how this command is called.
func (p *Project) door() string {
	exe, err := os.Executable()
	if err != nil || !strings.HasPrefix(filepath.Base(exe), "kmx") {
		return "go tool mage"
	}
	root := p.Root
	if up := filepath.Dir(filepath.Dir(exe)); root == "" { // the command line is refused before a project is looked for
		if _, err := os.Stat(filepath.Join(up, matrixFile)); err == nil {
			root = up
		}
	}
	if root == "" || filepath.Dir(exe) != filepath.Join(root, "bin") {
		return "kmx"
	}
	wd, err := os.Getwd()
	if err != nil {
		return "bin/kmx"
	}
	rel, err := filepath.Rel(wd, filepath.Join(root, "bin", "kmx"))
	if err != nil {
		return "bin/kmx"
	}
	return filepath.ToSlash(rel)
}
