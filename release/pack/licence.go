package pack

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"kmx/internal/diag"
	"kmx/release"
)

// RestrictedFile tells whoever unpacks an archive with objects that may not be
// passed on.
const RestrictedFile = "NOT-REDISTRIBUTABLE.txt"

// Restricted says why an object may not be passed on, "" if it may. A licence
// that only its reference names grants nothing that anybody could read, and an
// object that was made of a module of a library is derived from it, whatever its
// licence is said to be.
func Restricted(e release.Entry) string {
	switch {
	case e.Licence == "" || e.Licence == "NONE" || e.Licence == "NOASSERTION":
		return "it has no licence"
	case slices.ContainsFunc(words(e.Licence), func(w string) bool { return strings.Contains(w, "LicenseRef-") }):
		return "its licence is " + e.Licence
	case e.Module != "":
		return fmt.Sprintf("it is made of PTX module %s of library %s", e.Module, cmp.Or(e.Library, "(unnamed)"))
	}
	return ""
}

// words are the parts of an SPDX expression.
func words(expression string) []string {
	return strings.FieldsFunc(expression, func(r rune) bool { return strings.ContainsRune(" ()+", r) })
}

// allowed refuses a tree with objects that the archive must not hold.
func (a *Archive) allowed(t *Tree) error {
	if !a.Redistributable {
		return nil
	}
	var messages diag.List
	for _, e := range t.Entries() {
		if why := Restricted(e.Entry); why != "" {
			messages = append(messages, diag.Message{Summary: fmt.Sprintf("%s is not for %s, which may be passed on: %s", e.Path, a.rule(), why)})
		}
	}
	if len(messages) == 0 {
		return nil
	}
	if n := len(messages); n > 10 {
		messages = append(messages[:9], diag.Message{Summary: fmt.Sprintf("and %d more", n-9)})
	}
	messages[len(messages)-1].Hint = "leave their families out of the archive, or say redistributable = false in its block"
	return &diag.Failure{Class: diag.Verify, Messages: messages}
}

func restrictedNotice(licences []string) Notice {
	return Notice{RestrictedFile, []byte(`NOT REDISTRIBUTABLE

This archive holds objects under ` + strings.Join(licences, ", ") + `. The manifest.json of
each set says which ones. They are made of PTX code out of NVIDIA's libraries,
whose licence is NVIDIA's own and does not come with this archive. Whoever made
the archive has said that it is not for passing on.
`)}
}
