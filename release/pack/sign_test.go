package pack

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aead.dev/minisign"
)

// Two keys of the tests, from fixed seeds.
func testKey(t *testing.T, seed byte) (Key, minisign.PublicKey) {
	t.Helper()
	pub, key, err := minisign.GenerateKey(bytes.NewReader(bytes.Repeat([]byte{seed}, 64)))
	if err != nil {
		t.Fatal(err)
	}
	return Key{&key}, pub
}

// keyFile writes a key without a passphrase.
func keyFile(t *testing.T, k Key) string {
	t.Helper()
	text, err := k.key.MarshalText()
	name := filepath.Join(t.TempDir(), "key")
	if err == nil {
		err = os.WriteFile(name, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func TestSignatures(t *testing.T) {
	key, pub := testKey(t, 1)
	_, other := testKey(t, 2)
	data := []byte("an archive")
	s, err := key.sign("a.zip", data, 1000000000)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := key.sign("a.zip", data, 1000000000); !bytes.Equal(again, s) {
		t.Error("a second signature differs")
	}
	if !strings.Contains(string(s), "trusted comment: timestamp:1000000000\tfile:a.zip\thashed\n") {
		t.Errorf("signature:\n%s", s)
	}
	if err := VerifySignature(pub, "a.zip", data, s); err != nil {
		t.Error(err)
	}
	refused(t, VerifySignature(other, "a.zip", data, s), "is signed with key")
	refused(t, VerifySignature(pub, "a.zip", []byte("another"), s), "is not of this file")
	refused(t, VerifySignature(pub, "b.zip", data, s), "was made for a file a.zip")
	refused(t, VerifySignature(pub, "a.zip", data, bytes.Replace(s, []byte("timestamp:1"), []byte("timestamp:2"), 1)), "is not of this file")
	refused(t, VerifySignature(pub, "a.zip", data, []byte("?")), "is no signature")
}

func TestReadKey(t *testing.T) {
	key, pub := testKey(t, 1)
	nonsense := filepath.Join(t.TempDir(), "nonsense")
	if err := os.WriteFile(nonsense, []byte("no key\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	large := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(large, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ file, passphrase, want string }{
		{keyFile(t, key), "", ""},
		{"testdata/light.key", "correct horse", ""},
		{"testdata/light.key", "wrong horse", "cannot be used"},
		{"testdata/light.key", "", "has a passphrase, and none was given"},
		{filepath.Join(t.TempDir(), "gone"), "", "the key for signing"},
		{t.TempDir(), "", "the key for signing"},
		{nonsense, "", "cannot be used"},
		{large, "", "has more than 65536 bytes"},
	} {
		got, err := ReadKey(c.file, c.passphrase)
		if c.want != "" {
			refused(t, err, c.want)
		} else if err != nil || !got.key.Equal(*key.key) {
			t.Errorf("%v", err)
		}
	}
	for _, text := range []string{key.Public(), pub.String()} {
		if p, err := PublicKey(text); err != nil || !p.Equal(pub) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{"nosuch.pub", filepath.Join(t.TempDir(), "key.pub")} {
		_, err := PublicKey(text)
		refused(t, err, "there is no file "+text)
	}
	for _, text := range []string{"", "RWQ" + strings.Repeat("!", 53), nonsense, large, t.TempDir()} {
		_, err := PublicKey(text)
		refused(t, err, "is no public key")
	}
}

// A key of the cost that minisign gives: a gigabyte, and seconds for each try.
func TestReadKeyAtFullCost(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a gigabyte and seconds; left out by -short")
	}
	key, _ := testKey(t, 1)
	got, err := ReadKey("testdata/encrypted.key", "correct horse")
	if err != nil || !got.key.Equal(*key.key) {
		t.Error(err)
	}
}

// Everything in a folder of archives is signed, and the same each time.
func TestPackSigned(t *testing.T) {
	key, pub := testKey(t, 1)
	dir := sample(t, choice{})
	sign := func() string {
		out := filepath.Join(t.TempDir(), "archives")
		r, err := Pack(t.Context(), Options{Release: dir, Out: out, Archives: []Archive{network, full}, Key: key})
		if err != nil || !r.Signed {
			t.Fatal(err)
		}
		return out
	}
	out := sign()
	n := 0
	for line := range strings.Lines(listing(t, out)) {
		name, _, _ := strings.Cut(line, " ")
		if strings.HasSuffix(name, SignatureSuffix) {
			continue
		}
		n++
		if err := VerifySignature(pub, name, file(t, out, name), file(t, out, name+SignatureSuffix)); err != nil {
			t.Error(err)
		}
	}
	if n != 12 {
		t.Errorf("%d files", n)
	}
	if problems := CheckSums(out); len(problems) > 0 {
		t.Errorf("%v", problems)
	}
	lost := gone(out, nil)
	if len(lost) == 0 || slices.ContainsFunc(lost, func(name string) bool { return !strings.HasSuffix(name, " (signed)") }) {
		t.Errorf("of signed archives that are gone is told %v", lost)
	}
	if listing(t, sign()) != listing(t, out) {
		t.Error("signed again, something differs")
	}
}
