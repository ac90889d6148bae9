package document

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Digest returns the digest of a stored document, which the status of its run or experiment records.
func Digest(document []byte) string {
	sum := sha256.Sum256(document)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// CheckDigest fails if a stored document is not the one whose digest was recorded. Whoever may write ConfigMaps can replace it.
// Every document passes if no digest was recorded.
func CheckDigest(document []byte, recorded string) error {
	if got := Digest(document); recorded != "" && got != recorded {
		return fmt.Errorf("its digest is %s, want %s: the document was replaced after it was written", got, recorded)
	}
	return nil
}
