package flow

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"kmx/cache"
	"kmx/internal/diag"
	"kmx/release"
)

// TestUnapproved holds that the error has a line for each module, not for each
// kernel of it.
func TestUnapproved(t *testing.T) {
	use := func(kernel string, module int) release.Use {
		return release.Use{
			Library: "dlss", Kernel: kernel, Module: release.Module{FNV: uint64(module), BLAKE3: cache.Sum([]byte{byte(module)})},
			Where: fmt.Sprintf("module %d of nvngx_dlss.dll", module), Edits: "stores:stores.b32=2",
		}
	}
	known := &release.Approvals{}
	edited := use("edited", 7)
	edited.Edits = "stores:stores.b32=3"
	known.Accept("me: yes", []release.Use{use("changed", 8), edited})
	for _, c := range []struct {
		name    string
		uses    []release.Use
		summary string
		lines   []string
	}{
		{"one", []release.Use{use("a", 4)}, "1 module is not approved in F", []string{"BLAKE3 [4]: a"}},
		{"many kernels", []release.Use{use("a", 4), use("b", 4), use("c", 4), use("d", 4), use("e", 4), use("f", 5)},
			"2 modules (6 kernels) are not approved in F", []string{"BLAKE3 [4]: 5 kernels: a, b, c and 2 more", "BLAKE3 [5]: f"}},
		{"one more is named", []release.Use{use("a", 4), use("b", 4), use("c", 4), use("d", 4)},
			"1 module (4 kernels) is not approved in F", []string{"BLAKE3 [4]: a, b, c, d"}},
		{"changed", []release.Use{use("changed", 9), use("new", 9)}, "1 module (2 kernels) is not approved in F",
			[]string{"BLAKE3 [9]; approved is FNV 0000000000000008: changed", "BLAKE3 [9]: new"}},
		{"edits", []release.Use{use("edited", 7)}, "1 module is not approved in F",
			[]string{"is approved, its edits are not: stores:stores.b32=2; approved are stores:stores.b32=3: edited"}},
	} {
		var f *diag.Failure
		if err := unapproved(known, c.uses, "F"); !errors.As(err, &f) || f.Class != diag.Verify || f.Messages[0].Summary != c.summary {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		lines := strings.Split(f.Messages[0].Detail, "\n")
		for i := 4; i < 10; i++ {
			for n := range lines {
				lines[n] = strings.ReplaceAll(lines[n], cache.Sum([]byte{byte(i)}).String(), fmt.Sprintf("[%d]", i))
			}
		}
		for i, want := range c.lines {
			if len(lines) != len(c.lines) || !strings.HasSuffix(lines[i], want) {
				t.Errorf("%s: %q, want %q", c.name, lines, c.lines)
			}
		}
	}
}
