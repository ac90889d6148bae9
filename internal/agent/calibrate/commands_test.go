package calibrate

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/internal/agent/container"
	"github.com/benchnet/benchnet/internal/agent/faults"
	"github.com/benchnet/benchnet/internal/agent/supervise"
)

const (
	testToken = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	// testDigest is the SHA-256 of testToken, by sha256sum.
	testDigest = "d6ec6898de87ddac6e5b3611708a7aa1c2d298293349cc1a6c299a1db7149d38"
)

func startAgent(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(NewHandler(testDigest, t.TempDir(), &supervise.FaultHandler{}))
	t.Cleanup(server.Close)
	return server.URL
}

// send sends a request with the value of the Authorization header and returns the response, whose body is open.
func send(t *testing.T, method, url, authorization string, body io.Reader) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	if authorization != "" {
		request.Header.Set("Authorization", authorization)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	return response
}

// TestEveryCommandNeedsTheToken also covers paths that do not exist: without the token, the answer must be the same as for those that do.
func TestEveryCommandNeedsTheToken(t *testing.T) {
	url := startAgent(t)
	for _, target := range []struct {
		method, path string
		want         int
	}{
		{http.MethodGet, container.MachinePath, http.StatusOK},
		{http.MethodPost, ContainerPath + "?seconds=0.01", http.StatusOK},
		{http.MethodPost, StreamPath + "?seconds=0.01", http.StatusOK},
		{http.MethodGet, faults.Path + "?fault=%7B%22type%22:%22Kill%22%7D", http.StatusOK},
		{http.MethodGet, "/metrics", http.StatusNotFound},
	} {
		for name, c := range map[string]struct {
			authorization string
			want          int
		}{
			"token":        {"Bearer " + testToken, target.want},
			"none":         {"", http.StatusUnauthorized},
			"empty":        {"Bearer ", http.StatusUnauthorized},
			"no scheme":    {testToken, http.StatusUnauthorized},
			"another":      {"Bearer " + strings.ToLower(testToken), http.StatusUnauthorized},
			"beginning":    {"Bearer " + testToken[:25], http.StatusUnauthorized},
			"longer":       {"Bearer " + testToken + "A", http.StatusUnauthorized},
			"digest":       {"Bearer " + testDigest, http.StatusUnauthorized},
			"other scheme": {"Basic " + testToken, http.StatusUnauthorized},
		} {
			t.Run(target.path+" "+name, func(t *testing.T) {
				got := send(t, target.method, url+target.path, c.authorization, nil)
				if got.StatusCode != c.want {
					t.Errorf("status %d, want %d", got.StatusCode, c.want)
				}
				// At the end of the answer, the next command is not refused as one too many.
				if _, err := io.Copy(io.Discard, got.Body); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

func TestLimits(t *testing.T) {
	url := startAgent(t)
	for name, body := range map[string]io.Reader{
		"body":                   strings.NewReader("x"),
		"body of unknown length": io.LimitReader(strings.NewReader("x"), 1),
	} {
		t.Run(name, func(t *testing.T) {
			got := send(t, http.MethodPost, url+ContainerPath+"?seconds=0.01", "Bearer "+testToken, body)
			if got.StatusCode != http.StatusRequestEntityTooLarge {
				t.Errorf("status %d", got.StatusCode)
			}
		})
	}
	t.Run("too long", func(t *testing.T) {
		if got := send(t, http.MethodPost, url+ContainerPath+"?seconds=61", "Bearer "+testToken, nil); got.StatusCode != http.StatusBadRequest {
			t.Errorf("status %d", got.StatusCode)
		}
	})
	t.Run("second command", func(t *testing.T) {
		send(t, http.MethodPost, url+StreamPath+"?seconds=30", "Bearer "+testToken, nil) // Ends when the server is closed.
		for method, path := range map[string]string{http.MethodPost: ContainerPath + "?seconds=1", http.MethodGet: container.MachinePath} {
			if got := send(t, method, url+path, "Bearer "+testToken, nil); got.StatusCode != http.StatusTooManyRequests {
				t.Errorf("%s: status %d", path, got.StatusCode)
			}
		}
		if got := send(t, http.MethodGet, url+container.MachinePath, "", nil); got.StatusCode != http.StatusUnauthorized {
			t.Errorf("without the token: status %d", got.StatusCode)
		}
	})
}

func TestReadTokenDigest(t *testing.T) {
	for name, c := range map[string]struct {
		content string
		ok      bool
	}{"digest": {testDigest + "\n", true}, "token": {testToken, false}, "too short": {testDigest[1:], false}, "capitals": {strings.ToUpper(testDigest), false}} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "digest")
			if err := os.WriteFile(file, []byte(c.content), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := ReadTokenDigest(file); (err == nil) != c.ok {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestReadToken(t *testing.T) {
	for name, c := range map[string]struct {
		content, want string
	}{
		"token":      {testToken + "\n", testToken},
		"empty":      {"", ""},
		"only space": {" \n", ""},
		"too long":   {strings.Repeat("x", maxTokenBytes+1), ""},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "token")
			if err := os.WriteFile(file, []byte(c.content), 0o600); err != nil {
				t.Fatal(err)
			}
			if got, err := ReadToken(file); got != c.want || (err == nil) != (c.want != "") {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}
