package tex

import (
	"os"
	"strings"
	"testing"
)

// TestManual: docs/tex.md names every recipe, count, kind and function.
func TestManual(t *testing.T) {
	raw, err := os.ReadFile("../docs/tex.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	for _, r := range Recipes() {
		for _, name := range append(append([]string{r.Name}, r.Counts...), r.Functions...) {
			if !strings.Contains(page, "`"+name+"`") {
				t.Errorf("docs/tex.md does not name `%s`", name)
			}
		}
	}
	for _, f := range storeForms {
		if !strings.Contains(page, "| `"+f.opcode+"` | `"+f.kind+"` | `"+f.to.name+"(") {
			t.Errorf("docs/tex.md does not show %s", f.opcode)
		}
	}
}
