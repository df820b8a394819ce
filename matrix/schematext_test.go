package matrix

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestSchemaIsDocumented(t *testing.T) {
	var visit func(path string, b *blockSpec)
	visit = func(path string, b *blockSpec) {
		for _, a := range b.attrs {
			if a.doc == "" {
				t.Errorf("%s %s has no doc", path, a.name)
			}
			if strings.HasSuffix(a.doc, ".") {
				t.Errorf("%s %s: docs have no full stop", path, a.name)
			}
		}
		for _, s := range b.blocks {
			if s.doc == "" {
				t.Errorf("%s %s has no doc", path, s.name)
			}
			visit(path+" "+s.name, s)
		}
	}
	visit("", schema)
}

func TestWriteSchema(t *testing.T) {
	var text, data bytes.Buffer
	if err := WriteSchema(&text, false); err != nil {
		t.Fatal(err)
	}
	if err := WriteSchema(&data, true); err != nil {
		t.Fatal(err)
	}
	var got jsonSchema
	if err := json.Unmarshal(data.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Format != "kmx.schema/1" || got.Edition != edition || len(got.Blocks) != len(schema.blocks) || len(got.Functions) != len(functions) {
		t.Errorf("got %s", data.String())
	}
	for _, want := range []string{"\nproject \"NAME\" (one): ", "\n  kernels \"GROUP\": ", "\n    expect", "  abs(num)\n", "  concat(seqs...)\n"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
}
