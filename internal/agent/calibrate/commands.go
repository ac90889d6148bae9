package calibrate

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"

	"github.com/benchnet/benchnet/internal/agent/container"
	"github.com/benchnet/benchnet/internal/agent/faults"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// maxTokenBytes bounds the file of a token.
const maxTokenBytes = 1 << 10

// ReadToken returns the token in a file. It fails if the file is empty.
func ReadToken(file string) (string, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read the token of the commands: %w", err)
	}
	token := strings.TrimSpace(string(content))
	if token == "" || len(token) > maxTokenBytes {
		return "", fmt.Errorf("read the token of the commands: %s has %d characters, want 1 to %d", file, len(token), maxTokenBytes)
	}
	return token, nil
}

// ReadTokenDigest returns the hexadecimal SHA-256 of a token in a file. It fails if the file has another content.
func ReadTokenDigest(file string) (string, error) {
	digest, err := ReadToken(file)
	if err == nil && !measurement.IsSHA256(digest) {
		err = fmt.Errorf("read the digest of the token of the commands: %s has no hexadecimal SHA-256", file)
	}
	return digest, err
}

// NewHandler returns a handler of the commands of an agent, protected as Protect describes. The volume is that of the calibration.
// faultHandler serves faults.Path.
func NewHandler(digest, volume string, faultHandler http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+container.MachinePath, func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, container.MachineReader{Root: "/", Volume: volume}.Read())
	})
	addHandlers(mux, volume)
	mux.Handle("GET "+faults.Path, faultHandler)
	mux.Handle("POST "+faults.Path, faultHandler)
	return Protect(digest, mux)
}

// Protect returns a handler that passes requests on to commands. It refuses those without the token of that SHA-256 (401), with a body,
// since no command has one (413), and during another command (429).
func Protect(digest string, commands http.Handler) http.Handler {
	var busy sync.Mutex
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !hasToken(r, digest):
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "the token of the network's commands is missing or wrong", http.StatusUnauthorized)
		case r.ContentLength != 0: // -1 is a body of unknown length.
			http.Error(w, "commands have no body", http.StatusRequestEntityTooLarge)
		case !busy.TryLock():
			http.Error(w, "another command is under way", http.StatusTooManyRequests)
		default:
			defer busy.Unlock()
			commands.ServeHTTP(w, r)
		}
	})
}

// hasToken compares in a time that does not depend on how much of the token is right.
func hasToken(r *http.Request, digest string) bool {
	got, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	sum := sha256.Sum256([]byte(got))
	return found && subtle.ConstantTimeCompare([]byte(hex.EncodeToString(sum[:])), []byte(digest)) == 1
}

func writeJSON(w http.ResponseWriter, answer any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // An error means that the client disconnected.
}
