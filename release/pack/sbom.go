package pack

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"kmx/cache"
	"kmx/release"
)

// SBOMSuffix ends the name of a bill of materials.
const SBOMSuffix = ".spdx.json"

// made is an archive file, and the release in it.
type made struct {
	name string
	data []byte
	tree *Tree
}

// bill collects a bill of materials.
type bill struct {
	spdxDocument
	seen map[string]bool // SPDX identifiers of files and toolchains
	refs map[string]bool // licences that only a reference names
}

// sbom is the bill of materials of the archive files of one archive block: a
// package for each of them with the files in it, and one for each toolchain.
// Files of one path and equal bytes stand in it once. What it says follows from
// the archives and the time alone.
func sbom(name string, archives []made, at time.Time) ([]byte, error) {
	b := bill{seen: map[string]bool{}, refs: map[string]bool{}}
	b.spdxDocument = spdxDocument{
		SPDXVersion: "SPDX-2.3", DataLicense: "CC0-1.0", SPDXID: spdxSelf, Name: name,
		CreationInfo: spdxCreation{Created: stampOf(at), Creators: []string{"Tool: kmx"}},
	}
	var subjects strings.Builder
	for _, a := range archives {
		fmt.Fprintf(&subjects, "%s  %s\n", blake3Of(a.data), a.name)
		b.archive(a)
	}
	b.DocumentNamespace = "https://spdx.org/spdxdocs/" + name + "-" + uuid("spdx", subjects.String())
	for _, ref := range slices.Sorted(maps.Keys(b.refs)) {
		b.Licences = append(b.Licences, spdxLicence{ref, ref,
			"The files are made of PTX code out of NVIDIA's libraries, whose licence is NVIDIA's own. They are not for passing on."})
	}
	return encodeJSON(b.spdxDocument)
}

// archive adds an archive file, its files and what made them.
func (b *bill) archive(a made) {
	r := a.tree.Release
	p := spdxPackage{
		SPDXID: "SPDXRef-Archive-" + identifier(a.name), Name: r.Project, Version: r.Version, FileName: a.name,
		DownloadLocation: noAssertion, FilesAnalyzed: true, Checksums: checksums(a.data), CopyrightText: noAssertion, Purpose: "ARCHIVE",
		SourceInfo: fmt.Sprintf("made of a matrix of BLAKE3 %s and sources of BLAKE3 %s", r.Matrix, r.Sources),
	}
	b.relate(spdxSelf, "DESCRIBES", p.SPDXID)
	objects := map[string]release.Entry{}
	for _, o := range a.tree.Entries() {
		objects[o.Path] = o.Entry
	}
	licences := map[string]bool{}
	var sha1s []string
	for _, item := range a.tree.Items {
		f := fileOf(item, r.Licence, objects)
		licences[f.LicenceConcluded] = true
		for _, w := range words(f.LicenceConcluded) {
			if strings.HasPrefix(w, "LicenseRef-") {
				b.refs[w] = true
			}
		}
		sha1s = append(sha1s, f.Checksums[0].Value)
		if !b.seen[f.SPDXID] {
			b.seen[f.SPDXID] = true
			b.Files = append(b.Files, f)
		}
		b.relate(p.SPDXID, "CONTAINS", f.SPDXID)
	}
	p.LicencesInFiles = slices.Sorted(maps.Keys(licences))
	p.LicenceConcluded = allOf(p.LicencesInFiles)
	p.LicenceDeclared = p.LicenceConcluded
	slices.Sort(sha1s)
	code := sha1.Sum([]byte(strings.Join(sha1s, "")))
	p.VerificationCode = &spdxCode{hex.EncodeToString(code[:])}
	b.Packages = append(b.Packages, p)
	for _, t := range r.Toolchains {
		id := "SPDXRef-Toolchain-" + identifier(t.Name)
		if !b.seen[id] {
			b.seen[id] = true
			b.Packages = append(b.Packages, spdxPackage{
				SPDXID: id, Name: t.Name, Version: t.Version, DownloadLocation: noAssertion,
				LicenceConcluded: noAssertion, LicenceDeclared: noAssertion, CopyrightText: noAssertion,
				Comment: fmt.Sprintf("a toolchain of kind %s; BLAKE3 %s over all its files; matrix.lock.hcl: %s", t.Kind, t.Closure, t.Lock),
			})
		}
		b.relate(id, "BUILD_TOOL_OF", p.SPDXID)
	}
}

func (b *bill) relate(element, kind, related string) {
	b.Relationships = append(b.Relationships, spdxRelationship{element, kind, related})
}

// fileOf describes one file; what is no object has the licence of the project.
func fileOf(item Item, licence string, objects map[string]release.Entry) spdxFile {
	f := spdxFile{
		FileName: "./" + item.Path, FileTypes: []string{"TEXT"}, Checksums: checksums(item.Data),
		LicenceConcluded: licence, CopyrightText: noAssertion,
	}
	if e, ok := objects[item.Path]; ok {
		f.FileTypes = []string{"BINARY"}
		f.LicenceConcluded = e.Licence
		f.Comment = "code object " + e.Address
		if e.Module != "" {
			f.Comment += ", made of PTX module " + e.Module + " (FNV-1a 64) of library " + e.Library
		}
	}
	if f.LicenceConcluded == "" {
		f.LicenceConcluded = noAssertion
	}
	f.LicencesInFile = []string{f.LicenceConcluded}
	f.SPDXID = "SPDXRef-File-" + cache.Sum([]byte(item.Path + "\x00" + f.Checksums[1].Value)).String()[:32]
	return f
}

// checksums are the digests of an archive or a file of one. SHA-1 is what the
// specification demands of files; nothing here relies on it.
func checksums(data []byte) []spdxChecksum {
	one := sha1.Sum(data)
	return []spdxChecksum{{"SHA1", hex.EncodeToString(one[:])}, {"SHA256", sha256Of(data)}, {"BLAKE3", blake3Of(data)}}
}

// allOf is the SPDX expression of all licences together.
func allOf(licences []string) string {
	parts := slices.Clone(licences)
	for i, l := range parts {
		if strings.ContainsRune(l, ' ') && len(parts) > 1 {
			parts[i] = "(" + l + ")"
		}
	}
	return strings.Join(parts, " AND ")
}

// identifier makes a name fit for an SPDX identifier.
func identifier(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '.' || r == '-' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '-'
	}, name)
}

// uuid is a UUID of version 8 (RFC 9562) that follows from what it is for.
func uuid(what, of string) string {
	d := cache.Sum([]byte(what + "\x00" + of))
	b := d[:16]
	b[6], b[8] = b[6]&0x0f|0x80, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// stampOf is a time as SPDX and SLSA have it.
func stampOf(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05Z") }

func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err := e.Encode(v)
	return b.Bytes(), err
}
