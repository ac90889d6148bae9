//go:build e2e

package e2e_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/internal/delivery"
	"github.com/benchnet/benchnet/test/e2e/cluster"
)

// findHostAddress returns the address of this machine that the nodes reach, and with them the pods.
func findHostAddress(ns *cluster.Namespace) string {
	ns.Helper()
	var nodes corev1.NodeList
	if err := ns.Client.List(ns.Context(), &nodes); err != nil {
		ns.Fatalf("list nodes: %v", err)
	}
	for _, address := range nodes.Items[0].Status.Addresses {
		if address.Type == corev1.NodeInternalIP {
			// A UDP socket sends nothing, but chooses the route.
			socket, err := net.Dial("udp", net.JoinHostPort(address.Address, "9"))
			if err != nil {
				ns.Fatalf("find a route to the node: %v", err)
			}
			defer func() { _ = socket.Close() }()
			return socket.LocalAddr().(*net.UDPAddr).IP.String()
		}
	}
	ns.Fatalf("node %s has no address", nodes.Items[0].Name)
	return ""
}

// hostCertificate is a certificate that signs itself, and its key, as PEM files.
type hostCertificate struct{ pem, file, keyFile string }

// newCertificate returns a certificate for an IP address.
func newCertificate(t *testing.T, address string) *hostCertificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, IPAddresses: []net.IP{net.ParseIP(address)}}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	directory := t.TempDir()
	c := &hostCertificate{file: filepath.Join(directory, "tls.crt"), keyFile: filepath.Join(directory, "tls.key"),
		pem: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate}))}
	writeFile(t, c.file, []byte(c.pem))
	writeFile(t, c.keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}))
	return c
}

func writeFile(t *testing.T, file string, content []byte) {
	t.Helper()
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// storage is an S3-compatible server of this machine with TLS and an empty bucket.
type storage struct {
	url, bucket, accessKeyID, secretAccessKey string
	client                                    *minio.Client
}

// startStorage starts Versity's S3 gateway at an address of this machine until the end of the test.
func startStorage(t *testing.T, address string, certificate *hostCertificate) *storage {
	t.Helper()
	binary, err := exec.CommandContext(t.Context(), "../../hack/tools/get", "versitygw").Output()
	if err != nil {
		t.Fatalf("get versitygw: %v", err)
	}
	host := net.JoinHostPort(address, findFreePort(t, address))
	s := &storage{url: "https://" + host, bucket: "results", accessKeyID: "benchnet", secretAccessKey: rand.Text()}
	data, sidecar := t.TempDir(), t.TempDir()
	server := exec.CommandContext(t.Context(), strings.TrimSpace(string(binary)), "--port", host, "--access", s.accessKeyID, "--secret", s.secretAccessKey,
		"--cert", certificate.file, "--key", certificate.keyFile, "--quiet", "posix", "--sidecar", sidecar, data)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Wait() }) // The context of the test, which has ended, kills it.
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(certificate.pem))
	s.client, err = minio.New(host, &minio.Options{Creds: credentials.NewStaticV4(s.accessKeyID, s.secretAccessKey, ""), Secure: true, Region: "us-east-1",
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}})
	if err == nil {
		err = s.client.MakeBucket(t.Context(), s.bucket, minio.MakeBucketOptions{})
	}
	if err != nil {
		t.Fatalf("make a bucket: %v", err)
	}
	return s
}

func findFreePort(t *testing.T, address string) string {
	t.Helper()
	listener := listenAt(t, address)
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

func listenAt(t *testing.T, address string) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort(address, "0"))
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

// readObject returns the content of an object in the bucket.
func (s *storage) readObject(t *testing.T, name string) []byte {
	t.Helper()
	object, err := s.client.GetObject(t.Context(), s.bucket, name, minio.GetObjectOptions{})
	if err != nil {
		t.Fatalf("get %s: %v", name, err)
	}
	defer func() { _ = object.Close() }()
	content, err := io.ReadAll(object)
	if err != nil {
		t.Fatalf("get %s: %v", name, err)
	}
	return content
}

// receiver is a webhook of this machine with TLS. It refuses requests whose signature is not by its key.
type receiver struct {
	url, signingKey string
	mutex           sync.Mutex
	// documents are the received ones by kind and name.
	documents map[string]delivery.Document
	// problems are those of the refused requests, and of repeated ones.
	problems []string
}

// startReceiver starts a receiver at an address of this machine until the end of the test.
func startReceiver(t *testing.T, address string, certificate *hostCertificate) *receiver {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(certificate.file, certificate.keyFile)
	if err != nil {
		t.Fatal(err)
	}
	r := &receiver{signingKey: "whsec_c2lnbmVkLWJ5LXRoZS1lbmQtdG8tZW5kLXRlc3Rz", documents: map[string]delivery.Document{}}
	server := httptest.NewUnstartedServer(r)
	server.Listener.Close()
	server.Listener = listenAt(t, address)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	server.StartTLS()
	t.Cleanup(server.Close)
	r.url = server.URL + "/hooks/benchmarks"
	return r
}

// ServeHTTP keeps the document of a request.
func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	var document delivery.Document
	err := r.decodeDocument(request, &document)
	key := document.Kind + "/" + document.Name
	if _, known := r.documents[key]; known {
		r.problems = append(r.problems, key+" was sent twice")
	}
	if err != nil {
		r.problems = append(r.problems, err.Error())
		http.Error(w, err.Error(), http.StatusUnauthorized)
		return
	}
	r.documents[key] = document
}

// decodeDocument fails if the library of Standard Webhooks does not accept the request.
func (r *receiver) decodeDocument(request *http.Request, into *delivery.Document) error {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return err
	}
	checker, err := standardwebhooks.NewWebhook(r.signingKey)
	if err != nil {
		return err
	}
	if err := checker.Verify(body, request.Header); err != nil {
		return err
	}
	return json.Unmarshal(body, into)
}
