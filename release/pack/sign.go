package pack

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"aead.dev/minisign"

	"kmx/internal/diag"
	"kmx/internal/durable"
)

// SignatureSuffix is added to the name of a file for that of its signature.
const SignatureSuffix = ".minisig"

// Key signs. The zero value does not.
type Key struct{ key *minisign.PrivateKey }

// ReadKey reads a secret key as minisign -G writes it. A key without a passphrase
// (minisign -GW) needs none.
func ReadKey(file, passphrase string) (Key, error) {
	data, err := durable.ReadSome(file, largestKey)
	if err != nil {
		return Key{}, diag.Failf(diag.Usage, "make one with: minisign -G", "the key for signing: %w", err)
	}
	var key minisign.PrivateKey
	if minisign.IsEncrypted(data) {
		if passphrase == "" {
			return Key{}, diag.Failf(diag.Usage, "set "+PassphraseEnv, "the key %s has a passphrase, and none was given", file)
		}
		key, err = minisign.DecryptKey(passphrase, data)
	} else {
		err = key.UnmarshalText(data)
	}
	if err != nil {
		return Key{}, diag.Failf(diag.Usage, "is it a secret key of minisign, and "+PassphraseEnv+" its passphrase?", "the key %s cannot be used: %w", file, err)
	}
	return Key{&key}, nil
}

// largestKey is more than any file of minisign's has.
const largestKey = 64 << 10

// KeyEnv and PassphraseEnv name the environment variables of the key's file and
// of its passphrase.
const (
	KeyEnv        = "KMX_SIGN_KEY"
	PassphraseEnv = "KMX_SIGN_PASSPHRASE"
)

// Signs says whether there is a key.
func (k Key) Signs() bool { return k.key != nil }

// Public is the public key as text, without its comment line.
func (k Key) Public() string {
	return strings.TrimSpace(lastLine(k.key.Public().(minisign.PublicKey).String()))
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// sign is the signature of a file of that name, prehashed, as minisign -S makes
// it. The trusted comment has the time of the release, not of the clock, so a
// key signs one file in one way.
func (k Key) sign(name string, data []byte, epoch int64) ([]byte, error) {
	r := minisign.NewReader(bytes.NewReader(data))
	if _, err := io.Copy(io.Discard, r); err != nil {
		return nil, err
	}
	return r.SignWithComments(*k.key, trusted(name, epoch), "signature from kmx secret key"), nil
}

func trusted(name string, epoch int64) string {
	return fmt.Sprintf("timestamp:%d\tfile:%s\thashed", epoch, name)
}

// PublicKey reads a public key: a file as minisign -G writes it, or the line of
// base64 itself.
func PublicKey(text string) (minisign.PublicKey, error) {
	var key minisign.PublicKey
	err := key.UnmarshalText([]byte(text))
	if err == nil {
		return key, nil
	}
	data, ferr := durable.ReadSome(text, largestKey)
	if ferr == nil {
		if ferr = key.UnmarshalText(data); ferr == nil {
			return key, nil
		}
	}
	switch {
	case !errors.Is(ferr, os.ErrNotExist):
		err = ferr
	case notKey(text):
		return key, diag.Failf(diag.Usage, "give the file that minisign -G wrote, or the second line of it", "the public key cannot be read: there is no file %s", text)
	}
	return key, diag.Failf(diag.Usage, "give a file of minisign, or the second line of one", "%q is no public key: %w", text, err)
}

// notKey says whether a word is rather the name of a file than the line of a key:
// those are base64 of 42 bytes and begin with the letters of the algorithm.
func notKey(text string) bool {
	line := strings.TrimSpace(text)
	return line != "" && !strings.Contains(line, "\n") && (len(line) < 50 || !strings.HasPrefix(line, "RW"))
}

// VerifySignature proves that the key's owner signed this file under this name.
func VerifySignature(key minisign.PublicKey, name string, data, signature []byte) error {
	var s minisign.Signature
	if err := s.UnmarshalText(signature); err != nil {
		return fmt.Errorf("%s%s is no signature: %w", name, SignatureSuffix, err)
	}
	if s.KeyID != key.ID() {
		return fmt.Errorf("%s is signed with key %016X, not with %016X", name, s.KeyID, key.ID())
	}
	r := minisign.NewReader(bytes.NewReader(data))
	if _, err := io.Copy(io.Discard, r); err != nil {
		return err
	}
	if !r.Verify(key, signature) && !minisign.Verify(key, data, signature) {
		return fmt.Errorf("the signature of %s is not of this file", name)
	}
	if signed := signedName(s.TrustedComment); signed != "" && signed != name {
		return fmt.Errorf("the signature of %s was made for a file %s", name, signed)
	}
	return nil
}

// signedName is the name that a trusted comment gives, "" if it gives none.
func signedName(comment string) string {
	for part := range strings.SplitSeq(comment, "\t") {
		if name, ok := strings.CutPrefix(part, "file:"); ok {
			return name
		}
	}
	return ""
}
