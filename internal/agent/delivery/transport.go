// Package delivery sends files to servers of users: to a bucket of an S3-compatible server, and to a webhook.
package delivery

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/benchnet/benchnet/internal/destination"
)

// dialTimeout limits the connection to one address.
const dialTimeout = 30 * time.Second

// checkDestination is the Control of the dialer. Tests, whose servers listen on the loopback address, replace it.
var checkDestination = destination.Control

// newTransport returns a transport that trusts the certificate authorities, or those of the system if there are none. It connects to
// no forbidden destination, to which a name may resolve.
func newTransport(authorities string) (*http.Transport, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	dialer := net.Dialer{Timeout: dialTimeout, Control: checkDestination}
	transport.DialContext = dialer.DialContext
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

// describeConnectionError returns a short text about an error of the connection to a server. The text contains nothing that the server
// sent, such as the names in its certificate: the server may be any, and the text reaches the status of a run. It returns "" for
// other errors, whose text may.
func describeConnectionError(err error) string {
	var network *net.OpError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &certificate):
		return describeCertificateError(certificate.Err)
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.As(err, &network):
		return network.Error()
	}
	return ""
}

func describeCertificateError(err error) string {
	var hostname x509.HostnameError
	var authority x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &hostname):
		return "the certificate of the server is for other names"
	case errors.As(err, &authority):
		return "the certificate of the server is from an unknown authority: add that of the server to the Secret as ca.crt"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "the certificate of the server has expired or is not valid yet"
	}
	return "the certificate of the server is not valid"
}
