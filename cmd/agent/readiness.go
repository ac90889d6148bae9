package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/benchnet/benchnet/internal/httpclient"
	"github.com/benchnet/benchnet/internal/kube/termination"
	"github.com/benchnet/benchnet/internal/subcommand"
)

// exchangeTimeout is the maximum time for the command's answer. It is below the timeout of the probes.
const exchangeTimeout = 5 * time.Second

// readinessHandler answers HTTP probes, which cost the container far less than exec probes. It succeeds if the file exists and the
// command answers, and always without both. A failure says what the command printed last, or how it answers.
type readinessHandler struct {
	file     string
	starting *lastLine
	// answers returns an error unless the command answers as its protocol demands; nil for no exchange.
	answers func(context.Context) error
}

// ServeHTTP answers a probe.
func (h *readinessHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.file != "" {
		if _, err := os.Stat(h.file); err != nil {
			http.Error(w, h.starting.describeNotReady(), http.StatusServiceUnavailable)
			return
		}
	}
	if h.answers == nil {
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), exchangeTimeout)
	defer cancel()
	if err := h.answers(ctx); err != nil {
		http.Error(w, "not ready: "+termination.Clean(err.Error()), http.StatusServiceUnavailable)
	}
}

// exchangeFlags define what the command must answer to be ready. A process may accept connections and never answer.
type exchangeFlags struct {
	to, request, match *string
	bytes              *int
}

func defineExchangeFlags(flags *flag.FlagSet) *exchangeFlags {
	return &exchangeFlags{
		to: flags.String("ready-exchange", "", "`address` of the command to which /ready sends --ready-request; an http URL takes it as JSON "+
			"by POST; empty for none"),
		request: flags.String("ready-request", "", "`text` to send to --ready-exchange"),
		match:   flags.String("ready-match", "", "regular `expression` that the answer of an http URL must match"),
		bytes:   flags.Int("ready-bytes", 0, "`number` of bytes that any other address must answer"),
	}
}

// newCheck returns a function that fails unless the command answers; nil without an exchange.
func (f *exchangeFlags) newCheck() (func(context.Context) error, error) {
	if *f.to == "" {
		return nil, nil //nolint:nilnil // Most commands have no exchange.
	}
	isHTTP := strings.HasPrefix(*f.to, "http://")
	if *f.request == "" || isHTTP != (*f.match != "") || isHTTP == (*f.bytes > 0) {
		return nil, subcommand.UsageErrorf("--ready-exchange needs --ready-request, and --ready-match with an http URL or --ready-bytes with another address")
	}
	expression, err := regexp.Compile(*f.match)
	if err != nil {
		return nil, subcommand.UsageErrorf("--ready-match: %w", err)
	}
	return func(ctx context.Context) error {
		if isHTTP {
			return postJSON(ctx, *f.to, *f.request, expression)
		}
		return exchangeBytes(ctx, *f.to, *f.request, *f.bytes)
	}, nil
}

// exchangeBytes sends a request to an address. It fails unless the answer has that many bytes.
func exchangeBytes(ctx context.Context, address, request string, answerBytes int) error {
	connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	defer func() { _ = connection.Close() }()
	defer context.AfterFunc(ctx, func() { _ = connection.Close() })()
	if _, err := io.WriteString(connection, request); err != nil {
		return fmt.Errorf("send a request to %s: %w", address, err)
	}
	if n, err := io.ReadFull(connection, make([]byte, answerBytes)); err != nil {
		return fmt.Errorf("%s accepted a connection and answered %d of %d bytes: %w", address, n, answerBytes, err)
	}
	return nil
}

// postJSON posts a document to a URL. It fails unless the answer matches the expression.
func postJSON(ctx context.Context, url, document string, expression *regexp.Regexp) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(document))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	content, err := readContent(request)
	if err != nil {
		return err
	}
	return checkMatch(url, content, expression)
}

// maxReadinessContent is more than any program under the agent answers, in bytes.
const maxReadinessContent = 64 << 10

// readContent returns what a program of this pod answers to a request, whatever the status of the answer is.
func readContent(request *http.Request) ([]byte, error) {
	client := &http.Client{CheckRedirect: httpclient.RefuseRedirects}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(io.LimitReader(response.Body, maxReadinessContent))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", request.URL, err)
	}
	return content, nil
}
