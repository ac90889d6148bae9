package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"aead.dev/minisign"
)

// maxKeyBytes bounds the size of key files.
const maxKeyBytes = 4 << 10

// ReadPrivateKey reads a private key of minisign. It calls readPassword only if the key is encrypted.
func ReadPrivateKey(file string, readPassword func() (string, error)) (*minisign.PrivateKey, error) {
	text, err := readKeyFile(file)
	if err != nil {
		return nil, err
	}
	if !minisign.IsEncrypted(text) {
		var key minisign.PrivateKey
		if err := key.UnmarshalText(text); err != nil {
			return nil, fmt.Errorf("%s is no private key of minisign: %w", file, err)
		}
		return &key, nil
	}
	password, err := readPassword()
	if err != nil {
		return nil, fmt.Errorf("read the password of %s: %w", file, err)
	}
	key, err := minisign.DecryptKey(password, text)
	if err != nil {
		return nil, fmt.Errorf("decrypt %s: wrong password, or no private key of minisign: %w", file, err)
	}
	return &key, nil
}

// ReadPublicKey reads a public key of minisign.
func ReadPublicKey(file string) (*minisign.PublicKey, error) {
	text, err := readKeyFile(file)
	if err != nil {
		return nil, err
	}
	var key minisign.PublicKey
	if err := key.UnmarshalText(text); err != nil {
		return nil, fmt.Errorf("%s is no public key of minisign: %w", file, err)
	}
	return &key, nil
}

// readKeyFile reads a key file without white space at its end, which the decoder of private keys rejects.
func readKeyFile(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err // It names the file.
	}
	if !info.Mode().IsRegular() || info.Size() > maxKeyBytes {
		return nil, fmt.Errorf("%s is no key of minisign: it must be a file of at most %d bytes", file, maxKeyBytes)
	}
	text, err := os.ReadFile(file)
	return bytes.TrimSpace(text), err
}

// signIndex returns minisign's signature of an index. Its comments depend on the subject and the key only, so that equal
// bundles have equal signatures.
func signIndex(index []byte, key *minisign.PrivateKey, subject string) []byte {
	reader := minisign.NewReader(bytes.NewReader(index))
	_, _ = bytes.NewBuffer(nil).ReadFrom(reader) // Reading from memory cannot fail.
	return reader.SignWithComments(*key, "benchnet bundle of "+subject, "signature by minisign key "+FormatKeyID(key.ID()))
}

// checkSignature returns the trusted comment of the signature, or an error if it is not the key's signature of the index.
func checkSignature(index, signature []byte, key *minisign.PublicKey) (comment string, err error) {
	var parsed minisign.Signature
	switch {
	case signature == nil:
		return "", errors.New(signatureName + " is missing: the bundle is not signed")
	case parsed.UnmarshalText(signature) != nil:
		return "", errors.New(signatureName + " is no signature of minisign")
	case parsed.KeyID != key.ID():
		return "", fmt.Errorf("%s is by key %s, not by key %s", signatureName, FormatKeyID(parsed.KeyID), FormatKeyID(key.ID()))
	case !minisign.Verify(*key, index, signature):
		return "", fmt.Errorf("%s is not the signature of %s by key %s", signatureName, indexName, FormatKeyID(key.ID()))
	}
	return parsed.TrustedComment, nil
}

// FormatKeyID formats the identifier of a key as minisign prints it.
func FormatKeyID(id uint64) string { return fmt.Sprintf("%016X", id) }
