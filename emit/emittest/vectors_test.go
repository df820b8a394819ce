package emittest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// corpusOf writes a corpus of one kernel with its vector.
func corpusOf(t *testing.T, header string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	writeFile(t, dir, "sum.ptx", header+goodKernel)
	cases, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	cases[0].Want = [][]byte{nil, bytes.Repeat([]byte{7}, 512)}
	if err := WriteVectors(dir, Machine{GPU: "a GPU"}, cases); err != nil {
		t.Fatal(err)
	}
	return dir
}

func writeFile(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestVectorsComeBack(t *testing.T) {
	cases, err := Cases(corpusOf(t, goodHeader))
	if err != nil {
		t.Fatal(err)
	}
	if cases[0].Want[0] != nil || !bytes.Equal(cases[0].Want[1], bytes.Repeat([]byte{7}, 512)) {
		t.Errorf("%v", cases[0].Want)
	}
}

func TestVectorsKnowTheirCases(t *testing.T) {
	replace := func(name, old, new string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Contains(text, []byte(old)) {
				t.Fatalf("%s has no %q", name, old)
			}
			writeFile(t, dir, name, strings.Replace(string(text), old, new, 1))
		}
	}
	for name, c := range map[string]struct {
		change func(*testing.T, string)
		want   string // "": it stays right
	}{
		"another sentence":     {replace("sum.ptx", "a sum", "the same sum"), ""},
		"another tier":         {replace("sum.ptx", "tier 1", "tier 2"), ""},
		"another comment":      {replace("sum.ptx", "// nothing", "//"), ""},
		"another instruction":  {replace("sum.ptx", "ret;", "exit;"), "another version of the kernel"},
		"another launch":       {replace("sum.ptx", "16x4", "4x16"), "another version of the kernel"},
		"another size":         {replace("sum.ptx", "out r s32 128", "out r s32 64"), "another version of the kernel"},
		"another input":        {replace("sum.ptx", "inner", "outer"), "other inputs"},
		"a damaged byte":       {replace(bytesName, "\x07", "\x08"), "is damaged"},
		"bytes that are short": {func(t *testing.T, dir string) { writeFile(t, dir, bytesName, "") }, "is damaged"},
		"no vector": {func(t *testing.T, dir string) {
			writeFile(t, dir, "more.ptx", goodHeader+strings.Replace(goodKernel, "sum", "more", 1))
		}, "no vector of more"},
		"no kernel":      {replace(indexName, `"sum"`, `"gone"`), "a vector of gone, of which there is no kernel"},
		"another format": {replace(indexName, vectorsFormat, "kmx.ptxvectors/0"), "its format is"},
		"no output":      {replace(indexName, `"param": "r"`, `"param": "q"`), "no 512 bytes of r"},
		"nonsense":       {func(t *testing.T, dir string) { writeFile(t, dir, indexName, "{") }, "unexpected end"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := corpusOf(t, goodHeader)
			c.change(t, dir)
			_, err := Cases(dir)
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("%v, wanted %q", err, c.want)
			}
		})
	}
}

func TestWriteRefusesHalfOfIt(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "sum.ptx", goodHeader+goodKernel)
	cases, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteVectors(dir, Machine{}, cases); err == nil || err.Error() != "sum has nothing for r" {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, indexName)); err == nil {
		t.Error("an index was written")
	}
	if _, err := Read(t.TempDir()); err == nil || !strings.Contains(err.Error(), "no *.ptx") {
		t.Error(err)
	}
}

// A corpus for people's eyes: the files are small, and what they hold is
// written down once.
func TestCorpusIsSmall(t *testing.T) {
	total := int64(0)
	files, err := filepath.Glob("../testdata/*/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		total += info.Size()
	}
	if total > 2<<20 {
		t.Errorf("the vectors and their kernels have %d bytes; 2 MiB are the most", total)
	}
}
