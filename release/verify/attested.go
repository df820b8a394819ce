package verify

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"aead.dev/minisign"

	"kmx/internal/durable"
	"kmx/release"
	"kmx/release/pack"
)

// attested looks at what lies beside an archive: lists of digests, signature, bill
// of materials and provenance. What is not there is told; in a folder of archives
// it is missed.
func (p *prover) attested() {
	dir, base := filepath.Split(p.Name)
	f := release.Describe(base, p.Data)
	listed := false
	for list, digest := range map[string]string{pack.SHA256File: f.SHA256, pack.B3File: f.BLAKE3.String()} {
		data, err := durable.ReadFile(filepath.Join(dir, list), pack.MaxText)
		if err != nil {
			continue
		}
		sums, err := pack.ParseSums(data)
		switch {
		case err != nil:
			p.say("", list, "%v", err)
		case sums[base] == "":
			p.say("", list, "does not name %s", base)
		case sums[base] != digest:
			p.say("", base, "altered: %s has another digest, %s", list, sums[base])
		}
		listed = true
	}
	if !listed {
		p.note("neither %s nor %s lies beside it", pack.SHA256File, pack.B3File)
	}
	signer, what := signed(filepath.Join(dir, base), base, p.Data, p.o.Key)
	switch {
	case what != "":
		p.say("", base, "%s", what)
	case signer == "":
		p.note("not signed")
	case p.o.Key == nil:
		p.note("it carries a signature of key %s, which was not checked; -requireSignature=KEY does", signer)
	default:
		p.note("signed with key %s", signer)
	}
	for _, kind := range []struct{ suffix, what string }{{pack.SBOMSuffix, "bill of materials"}, {pack.ProvenanceSuffix, "provenance"}} {
		name := beside(dir, base, kind.suffix)
		if name == "" {
			p.note("no %s lies beside it", kind.what)
			continue
		}
		data, err := durable.ReadFile(filepath.Join(dir, name), pack.MaxText)
		if err != nil {
			p.say("", name, "%v", err)
			continue
		}
		for _, what := range p.statement(kind.suffix, data, base) {
			p.say("", name, "%s", what)
		}
	}
}

func (p *prover) statement(suffix string, data []byte, base string) []string {
	if suffix == pack.SBOMSuffix {
		return pack.CheckSBOM(data, base, p.Data, p.Archive.Items)
	}
	if p.Release == nil {
		return nil // whose manifest cannot be read, as was told
	}
	return pack.CheckProvenance(data, base, p.Data, &pack.Tree{Release: p.Release, Items: p.Archive.Items})
}

// beside is the statement of an archive: the file with the suffix whose name
// begins as the archive's does, the longest where there are several. One statement
// speaks of all files of an archive block.
func beside(dir, archive, suffix string) string {
	names, _ := filepath.Glob(filepath.Join(globbed(dir), "*"+suffix))
	best := ""
	for _, name := range names {
		name = filepath.Base(name)
		stem := strings.TrimSuffix(name, suffix)
		if rest, ok := strings.CutPrefix(archive, stem); ok && rest != "" && strings.ContainsRune("-.", rune(rest[0])) && len(name) > len(best) {
			best = name
		}
	}
	return best
}

// globbed is a folder as a pattern that means just it.
func globbed(dir string) string {
	return strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`).Replace(dir)
}

// signed looks for the signature of a file. It gives the signer's key, "" where
// there is no signature, and what is wrong: with a key given also that there is
// none.
func signed(file, name string, data []byte, key *minisign.PublicKey) (signer, what string) {
	text, err := durable.ReadFile(file+pack.SignatureSuffix, pack.MaxText)
	if err != nil {
		if key == nil && os.IsNotExist(err) {
			return "", ""
		}
		if os.IsNotExist(err) {
			return "", fmt.Sprintf("not signed: there is no %s%s, and a signature of key %016X is required", name, pack.SignatureSuffix, key.ID())
		}
		return "", err.Error()
	}
	var s minisign.Signature
	if err := s.UnmarshalText(text); err != nil {
		return "", fmt.Sprintf("%s%s is no signature: %v", name, pack.SignatureSuffix, err)
	}
	signer = fmt.Sprintf("%016X", s.KeyID)
	if key == nil {
		return signer, ""
	}
	if err := pack.VerifySignature(*key, name, data, text); err != nil {
		return signer, strings.TrimPrefix(err.Error(), name+" is ") // the file is named with the problem
	}
	return signer, ""
}
