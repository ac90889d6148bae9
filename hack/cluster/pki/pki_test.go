package pki

import (
	"crypto/x509"
	"path/filepath"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/cert"
)

func writeTestFiles(t *testing.T) string {
	t.Helper()
	directory := filepath.Join(t.TempDir(), "pki")
	settings := Settings{
		Directory:      directory,
		Nodes:          map[string]string{"node-1": "10.1.0.2", "node-2": "10.1.0.3"},
		ServerAddress:  "10.1.0.2",
		ServiceAddress: "10.2.0.1",
	}
	if err := WriteFiles(settings); err != nil {
		t.Fatal(err)
	}
	return directory
}

func readAuthority(t *testing.T, directory string) *x509.CertPool {
	t.Helper()
	pool, err := cert.NewPool(filepath.Join(directory, "ca.crt"))
	if err != nil {
		t.Fatal(err)
	}
	return pool
}

func TestAPIServerIsTrustedUnderEachOfItsNames(t *testing.T) {
	directory := writeTestFiles(t)
	certificates, err := cert.CertsFromFile(filepath.Join(directory, "kube-apiserver.crt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"10.1.0.2", "10.2.0.1", "kubernetes.default.svc", "localhost"} {
		options := x509.VerifyOptions{Roots: readAuthority(t, directory), DNSName: name}
		if _, err := certificates[0].Verify(options); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestKubeletIdentifiesItsNode checks the name and the group by which the Node authorizer identifies a kubelet, and
// that its client certificate cannot serve.
func TestKubeletIdentifiesItsNode(t *testing.T) {
	directory := writeTestFiles(t)
	for _, node := range []string{"node-1", "node-2"} {
		t.Run(node, func(t *testing.T) {
			config, err := clientcmd.BuildConfigFromFlags("", filepath.Join(directory, "kubelet-"+node+".kubeconfig"))
			if err != nil {
				t.Fatal(err)
			}
			certificates, err := cert.ParseCertsPEM(config.CertData)
			if err != nil {
				t.Fatal(err)
			}
			subject := certificates[0].Subject
			if subject.CommonName != "system:node:"+node || len(subject.Organization) != 1 || subject.Organization[0] != "system:nodes" {
				t.Errorf("subject is %s", subject)
			}
			options := x509.VerifyOptions{Roots: readAuthority(t, directory), KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
			if _, err := certificates[0].Verify(options); err == nil {
				t.Error("the client certificate may serve")
			}
		})
	}
}

// TestKubeletServesOnlyItsOwnAddress checks the certificates with which the API server verifies the kubelets.
func TestKubeletServesOnlyItsOwnAddress(t *testing.T) {
	directory := writeTestFiles(t)
	certificates, err := cert.CertsFromFile(filepath.Join(directory, "kubelet-node-2.crt"))
	if err != nil {
		t.Fatal(err)
	}
	roots := readAuthority(t, directory)
	if _, err := certificates[0].Verify(x509.VerifyOptions{Roots: roots, DNSName: "10.1.0.3"}); err != nil {
		t.Error(err)
	}
	if _, err := certificates[0].Verify(x509.VerifyOptions{Roots: roots, DNSName: "10.1.0.2"}); err == nil {
		t.Error("the certificate of node-2 is valid for the address of node-1")
	}
}
