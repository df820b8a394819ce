package pack

import (
	"bytes"
	"path/filepath"
	"testing"

	slsa "github.com/in-toto/attestation/go/predicates/provenance/v1"
	intoto "github.com/in-toto/attestation/go/v1"
	spdxjson "github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdxlib"
	"google.golang.org/protobuf/encoding/protojson"
)

// SPDX's own library reads every SBOM and finds nothing wrong, nor do in-toto's
// bindings with the provenance. Their types know the fields; what may stand in
// them is TestSchemas'.
func TestAuthorities(t *testing.T) {
	out := packedDir(t, sample(t, choice{tex: true}), network, full)
	named := func(suffix string) []string {
		names, err := filepath.Glob(filepath.Join(out, "*"+suffix))
		if err != nil || len(names) != 2 {
			t.Fatalf("%v, %v", names, err)
		}
		return names
	}
	for _, name := range named(SBOMSuffix) {
		doc, err := spdxjson.Read(bytes.NewReader(file(t, name)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := spdxlib.ValidateDocument(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(doc.Files) == 0 || len(doc.Packages) == 0 {
			t.Errorf("%s: %d files, %d packages", name, len(doc.Files), len(doc.Packages))
		}
	}
	for _, name := range named(ProvenanceSuffix) {
		data := file(t, name)
		if err := attested(data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, broken := range [][2]string{{`"subject"`, `"subjects"`}, {`"builder"`, `"bilder"`}, {`"buildType"`, `"buildTyp"`}} {
			if attested(bytes.Replace(data, []byte(broken[0]), []byte(broken[1]), 1)) == nil {
				t.Errorf("%s: %s instead of %s is taken", name, broken[1], broken[0])
			}
		}
	}
}

// attested is what in-toto's bindings say of a statement with its predicate.
func attested(data []byte) error {
	var s intoto.Statement
	if err := protojson.Unmarshal(data, &s); err != nil {
		return err
	}
	if err := s.Validate(); err != nil {
		return err
	}
	inner, err := protojson.Marshal(s.Predicate)
	if err != nil {
		return err
	}
	var p slsa.Provenance
	if err := protojson.Unmarshal(inner, &p); err != nil {
		return err
	}
	return p.Validate()
}
