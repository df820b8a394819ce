package pack

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"kmx/cache"
	"kmx/release"
)

// The parts of an SPDX 2.3 document (https://spdx.github.io/spdx-spec/v2.3/)
// that ours have.
type (
	spdxDocument struct {
		SPDXVersion       string             `json:"spdxVersion"`
		DataLicense       string             `json:"dataLicense"`
		SPDXID            string             `json:"SPDXID"`
		Name              string             `json:"name"`
		DocumentNamespace string             `json:"documentNamespace"`
		CreationInfo      spdxCreation       `json:"creationInfo"`
		Licences          []spdxLicence      `json:"hasExtractedLicensingInfos,omitempty"`
		DocumentDescribes []string           `json:"documentDescribes"`
		Packages          []spdxPackage      `json:"packages"`
		Files             []spdxFile         `json:"files"`
		Relationships     []spdxRelationship `json:"relationships"`
	}
	spdxCreation struct {
		Created  string   `json:"created"`
		Creators []string `json:"creators"`
	}
	spdxLicence struct {
		ID   string `json:"licenseId"`
		Name string `json:"name"`
		Text string `json:"extractedText"`
	}
	spdxChecksum struct {
		Algorithm string `json:"algorithm"`
		Value     string `json:"checksumValue"`
	}
	spdxPackage struct {
		SPDXID           string         `json:"SPDXID"`
		Name             string         `json:"name"`
		Version          string         `json:"versionInfo,omitempty"`
		FileName         string         `json:"packageFileName,omitempty"`
		DownloadLocation string         `json:"downloadLocation"`
		FilesAnalyzed    bool           `json:"filesAnalyzed"`
		VerificationCode *spdxCode      `json:"packageVerificationCode,omitempty"`
		Checksums        []spdxChecksum `json:"checksums,omitempty"`
		LicenceConcluded string         `json:"licenseConcluded"`
		LicenceDeclared  string         `json:"licenseDeclared"`
		LicencesInFiles  []string       `json:"licenseInfoFromFiles,omitempty"`
		CopyrightText    string         `json:"copyrightText"`
		Purpose          string         `json:"primaryPackagePurpose,omitempty"`
		Comment          string         `json:"comment,omitempty"`
	}
	spdxCode struct {
		Value string `json:"packageVerificationCodeValue"`
	}
	spdxFile struct {
		SPDXID           string         `json:"SPDXID"`
		FileName         string         `json:"fileName"`
		FileTypes        []string       `json:"fileTypes"`
		Checksums        []spdxChecksum `json:"checksums"`
		LicenceConcluded string         `json:"licenseConcluded"`
		LicencesInFile   []string       `json:"licenseInfoInFiles"`
		CopyrightText    string         `json:"copyrightText"`
		Comment          string         `json:"comment,omitempty"`
	}
	spdxRelationship struct {
		Element string `json:"spdxElementId"`
		Type    string `json:"relationshipType"`
		Related string `json:"relatedSpdxElement"`
	}
)

const (
	noAssertion = "NOASSERTION"
	spdxSelf    = "SPDXRef-DOCUMENT"
)

// packed is an archive file that was made, and the release in it.
type packed struct {
	name string
	data []byte
	tree *Tree
}

// SBOM is the bill of materials of the archive files of one archive block: a
// package for each of them, with the files in it, and one for each toolchain.
// Files of equal path and bytes stand in it once.
func sbom(name string, archives []packed, at time.Time) ([]byte, error) {
	d := spdxDocument{
		SPDXVersion: "SPDX-2.3", DataLicense: "CC0-1.0", SPDXID: spdxSelf, Name: name,
		CreationInfo:      spdxCreation{Created: at.UTC().Format(time.RFC3339), Creators: []string{"Tool: kmx"}},
		DocumentDescribes: []string{}, Packages: []spdxPackage{}, Files: []spdxFile{}, Relationships: []spdxRelationship{},
	}
	relate := func(element, kind, related string) {
		d.Relationships = append(d.Relationships, spdxRelationship{element, kind, related})
	}
	files := map[string]bool{}
	toolchains := map[string]bool{}
	unique := cache.NewHasher()
	for _, a := range archives {
		fmt.Fprintf(unique, "%s  %s\n", blake3Of(a.data), a.name)
		p := spdxPackage{
			SPDXID: "SPDXRef-Archive-" + idOf(a.name), Name: a.tree.Release.Project, Version: a.tree.Release.Version, FileName: a.name,
			DownloadLocation: noAssertion, FilesAnalyzed: true, Checksums: checksums(a.data), CopyrightText: noAssertion, Purpose: "ARCHIVE",
		}
		d.DocumentDescribes = append(d.DocumentDescribes, p.SPDXID)
		licences := map[string]bool{}
		objects := map[string]release.Entry{}
		for _, o := range a.tree.Entries() {
			objects[o.Path] = o.Entry
		}
		var sha1s, ids []string
		for _, item := range a.tree.Items {
			f := a.file(item, objects)
			licences[f.LicenceConcluded] = true
			sha1s, ids = append(sha1s, f.Checksums[0].Value), append(ids, f.SPDXID)
			if !files[f.SPDXID] {
				files[f.SPDXID] = true
				d.Files = append(d.Files, f)
			}
		}
		p.LicencesInFiles = slices.Sorted(maps.Keys(licences))
		p.LicenceConcluded = allOf(p.LicencesInFiles)
		p.LicenceDeclared = p.LicenceConcluded
		slices.Sort(sha1s)
		code := sha1.Sum([]byte(strings.Join(sha1s, "")))
		p.VerificationCode = &spdxCode{hex.EncodeToString(code[:])}
		d.Packages = append(d.Packages, p)
		for _, id := range ids {
			relate(p.SPDXID, "CONTAINS", id)
		}
		for _, t := range a.tree.Release.Toolchains {
			id := "SPDXRef-Toolchain-" + idOf(t.Name)
			if !toolchains[t.Name] {
				toolchains[t.Name] = true
				defer func() {
					d.Packages = append(d.Packages, spdxPackage{})
				}()
			}
			relate(id, "BUILD_TOOL_OF", p.SPDXID)
		}
	}
	return nil, nil
}

// checksums are the digests of an archive or a file of one. SHA-1 is what the
// specification demands of files; nobody here relies on it.
func checksums(data []byte) []spdxChecksum {
	one := sha1.Sum(data)
	return []spdxChecksum{{"SHA1", hex.EncodeToString(one[:])}, {"SHA256", sha256Of(data)}, {"BLAKE3", blake3Of(data)}}
}

func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err := e.Encode(v)
	return b.Bytes(), err
}

var _ = path.Join
