package pack

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// odd says what of a name no file of a release has: what a terminal would not
// show, and what names no file on some systems.
func odd(name string) string {
	if !utf8.ValidString(name) {
		return "is not UTF-8"
	}
	for _, r := range name {
		if !unicode.IsPrint(r) || strings.ContainsRune(`:*?"<>|`, r) {
			return fmt.Sprintf("holds %q", r)
		}
	}
	return ""
}

// taken notes the names that a file takes and gives the one that takes them
// already: a file where this one needs a folder, or a name that is the same
// where case does not count.
func (c *Contents) taken(rel string) string {
	if c.names == nil {
		c.names = map[string]string{}
	}
	for _, d := range parents(rel) {
		key := strings.ToLower(d)
		if other, ok := c.names[key]; ok && other != d+"/" {
			return other
		}
		c.names[key] = d + "/"
	}
	key := strings.ToLower(rel)
	other := c.names[key]
	c.names[key] = rel
	return other
}
