package delivery

import (
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// newServer starts an S3-compatible server with an empty bucket named results.
func newServer(t *testing.T, start func(*httptest.Server)) (*httptest.Server, gofakes3.Backend) {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("results"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(gofakes3.New(backend).Server())
	start(server)
	t.Cleanup(server.Close)
	return server, backend
}

// newFolder returns a folder like a mounted ConfigMap: a file, and what the kubelet adds.
func newFolder(t *testing.T, name, content string) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "..data"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestUploadFolders(t *testing.T) {
	for name, start := range map[string]func(*httptest.Server){"HTTP": (*httptest.Server).Start, "TLS": (*httptest.Server).StartTLS} {
		t.Run(name, func(t *testing.T) {
			server, backend := newServer(t, start)
			to := Bucket{Endpoint: server.URL, Region: "us-east-1", Name: "results", Prefix: "lab/r1/uid", AccessKeyID: "key", SecretAccessKey: "secret"}
			if certificate := server.Certificate(); certificate != nil {
				to.Authorities = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw}))
			}
			folders := []string{newFolder(t, "result.json.gz", "packed"), newFolder(t, "run.yaml", "kind: BenchmarkRun")}
			if err := UploadFolders(t.Context(), to, folders); err != nil {
				t.Fatal(err)
			}
			for key, want := range map[string]string{"lab/r1/uid/result.json.gz": "packed", "lab/r1/uid/run.yaml": "kind: BenchmarkRun"} {
				object, err := backend.GetObject("results", key, nil)
				if err != nil {
					t.Fatalf("%s: %v", key, err)
				}
				if got, err := io.ReadAll(object.Contents); err != nil || string(got) != want {
					t.Errorf("%s: got %q, %v, want %q", key, got, err, want)
				}
			}
		})
	}
}

// TestUploadErrorsOmitTheBody checks that an error contains no text of a server that does not speak S3.
func TestUploadErrorsOmitTheBody(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "internal text", http.StatusForbidden)
	}))
	t.Cleanup(server.Close)
	to := Bucket{Endpoint: server.URL, Region: "us-east-1", Name: "results", AccessKeyID: "key-id", SecretAccessKey: "secret-key"}
	err := UploadFolders(t.Context(), to, []string{newFolder(t, "result.json.gz", "packed")})
	if err == nil || !strings.HasSuffix(err.Error(), "HTTP status 403") && !strings.HasSuffix(err.Error(), "(HTTP status 403)") || strings.Contains(err.Error(), "internal text") {
		t.Errorf("got %v", err)
	}
}

// TestUploadErrorsNameThePlace checks that an error names what is wrong, and never a key.
func TestUploadErrorsNameThePlace(t *testing.T) {
	server, _ := newServer(t, (*httptest.Server).Start)
	valid := Bucket{Endpoint: server.URL, Region: "us-east-1", Name: "results", AccessKeyID: "key-id", SecretAccessKey: "secret-key"}
	for name, test := range map[string]struct {
		change func(*Bucket)
		want   string
	}{
		"no such bucket": {func(to *Bucket) { to.Name = "missing" }, "bucket missing of " + server.URL + ": NoSuchBucket (HTTP status 404)"},
		"no URL":         {func(to *Bucket) { to.Endpoint = "s3.example.org" }, `endpoint "s3.example.org" is not a URL`},
		"no certificate": {func(to *Bucket) { to.Authorities = "none" }, "ca.crt has no certificate"},
	} {
		t.Run(name, func(t *testing.T) {
			to := valid
			test.change(&to)
			err := UploadFolders(t.Context(), to, []string{newFolder(t, "result.json.gz", "packed")})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got %v, want %q", err, test.want)
			}
			if strings.Contains(err.Error(), "secret-key") || strings.Contains(err.Error(), "key-id") {
				t.Errorf("the error contains a key: %v", err)
			}
		})
	}
}
