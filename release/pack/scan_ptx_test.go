package pack

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"kmx/cuda/fatbin/fatbintest"
)

// PTX is PTX in whatever way its text is written.
func TestScanFindsPTXInDisguise(t *testing.T) {
	const module = ".version 8.4\n.target sm_89\n.address_size 64\n\n.visible .entry k(\n\t.param .u64 p\n)\n{\n\t.reg .b64 %rd<5>;\n\tld.param.u64 %rd1, [p];\n\tret;\n}\n"
	wide := func(unit, at int) []byte {
		b := make([]byte, unit*len(module))
		for i := range len(module) {
			b[unit*i+at] = module[i]
		}
		return b
	}
	quoted := func(b []byte) []byte { return fmt.Appendf(nil, `{"note": "https://example.org", "data": "%s"}`, b) }
	lines := func(b string, n int) []byte {
		var out []byte
		for len(b) > n {
			out, b = append(append(out, b[:n]...), '\n'), b[n:]
		}
		return append(out, b...)
	}
	comments := strings.NewReplacer(".version ", ".version/* x */", ".target ", ".target // y\n", ".entry ", ".entry/**/")
	encoded := base64.StdEncoding.EncodeToString([]byte(module))
	statements := strings.Repeat("add.s32 %r1,%r2,%r3;", 12)
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"with a byte-order mark", []byte("\ufeff" + module), "a PTX module"},
		{"in capitals", []byte(strings.ToUpper(module)), "a PTX module"},
		{"with lines of Windows", []byte(strings.ReplaceAll(module, "\n", "\r\n")), "a PTX module"},
		{"UTF-16, low byte first", append([]byte("\xff\xfe"), wide(2, 0)...), "a PTX module"},
		{"UTF-16, high byte first", append([]byte("\xfe\xff"), wide(2, 1)...), "a PTX module"},
		{"UTF-32", wide(4, 3), "a PTX module"},
		{"with comments between its words", []byte(comments.Replace(module)), "a PTX module"},
		{"in a comment", []byte("/* " + module + " */"), "a PTX module"},
		{"behind what looks like a comment", []byte("http://x " + strings.ReplaceAll(module, "\n", " ")), "a PTX module"},
		{"as a string of JSON", quoted(fmt.Appendf(nil, "%q", module)), "a PTX module"},
		{"in base64", []byte(encoded), "a PTX module, in base64"},
		{"in base64, in lines", lines(encoded, 76), "a PTX module, in base64"},
		{"in base64, in lines, as a string", quoted(bytes.ReplaceAll(lines(encoded, 64), []byte("\n"), []byte(`\n`))), "a PTX module, in base64"},
		{"in base64 of URLs", []byte("x" + base64.RawURLEncoding.EncodeToString([]byte(module+"\xff\xff\xff"))), "a PTX module, in base64"},
		{"in base64 behind a word", []byte("ptx" + encoded), "a PTX module, in base64"},
		{"in base64 twice", []byte(base64.StdEncoding.EncodeToString([]byte(encoded))), "in base64, in base64"},
		{"in hex digits", []byte(hex.EncodeToString([]byte(module))), "a PTX module, in hex digits"},
		{"in hex digits behind a digit", []byte("0" + strings.ToUpper(hex.EncodeToString([]byte(module)))), "a PTX module, in hex digits"},
		{"UTF-16 in base64", []byte(base64.StdEncoding.EncodeToString(wide(2, 0))), "a PTX module, in base64"},
		{"statements in a line", []byte(statements), "PTX statements"},
		{"a library in base64", []byte(base64.StdEncoding.EncodeToString(pe("NVIDIA Corporation"))), "a PE file of NVIDIA's, in base64"},
		{"a fat binary in hex digits", []byte(hex.EncodeToString(append(fatbintest.Container(fatbintest.Entry{PTX: []byte("?")}), make([]byte, 96)...))), "a fat binary, in hex digits"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := fmt.Sprint(Scan("f", c.data, nil))
			if !strings.Contains(found, c.want) {
				t.Errorf("want %q, found %s", c.want, found)
			}
		})
	}
	if found := Scan("f", append([]byte("\xff\xfe"), wide(2, 0)...), nil); len(found) == 0 || found[0].Offset != 2 {
		t.Errorf("%v, want offset 2", found)
	}
}
