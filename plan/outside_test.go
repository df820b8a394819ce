package plan

import (
	"strings"
	"testing"

	"kmx/matrix"
)

func TestFlagsThatReadWhatIsNoInput(t *testing.T) {
	for flag, want := range map[string]string{
		"-O3":                             "",
		"-DNAME=/usr/lib":                 "",
		"-ffile-prefix-map=/here=.":       "",
		"-Ikernels/common":                "",
		"--config=kernels/x.cfg":          "",
		"-mllvm":                          "",
		"a/b":                             "",
		"/tmp/x.bc":                       "/tmp/x.bc",
		"-I/usr/include":                  "/usr/include",
		"-isystem/usr/include":            "/usr/include",
		"-include/etc/x.h":                "/etc/x.h",
		"--config=/etc/clang.cfg":         "/etc/clang.cfg",
		"-fsanitize-ignorelist=/etc/list": "/etc/list",
		"-Wl,-T,/tmp/script":              "/tmp/script",
		`C:\x.bc`:                         `C:\x.bc`,
		"-IC:/x":                          "C:/x",
		`\\server\x`:                      `\\server\x`,
	} {
		if got := machinePath(flag); got != want {
			t.Errorf("%s: %q, want %q", flag, got, want)
		}
	}
	c := &matrix.Cell{Flags: []matrix.Token{{Text: "-O3"}, {Text: "@more"}, {Text: "-Xclang"}, {Text: "/tmp/x.bc"}}}
	list := outside(c)
	if len(list) != 2 || !strings.Contains(list[0].Summary, "@more takes options from a file") ||
		!strings.Contains(list[1].Summary, "/tmp/x.bc names a place of this machine") {
		t.Errorf("%v", list)
	}
}
