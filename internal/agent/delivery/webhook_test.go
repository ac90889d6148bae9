package delivery

import (
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// exampleID, exampleTime and exampleDocument are those of the example in the specification of Standard Webhooks.
const (
	exampleKey      = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	exampleID       = "msg_p5jXN8AQM9LWM0D4loKWxJek"
	exampleTime     = 1614265330
	exampleDocument = `{"test": 2432232314}`
)

func TestPostDocument(t *testing.T) {
	for name, start := range map[string]func(*httptest.Server){"HTTP": (*httptest.Server).Start, "TLS": (*httptest.Server).StartTLS} {
		t.Run(name, func(t *testing.T) {
			var header http.Header
			var body []byte
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				header = r.Header
				body, _ = io.ReadAll(r.Body)
				w.WriteHeader(http.StatusAccepted)
			}))
			start(server)
			t.Cleanup(server.Close)
			to := Webhook{URL: server.URL + "/hooks?team=a", SigningKey: exampleKey}
			if certificate := server.Certificate(); certificate != nil {
				to.Authorities = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw}))
			}
			if err := PostDocument(t.Context(), to, exampleID, []byte(exampleDocument), time.Unix(exampleTime, 0)); err != nil {
				t.Fatal(err)
			}
			for key, want := range map[string]string{"Content-Type": "application/json", "webhook-id": exampleID, "webhook-timestamp": "1614265330",
				"webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="} {
				if got := header.Get(key); got != want {
					t.Errorf("%s: %q, want %q", key, got, want)
				}
			}
			if string(body) != exampleDocument {
				t.Errorf("the body is %s", body)
			}
		})
	}
}

func TestPostDocumentWithoutKey(t *testing.T) {
	signed := false
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { signed = r.Header.Get(headerSignature) != "" }))
	t.Cleanup(server.Close)
	if err := PostDocument(t.Context(), Webhook{URL: server.URL}, exampleID, nil, time.Unix(0, 0)); err != nil || signed {
		t.Errorf("signed: %t, error: %v", signed, err)
	}
}

// TestWebhookErrors checks that an error names what is wrong, and contains neither a key nor a text of the server.
func TestWebhookErrors(t *testing.T) {
	var requests int
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		switch r.URL.Path {
		case "/redirect":
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		case "/garbage":
			connection, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_, _ = connection.Write([]byte("internal text\r\n\r\n"))
				_ = connection.Close()
			}
		default:
			http.Error(w, "internal text", http.StatusInternalServerError)
		}
	}))
	t.Cleanup(server.Close)
	tlsServer := httptest.NewTLSServer(nil)
	t.Cleanup(tlsServer.Close)
	authority := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: tlsServer.Certificate().Raw}))
	otherName := strings.Replace(tlsServer.URL, "127.0.0.1", "localhost", 1)
	noTLS := strings.Replace(server.URL, "http:", "https:", 1)
	closed := httptest.NewServer(nil)
	closed.Close()
	for name, test := range map[string]struct {
		to       Webhook
		want     string
		requests int
	}{
		"status":         {Webhook{URL: server.URL}, "POST " + server.URL + ": HTTP status 500", 1},
		"redirect":       {Webhook{URL: server.URL + "/redirect"}, "HTTP status 307", 1},
		"no HTTP":        {Webhook{URL: server.URL + "/garbage"}, "the server does not answer by HTTP", 1},
		"no server":      {Webhook{URL: closed.URL}, "connection refused", 0},
		"no TLS":         {Webhook{URL: noTLS}, "POST " + noTLS + ": the server does not answer by HTTPS", 0},
		"authority":      {Webhook{URL: tlsServer.URL}, "the certificate of the server is from an unknown authority: add", 0},
		"name":           {Webhook{URL: otherName, Authorities: authority}, otherName + ": the certificate of the server is for other names", 0},
		"link-local":     {Webhook{URL: "http://169.254.169.254/latest"}, "169.254.169.254 is refused: it is a link-local address", 0},
		"no certificate": {Webhook{URL: server.URL, Authorities: "none"}, "ca.crt has no certificate", 0},
		"no base64":      {Webhook{URL: server.URL, SigningKey: "whsec_secret-key"}, "signingKey: what follows whsec_ is not base64", 0},
		"empty key":      {Webhook{URL: server.URL, SigningKey: "whsec_"}, "is not base64", 0},
	} {
		t.Run(name, func(t *testing.T) {
			requests = 0
			err := PostDocument(t.Context(), test.to, exampleID, []byte(exampleDocument), time.Unix(exampleTime, 0))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got %v, want %q", err, test.want)
			}
			if strings.Contains(err.Error(), "example.com") {
				t.Errorf("the error contains a name in the certificate: %v", err)
			}
			if strings.Contains(err.Error(), "internal text") || strings.Contains(err.Error(), "secret-key") {
				t.Errorf("the error contains a text of the server or a key: %v", err)
			}
			if requests != test.requests {
				t.Errorf("%d requests, want %d", requests, test.requests)
			}
		})
	}
}
