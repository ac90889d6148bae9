package delivery

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/benchnet/benchnet/internal/httpclient"
)

// requestTimeout limits one request to a webhook.
const requestTimeout = 30 * time.Second

// Headers of a request, as in the specification of Standard Webhooks (https://www.standardwebhooks.com).
const (
	headerID        = "Webhook-Id"
	headerTimestamp = "Webhook-Timestamp"
	headerSignature = "Webhook-Signature"
)

// encodedKeyPrefix precedes a signing key that is encoded in base64. Any other key is used as it is.
const encodedKeyPrefix = "whsec_"

// Webhook is the receiver of a document.
type Webhook struct {
	URL string
	// SigningKey signs the document; empty means that it is not signed.
	SigningKey string
	// Authorities are certificate authorities in PEM format; empty means those of the system.
	Authorities string
}

// PostDocument sends a document. It makes one attempt and fails unless the status of the response is from 200 to 299. The
// identifier is the same in all attempts, so that the receiver can drop repetitions.
func PostDocument(ctx context.Context, to Webhook, id string, document []byte, now time.Time) error {
	transport, err := newTransport(to.Authorities)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	request, err := newRequest(ctx, to, id, document, now)
	if err != nil {
		return err
	}
	client := &http.Client{Transport: transport, CheckRedirect: httpclient.RefuseRedirects}
	response, err := client.Do(request)
	if err != nil {
		problem := cmp.Or(describeConnectionError(err), "the server does not answer by "+strings.ToUpper(request.URL.Scheme))
		return fmt.Errorf("POST %s: %s", to.URL, problem)
	}
	defer response.Body.Close()
	if response.StatusCode < http.StatusOK || response.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("POST %s: HTTP status %d", to.URL, response.StatusCode)
	}
	return nil
}

func newRequest(ctx context.Context, to Webhook, id string, document []byte, now time.Time) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to.URL, bytes.NewReader(document))
	if err != nil {
		return nil, fmt.Errorf("use URL %q: %w", to.URL, err)
	}
	timestamp := strconv.FormatInt(now.Unix(), 10)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "benchnet")
	request.Header.Set(headerID, id)
	request.Header.Set(headerTimestamp, timestamp)
	if to.SigningKey == "" {
		return request, nil
	}
	key, err := decodeSigningKey(to.SigningKey)
	if err != nil {
		return nil, err
	}
	request.Header.Set(headerSignature, signDocument(key, id, timestamp, document))
	return request, nil
}

// decodeSigningKey returns the bytes of a signing key. The error does not contain the key.
func decodeSigningKey(text string) ([]byte, error) {
	text = strings.TrimSpace(text)
	encoded, isEncoded := strings.CutPrefix(text, encodedKeyPrefix)
	if !isEncoded {
		return []byte(text), nil
	}
	key, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(key) == 0 {
		return nil, fmt.Errorf("signingKey: what follows %s is not base64", encodedKeyPrefix)
	}
	return key, nil
}

// signDocument returns the signature: HMAC-SHA256 of identifier, time and document, separated by dots.
func signDocument(key []byte, id, timestamp string, document []byte) string {
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, document)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
