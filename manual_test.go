package kmx

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Every message in docs/troubleshooting.md is said by kmx, word for word.
func TestTroubleshooting(t *testing.T) {
	page, err := os.ReadFile("docs/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	said := literals(t)
	entry := regexp.MustCompile("(?m)^### `(.*)`$").FindAllStringSubmatch(string(page), -1)
	if len(entry) < 20 {
		t.Fatalf("only %d messages found on the page", len(entry))
	}
	for _, e := range entry {
		if e[1] == "no space left on device" { // the system's words
			continue
		}
		if !sayable(said, strings.Split(e[1], "…")) {
			t.Errorf("no code says %q", e[1])
		}
	}
}

// sayable tells whether each part of a message stands in a literal.
func sayable(said, parts []string) bool {
	for _, p := range parts {
		p = strings.TrimSpace(p)
		if !slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, p) }) {
			return false
		}
	}
	return true
}

// literals are the strings of the code that is not test.
func literals(t *testing.T) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "dist" || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != ".") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				if s, err := strconv.Unquote(l.Value); err == nil {
					all = append(all, s)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Links between the pages of the manual lead somewhere, to a heading as well.
func TestManualLinks(t *testing.T) {
	pages := []string{"README.md"}
	for _, pattern := range []string{"docs/*.md", "docs/*/*.md", "changelog/*.md"} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, more...)
	}
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	links := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			u, err := url.Parse(m[1])
			if err != nil || u.Scheme != "" {
				continue
			}
			links++
			to := page
			if u.Path != "" {
				to = filepath.Join(filepath.Dir(page), u.Path)
			}
			target, err := os.Stat(to)
			if err != nil {
				t.Errorf("%s links to %s, which is not there", page, m[1])
				continue
			}
			if u.Fragment != "" && !target.IsDir() && !anchors(t, to)[u.Fragment] {
				t.Errorf("%s links to %s, and there is no such heading", page, m[1])
			}
		}
	}
	if links < 20 {
		t.Errorf("only %d links found", links)
	}
}

// anchors are the headings of a page as links name them.
func anchors(t *testing.T, page string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(string(text), -1) {
		name := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		all[strings.ReplaceAll(name, " ", "-")] = true
	}
	return all
}
