// Package delivery sends files to servers of users: to a bucket of an S3-compatible server, and to a webhook.
package delivery

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
)

// newTransport returns a transport that trusts the certificate authorities, or those of the system if there are none.
func newTransport(authorities string) (*http.Transport, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if authorities == "" {
		return transport, nil
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM([]byte(authorities)) {
		return nil, errors.New("ca.crt has no certificate in PEM format")
	}
	transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	return transport, nil
}

// isConnectionError reports whether an error is of the connection, so that its text contains nothing that the server sent. The
// server may be any, and the text reaches the status of a run.
func isConnectionError(err error) bool {
	var network *net.OpError
	var certificate *tls.CertificateVerificationError
	return errors.As(err, &network) || errors.As(err, &certificate) || errors.Is(err, context.DeadlineExceeded)
}
