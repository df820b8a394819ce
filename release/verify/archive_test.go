package verify

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aead.dev/minisign"

	"kmx/internal/diag"
	"kmx/release/pack"
)

// The keys of the tests, from fixed seeds.
var testPublic, testSecret = testKey(1)

func testKey(seed byte) (minisign.PublicKey, minisign.PrivateKey) {
	pub, key, err := minisign.GenerateKey(bytes.NewReader(bytes.Repeat([]byte{seed}, 64)))
	if err != nil {
		panic(err) // the reader does not end
	}
	return pub, key
}

// packed are the archives of the sample: per set and whole, signed if wanted.
// Packing takes a while, so it is done once and copied.
func packed(t *testing.T, signed bool) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "archives")
	from := filepath.Join(parent, map[bool]string{true: "signed", false: "unsigned"}[signed])
	if !exists(from) {
		packInto(t, from, signed)
	}
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func packInto(t *testing.T, out string, signed bool) {
	t.Helper()
	o := pack.Options{
		Release: sample(t, true), Out: out,
		Archives: []pack.Archive{{Name: "network", Formats: []string{pack.TarZst, pack.Zip}, Redistributable: true}},
		Notices:  []pack.Notice{{Name: "LICENSE", Data: []byte("a licence\n")}},
	}
	if signed {
		text, err := testSecret.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "key")
		write(t, text, file)
		if o.Key, err = pack.ReadKey(file, ""); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := pack.Pack(t.Context(), o); err != nil {
		t.Fatal(err)
	}
}

