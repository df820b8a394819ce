package matrix

import (
	"slices"

	"github.com/zclconf/go-cty/cty"
)

// archiveFormats is the kinds of archives.
var archiveFormats = []string{"tar.zst", "zip"}

// archives reads the archive blocks of every release.
func (l *loader) archives() {
	for _, r := range l.m.Releases {
		for _, n := range r.decl.node.all("archive") {
			if !l.names.declareIn("release "+r.Name, "archive", n.label, n.head) {
				continue
			}
			if !isName(n.label) {
				l.errorf(n.head, "%q cannot name an archive: its name becomes part of a file's", n.label).
					hint("use letters, digits, ., - and _")
			}
			a := Archive{Name: n.label, Declared: n.head, Redistributable: l.onceBool(n, "redistributable", l.d.file, true)}
			a.Families = l.archiveFamilies(n)
			for _, t := range l.onceTexts(n, "formats", l.d.file) {
				switch {
				case !slices.Contains(archiveFormats, t.Text):
					l.errorf(t.From.Range, "there is no format %s", t.Text).didYouMean(t.Text, archiveFormats)
				case slices.Contains(a.Formats, t.Text):
					l.errorf(t.From.Range, "the format %s is listed twice", t.Text)
				default:
					a.Formats = append(a.Formats, t.Text)
				}
			}
			if f := n.attrs["formats"]; f != nil && len(a.Formats) == 0 && !l.said(f.where()) {
				l.errorf(f.where(), "the archive has no format").hint(`write formats = ["tar.zst"]`)
			}
			r.Archives = append(r.Archives, a)
		}
	}
}

// archiveFamilies is the families an archive holds; nil for all.
func (l *loader) archiveFamilies(n *node) []string {
	a := n.attrs["families"]
	if a == nil {
		return nil
	}
	f, b := l.evaluate(a, l.d.file, n.title()+" families")
	v := f.whole(b)
	if !v.IsKnown() {
		return nil
	}
	if v.Type() == cty.String && !v.IsNull() && v.AsString() == "*" {
		return nil
	}
	var known []string
	for _, fam := range l.m.Families {
		known = append(known, fam.Name)
	}
	names := []string{}
	for _, t := range f.tokens(b) {
		switch {
		case slices.Contains(names, t.Text):
			l.errorf(t.From.Range, "family %s is listed twice", t.Text)
		case slices.Contains(known, t.Text):
			names = append(names, t.Text)
		case !l.lost("family", t.Text):
			l.errorf(t.From.Range, "there is no family %s", t.Text).didYouMean(t.Text, known)
		}
	}
	if len(names) == 0 && !l.said(a.where()) {
		l.errorf(a.where(), "the archive holds no family").hint(`write families = "*" for all of them`)
	}
	return names
}
