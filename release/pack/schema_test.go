package pack

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func schema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(file(t, "testdata", name)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(name, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(t *testing.T, s *jsonschema.Schema, data []byte) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(v)
}

// What is packed validates against the schemas, and what is broken does not.
func TestSchemas(t *testing.T) {
	out := packedDir(t, sample(t, choice{tex: true}), network, full)
	for _, c := range []struct {
		schema, suffix string
		breaks         [][2]string
	}{
		{"spdx-2.3.schema.json", SBOMSuffix, [][2]string{
			{`"spdxVersion"`, `"spdxversion"`}, {`"CONTAINS"`, `"HOLDS"`}, {`"algorithm": "SHA1"`, `"algorithm": "CRC32"`}, {`"filesAnalyzed": true`, `"filesAnalyzed": "yes"`},
			{`"downloadLocation"`, `"location"`},
		}},
		{"slsa-provenance-v1.schema.json", ProvenanceSuffix, [][2]string{
			{"Statement/v1", "Statement/v2"}, {`"sha256"`, `"sha256": 1, "x"`}, {`"builder"`, `"bilder"`}, {`"buildType": "urn:kmx:release:1"`, `"buildType": "a b"`},
		}},
	} {
		s := schema(t, c.schema)
		names, err := filepath.Glob(filepath.Join(out, "*"+c.suffix))
		if err != nil || len(names) != 2 {
			t.Fatalf("%v, %v", names, err)
		}
		for _, name := range names {
			data := file(t, name)
			if err := validate(t, s, data); err != nil {
				t.Errorf("%s: %v", filepath.Base(name), err)
			}
			for _, b := range c.breaks {
				if !bytes.Contains(data, []byte(b[0])) {
					t.Errorf("%s has no %s", filepath.Base(name), b[0])
				} else if validate(t, s, bytes.Replace(data, []byte(b[0]), []byte(b[1]), 1)) == nil {
					t.Errorf("%s with %s is valid", filepath.Base(name), b[1])
				}
			}
		}
	}
}

// The manual describes every field of the provenance.
func TestProvenanceIsInTheManual(t *testing.T) {
	manual, err := os.ReadFile("../../docs/releasing.md")
	if err != nil {
		t.Fatal(err)
	}
	out := packedDir(t, sample(t, choice{tex: true}), full)
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(file(t, out, "d4r-kernels-1.2.0-full"+ProvenanceSuffix)))
	if err != nil {
		t.Fatal(err)
	}
	fields := 0
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, inner := range v {
				if strings.HasSuffix(at, "variables") || strings.HasSuffix(at, "annotations") || strings.HasSuffix(at, "digest") {
					continue // their names are data
				}
				fields++
				if !strings.Contains(string(manual), "`"+name+"`") {
					t.Errorf("docs/releasing.md does not describe %s.%s", at, name)
				}
				walk(at+"."+name, inner)
			}
		case []any:
			for _, inner := range v {
				walk(at, inner)
			}
		}
	}
	walk("", v)
	if fields < 20 {
		t.Errorf("only %d fields", fields)
	}
}

// Both documents find what is wrong with them.
func TestChecksFind(t *testing.T) {
	out := packedDir(t, sample(t, choice{tex: true}), full)
	const name = "d4r-kernels-1.2.0-full.zip"
	c, data, err := Open(filepath.Join(out, name))
	if err != nil {
		t.Fatal(err)
	}
	tree, _ := Parse(c.Items)
	bill, statement := file(t, out, "d4r-kernels-1.2.0-full"+SBOMSuffix), file(t, out, "d4r-kernels-1.2.0-full"+ProvenanceSuffix)
	object := tree.Entries()[0]
	swap := func(doc []byte, old, new string) []byte {
		t.Helper()
		if !bytes.Contains(doc, []byte(old)) {
			t.Fatalf("no %s", old)
		}
		return bytes.ReplaceAll(doc, []byte(old), []byte(new))
	}
	zeros := strings.Repeat("0", 64)
	for _, x := range []struct {
		what  string
		wrong []string
		want  string
	}{
		{"edited bill", CheckSBOM(append(bytes.Clone(bill), '\n'), name, data, c.Items), "it was edited"},
		{"unknown field", CheckSBOM(swap(bill, `"spdxVersion"`, `"x": 1, "spdxVersion"`), name, data, c.Items), "unknown field"},
		{"another archive", CheckSBOM(bill, "other.zip", data, c.Items), "it does not list other.zip"},
		{"other bytes", CheckSBOM(bill, name, append(bytes.Clone(data), 0), c.Items), "with other digests"},
		{"a file's digest", CheckSBOM(swap(bill, object.SHA256, zeros), name, data, c.Items), "it lists " + object.Path},
		{"a file more in the bill", CheckSBOM(bill, name, data, c.Items[1:]), "which is not there"},
		{"a file more in the archive", CheckSBOM(bill, name, data, append(c.Items, Item{"zz", nil})), "it does not list zz"},
		{"edited provenance", CheckProvenance(append(bytes.Clone(statement), '\n'), name, data, tree), "it was edited"},
		{"of another archive", CheckProvenance(statement, "other.zip", data, tree), "it is not of other.zip"},
		{"of other bytes", CheckProvenance(statement, name, append(bytes.Clone(data), 0), tree), "it is of another"},
		{"of another matrix", CheckProvenance(swap(statement, tree.Release.Matrix.String(), zeros), name, data, tree), "another matrix"},
		{"of other sources", CheckProvenance(swap(statement, tree.Release.Sources.String(), zeros), name, data, tree), "another sources"},
		{"of another compiler", CheckProvenance(swap(statement, tree.Release.Toolchains[0].Closure.String(), zeros), name, data, tree), "another toolchain hip"},
		{"of another version", CheckProvenance(swap(statement, `"version": "1.2.0",`, `"version": "1.2.1",`), name, data, tree), "it is of d4r-kernels 1.2.1"},
		{"called redistributable", CheckProvenance(swap(statement, `"redistributable": false`, `"redistributable": true`), name, data, tree), "calls the archive redistributable"},
		{"another type", CheckProvenance(swap(statement, "provenance/v1", "provenance/v2"), name, data, tree), "it is of type"},
	} {
		if !strings.Contains(strings.Join(x.wrong, "\n"), x.want) {
			t.Errorf("%s: %v, want %q", x.what, x.wrong, x.want)
		}
	}
}
