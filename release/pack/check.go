package pack

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// CheckSBOM compares a bill of materials with an archive that it should list:
// the digests of the archive file, and every file in it with its digests. The
// result is empty where all holds.
func CheckSBOM(sbom []byte, name string, archive []byte, items []Item) []string {
	var d spdxDocument
	if err := strict(sbom, &d); err != nil {
		return []string{fmt.Sprintf("it is no bill of materials of kmx: %v", err)}
	}
	i := slices.IndexFunc(d.Packages, func(p spdxPackage) bool { return p.FileName == name })
	if i < 0 {
		return []string{"it does not list " + name}
	}
	var wrong []string
	p := d.Packages[i]
	if !slices.Equal(p.Checksums, checksums(archive)) {
		wrong = append(wrong, fmt.Sprintf("it lists %s with other digests", name))
	}
	files := map[string]spdxFile{}
	for _, f := range d.Files {
		files[f.SPDXID] = f
	}
	listed := map[string]spdxFile{}
	for _, r := range d.Relationships {
		if r.Element == p.SPDXID && r.Type == "CONTAINS" {
			f := files[r.Related]
			listed[strings.TrimPrefix(f.FileName, "./")] = f
		}
	}
	for _, item := range items {
		f, ok := listed[item.Path]
		delete(listed, item.Path)
		switch {
		case !ok:
			wrong = append(wrong, fmt.Sprintf("it does not list %s in %s", item.Path, name))
		case !slices.Equal(f.Checksums, checksums(item.Data)):
			wrong = append(wrong, fmt.Sprintf("it lists %s in %s with other digests", item.Path, name))
		}
	}
	for _, gone := range slices.Sorted(maps.Keys(listed)) {
		wrong = append(wrong, fmt.Sprintf("it lists %s in %s, which is not there", gone, name))
	}
	return wrong
}

// CheckProvenance compares a provenance statement with an archive that it should
// be of, and with the manifest in it. The result is empty where all holds.
func CheckProvenance(provenance []byte, name string, archive []byte, t *Tree) []string {
	var s statement
	if err := strict(provenance, &s); err != nil {
		return []string{fmt.Sprintf("it is no provenance of kmx: %v", err)}
	}
	var wrong []string
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if s.Type != statementType || s.PredicateType != predicateType || s.Predicate.BuildDefinition.BuildType != buildType {
		say("it is of type %s, %s, %s", s.Type, s.PredicateType, s.Predicate.BuildDefinition.BuildType)
	}
	subject, ok := find(s.Subject, name)
	switch want := digested(name, archive); {
	case !ok:
		say("it is not of %s", name)
	case !maps.Equal(subject.Digest, want.Digest):
		say("it is of another %s: SHA-256 %s, the archive has %s", name, subject.Digest["sha256"], want.Digest["sha256"])
	}
	x := s.Predicate.BuildDefinition.ExternalParameters
	if x.Project != t.Release.Project || x.Version != t.Release.Version {
		say("it is of %s %s, the manifest says %s %s", x.Project, x.Version, t.Release.Project, t.Release.Version)
	}
	if x.Archive.Redistributable && len(t.Release.Restricted) > 0 {
		say("it calls the archive redistributable, the manifest does not")
	}
	depends := func(name, digest string) {
		if d, _ := find(s.Predicate.BuildDefinition.ResolvedDependencies, name); d.Digest["blake3"] != digest {
			say("it names another %s than the manifest: BLAKE3 %s, not %s", name, d.Digest["blake3"], digest)
		}
	}
	depends("matrix", t.Release.Matrix.String())
	depends("sources", t.Release.Sources.String())
	for _, tc := range t.Release.Toolchains {
		depends("toolchain "+tc.Name, tc.Closure.String())
	}
	return wrong
}

// strict reads JSON as kmx writes it: no field that it does not know, nothing
// behind the end, the very bytes.
func strict[T any](data []byte, into *T) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	again, err := encodeJSON(into)
	if err == nil && !bytes.Equal(again, data) {
		err = fmt.Errorf("it was edited, or is of another kmx")
	}
	return err
}
