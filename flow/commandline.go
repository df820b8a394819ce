package flow

import (
	"path"
	"strings"

	"kmx/engine"
)

// commandLine is the action of n as a line for a POSIX shell, run from the
// project's directory. The object goes to dist/plan, which has to exist. Inputs
// that are not in the project make it a comment: they lie in the cache.
func commandLine(n *engine.Node, tool engine.Tool) string {
	prefix := ""
	if len(n.Stored)+len(n.Needs) > 0 {
		prefix = "# with inputs from the cache: "
	}
	var words []string
	for _, e := range n.Action.Env {
		words = append(words, e.Name+"="+e.Value)
	}
	if words = append(words, tool.Env...); len(words) > 0 {
		words = append([]string{"env"}, words...)
	}
	words = append(words, tool.Path)
	base := "dist/plan/" + strings.NewReplacer("/", "-", " ", "-", "(", "", ")", "").Replace(n.Label)
	for _, a := range n.Action.Args {
		switch a {
		case n.Action.Outputs[0]:
			a = base + path.Ext(n.Action.Outputs[0])
		case n.Action.Depfile:
			a = base + ".d"
		}
		words = append(words, a)
	}
	for i, w := range words {
		words[i] = shellWord(w)
	}
	return prefix + strings.Join(words, " ")
}

// shellWord quotes w for a POSIX shell where it has to be.
func shellWord(w string) string {
	if w != "" && !strings.ContainsFunc(w, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%+,-./:=@_", r)
	}) {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}