// archives is what ProveArchives says, one a line.
func archives(t *testing.T, dir string, o Options) string {
	t.Helper()
	proofs, err := ProveArchives(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, p := range proofs {
		for _, problem := range p.Problems {
			all = append(all, problem.String())
		}
	}
	return strings.Join(all, "\n")
}

func TestArchives(t *testing.T) {
	dir := packed(t, true)
	if !IsArchives(dir) || IsArchives(sample(t, false)) {
		t.Error("a folder of archives is taken for a release, or the other way round")
	}
	proofs, err := ProveArchives(t.Context(), dir, Options{Key: &testPublic})
	if err != nil {
		t.Fatal(err)
	}
	if len(proofs) != 1+6+1+1 { // the folder, an archive for each set, the whole as .tar.zst and as .zip
		t.Errorf("%d proofs", len(proofs))
	}
	for _, p := range proofs {
		if len(p.Problems) > 0 {
			t.Errorf("%s: %v", p.Name, p.Problems)
		}
		if p.Sets > 0 && !strings.Contains(strings.Join(p.Notes, "\n"), "signed with key") {
			t.Errorf("%s: %v", p.Name, p.Notes)
		}
	}
	// Without a key a signature is told and not believed.
	p, err := Prove(t.Context(), filepath.Join(dir, "d4r-kernels-1.2.0-nonvidia-network.zip"), Options{})
	if err != nil || len(p.Problems) > 0 || !strings.Contains(strings.Join(p.Notes, "\n"), "which was not checked") {
		t.Errorf("%v %+v", err, p)
	}
	// Alone, an archive still proves what is in it.
	alone := filepath.Join(t.TempDir(), "d4r-kernels-1.2.0-nonvidia-network.tar.zst")
	write(t, read(t, dir, filepath.Base(alone)), alone)
	p, err = Prove(t.Context(), alone, Options{})
	if err != nil || len(p.Problems) > 0 || p.Objects != 16 {
		t.Errorf("%v %+v", err, p)
	}
	for _, want := range []string{"not signed", "no bill of materials lies beside it", "no provenance lies beside it", "neither SHA256SUMS nor B3SUMS"} {
		if !strings.Contains(strings.Join(p.Notes, "\n"), want) {
			t.Errorf("nobody says %s: %v", want, p.Notes)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "kmx-verify-[0-9]*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestUnsigned(t *testing.T) {
	dir := packed(t, false)
	if got := archives(t, dir, Options{}); got != "" {
		t.Errorf("unsigned, and no key asked for: %s", got)
	}
	got := archives(t, dir, Options{Key: &testPublic})
	for _, name := range filesBelow(t, dir) {
		if !strings.Contains(got, name+": not signed: there is no "+name+".minisig") {
			t.Errorf("nobody says that %s is not signed", name)
		}
	}
	signed := packed(t, true)
	other, _ := testKey(2)
	if got := archives(t, signed, Options{Key: &other}); !strings.Contains(got, "network.zip: ") || !strings.Contains(got, ": signed with key") {
		t.Errorf("another key: %s", got)
	}
	name := "d4r-kernels-1.2.0-nonvidia-network.zip"
	write(t, read(t, signed, "d4r-kernels-1.2.0-nonvidia-network.tar.zst.minisig"), signed, name+".minisig")
	if got := archives(t, signed, Options{Key: &testPublic}); !strings.Contains(got, name+": the signature of "+name+" is not of this file") {
		t.Errorf("the signature of another file: %s", got)
	}
}

// One byte in each file of the folder is found, and the file named: archives, bill
// of materials and provenance at a time, signatures at a time, and each list, since
// without a list that can be read nothing is compared with it.
func TestEveryByteOfArchives(t *testing.T) {
	dir := packed(t, true)
	groups := map[string][]string{}
	for _, name := range filesBelow(t, dir) {
		group := "files"
		if strings.HasSuffix(name, pack.SignatureSuffix) {
			group = "signatures"
		} else if name == pack.SHA256File || name == pack.B3File {
			group = name
		}
		groups[group] = append(groups[group], name)
	}
	if len(groups) != 4 || len(groups["files"]) != 10 || len(groups["signatures"]) != 12 {
		t.Fatalf("%v", groups)
	}
	for group, names := range groups {
		for _, part := range []int{0, 3, 5, 9} {
			changed := map[string]int{}
			for _, name := range names {
				data := read(t, dir, name)
				at := (len(data) - 2) * part / 9
				// The first line of a signature is a comment that nothing protects.
				if end := bytes.IndexByte(data, '\n'); group == "signatures" && at <= end {
					at = end + 1
				}
				flip(t, at, dir, name)
				changed[name] = at
			}
			got := archives(t, dir, Options{Key: &testPublic})
			for name, at := range changed {
				flip(t, at, dir, name)
				of := strings.TrimSuffix(name, pack.SignatureSuffix)
				if !strings.Contains("\n"+got, "\n"+of+": ") {
					t.Errorf("byte %d of %s: nobody names it in\n%s", at, name, got)
				}
			}
		}
	}
	if got := archives(t, dir, Options{Key: &testPublic}); got != "" {
		t.Errorf("afterwards: %s", got)
	}
}

func TestWithoutStatements(t *testing.T) {
	dir := packed(t, false)
	for _, name := range []string{"d4r-kernels-1.2.0-nonvidia-network.spdx.json", "d4r-kernels-1.2.0-nonvidia-network.provenance.json"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	got := archives(t, dir, Options{})
	for _, want := range []string{"network.zip: has no bill of materials beside it", "network.zip: has no provenance beside it", "spdx.json: ", "provenance.json: "} {
		if !strings.Contains(got, want) {
			t.Errorf("nobody says %s in\n%s", want, got)
		}
	}
}

// An archive of a release whose manifests were forged, with digests and lists that
// fit, is refused like the folder.
func TestArchiveOfAForgery(t *testing.T) {
	dir := packed(t, false)
	name := filepath.Join(dir, "d4r-kernels-1.2.0-nonvidia-network.tar.zst")
	p, err := Prove(t.Context(), name, Options{Today: "2027-01-01"})
	if err != nil || !strings.Contains(p.Err().Error(), "expired") || diag.ExitCode(p.Err()) != int(diag.Verify) {
		t.Errorf("%v %v", err, p)
	}
	swapped := read(t, dir, "d4r-kernels-1.2.0-nonvidia-network-gfx1100.tar.zst")
	write(t, swapped, name)
	got := problems(t, name, Options{})
	for _, want := range []string{"network.tar.zst: altered: SHA256SUMS has another digest", "spdx.json: it lists", "provenance.json: it is of another"} {
		if !strings.Contains(got, want) {
			t.Errorf("nobody says %s in\n%s", want, got)
		}
	}
}

// What Open takes out of an archive is looked through like a folder: code of
// NVIDIA's that hides in it, and objects made of such code that the archive does
// not own up to.
func TestArchiveContent(t *testing.T) {
	look := func(change func(*Opened)) string {
		t.Helper()
		o, err := Open(filepath.Join(packed(t, false), "d4r-kernels-1.2.0-nonvidia-network.zip"))
		if err != nil {
			t.Fatal(err)
		}
		defer o.Close()
		change(o)
		p := &prover{Opened: o, proof: &Proof{}, known: map[string]bool{}}
		if err := p.content(t.Context()); err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, problem := range p.proof.Problems {
			all = append(all, problem.String())
		}
		return strings.Join(append(all, p.proof.Notes...), "\n")
	}
	if got := look(func(*Opened) {}); got != "" {
		t.Errorf("untouched: %s", got)
	}
	got := look(func(o *Opened) {
		o.Archive.Items = append(o.Archive.Items, pack.Item{Path: "gfx1201/x.bin", Data: []byte("//\n.version 8.4\n.target sm_89\n.address_size 64\n")})
	})
	if !strings.HasPrefix(got, "gfx1201/x.bin: offset ") {
		t.Errorf("PTX in an archive: %s", got)
	}
	hide := func(o *Opened) {
		for _, s := range o.Sets {
			for i := range s.Objects {
				if s.Path == "gfx1100" {
					s.Objects[i].Licence, s.Objects[i].Module = "LicenseRef-NVIDIA-derived", "0123456789abcdef"
				}
			}
		}
	}
	if got := look(hide); !strings.Contains(got, "gfx1100/rrlite_enc1_4x4.hsaco: may not be passed on (its licence is LicenseRef-NVIDIA-derived), and the archive does not say so") {
		t.Errorf("objects made of NVIDIA's code: %s", got)
	}
	got = look(func(o *Opened) {
		hide(o)
		o.Release.Restricted = []string{"LicenseRef-NVIDIA-derived"}
	})
	if got != "not for passing on: it holds objects under LicenseRef-NVIDIA-derived" {
		t.Errorf("an archive that says so: %s", got)
	}
}
