// Package pki generates the certificates and kubeconfigs of a throw-away cluster: one self-signed CA and
// one key pair per component, each with the identity that Kubernetes' own authorizers expect of it.
package pki

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// certificateValidity is short because each start creates a new cluster.
const certificateValidity = 365 * 24 * time.Hour

// keyPair is a certificate with its key.
type keyPair struct {
	certificate *x509.Certificate
	key         crypto.Signer
}

// identity holds the names in a certificate. A client has no hosts.
type identity struct {
	file         string
	commonName   string
	organization string
	hosts        []string
}

// newCA returns the CA that signs every certificate of the cluster.
func newCA() (keyPair, error) {
	return issueCertificate(&x509.Certificate{
		Subject:               pkix.Name{CommonName: "benchnet-cluster"},
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		IsCA:                  true,
		BasicConstraintsValid: true,
	}, nil)
}

// issueFor returns a key pair for the identity. Every pair may authenticate a client; one with hosts may also
// authenticate a server.
func (ca keyPair) issueFor(id identity) (keyPair, error) {
	template := &x509.Certificate{
		Subject:     pkix.Name{CommonName: id.commonName},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	if id.organization != "" {
		template.Subject.Organization = []string{id.organization}
	}
	for _, host := range id.hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	if len(id.hosts) > 0 {
		template.ExtKeyUsage = append(template.ExtKeyUsage, x509.ExtKeyUsageServerAuth)
	}
	return issueCertificate(template, &ca)
}

// issueCertificate completes the template and signs it with the authority, or self-signs it without one.
func issueCertificate(template *x509.Certificate, authority *keyPair) (keyPair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return keyPair{}, fmt.Errorf("generate key of %s: %w", template.Subject.CommonName, err)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return keyPair{}, fmt.Errorf("generate serial of %s: %w", template.Subject.CommonName, err)
	}
	template.SerialNumber = serial
	template.NotBefore = time.Now().Add(-time.Minute)
	template.NotAfter = time.Now().Add(certificateValidity)
	if authority == nil {
		authority = &keyPair{certificate: template, key: key}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, authority.certificate, key.Public(), authority.key)
	if err != nil {
		return keyPair{}, fmt.Errorf("sign certificate of %s: %w", template.Subject.CommonName, err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return keyPair{}, fmt.Errorf("parse certificate of %s: %w", template.Subject.CommonName, err)
	}
	return keyPair{certificate: certificate, key: key}, nil
}

func (p keyPair) certificatePEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.certificate.Raw})
}

func (p keyPair) keyPEM() ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(p.key)
	if err != nil {
		return nil, fmt.Errorf("encode key of %s: %w", p.certificate.Subject.CommonName, err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}

// writeFiles writes the pair as NAME.crt and NAME.key. Only the owner can read the key.
func (p keyPair) writeFiles(directory, name string) error {
	key, err := p.keyPEM()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(directory, name+".crt"), p.certificatePEM(), 0o644); err != nil {
		return fmt.Errorf("write certificate %s: %w", name, err)
	}
	if err := os.WriteFile(filepath.Join(directory, name+".key"), key, 0o600); err != nil {
		return fmt.Errorf("write key %s: %w", name, err)
	}
	return nil
}
