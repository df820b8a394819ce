package pack

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
		SourceInfo       string         `json:"sourceInfo,omitempty"`
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
