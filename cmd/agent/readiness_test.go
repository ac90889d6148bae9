package main

import (
	"context"
	"flag"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// serveTCP serves connections at an address of this host until the test ends.
func serveTCP(t *testing.T, serve func(net.Conn)) (address string) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go serve(connection)
		}
	}()
	return listener.Addr().String()
}

// answerToClient returns a server that reads the first byte of a client and answers it.
func answerToClient(answer string) func(net.Conn) {
	return func(c net.Conn) {
		defer func() { _ = c.Close() }()
		if first := make([]byte, 1); readFirst(c, first) == "T" {
			_, _ = io.WriteString(c, answer)
		}
	}
}

func readFirst(c net.Conn, into []byte) string {
	_, _ = io.ReadFull(c, into)
	return string(into)
}

// stayOpen returns a server that calls giveUp when it has a request, and never answers. It ends when the client disconnects.
func stayOpen(giveUp func()) func(net.Conn) {
	return func(c net.Conn) {
		readFirst(c, make([]byte, 1))
		giveUp()
		_, _ = io.Copy(io.Discard, c)
	}
}

// answerJSON returns a server of JSON-RPC that answers every request for the chain.
func answerJSON(status int, answer string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		request, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" || !strings.Contains(string(request), "eth_chainId") {
			http.Error(w, "bad request", http.StatusBadRequest)
			return
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}
}

// exchangeWith returns the flags of an exchange of bytes with a server at an address.
func exchangeWith(address string) []string {
	return []string{"--ready-exchange", address, "--ready-request", "T", "--ready-bytes", "8"}
}

// postTo returns the flags of an exchange of JSON with a server at a URL.
func postTo(url string) []string {
	return []string{"--ready-exchange", url, "--ready-request", `{"method":"eth_chainId"}`, "--ready-match", `"result": *"0x539"`}
}

// TestReadyNeedsAnAnswer checks that a program which accepts connections is ready only if it also answers as its protocol demands.
func TestReadyNeedsAnAnswer(t *testing.T) {
	// start starts a server and returns the flags of supervise for it. giveUp ends the probe.
	type start func(t *testing.T, giveUp func()) []string
	binary := func(serve func(net.Conn)) start {
		return func(t *testing.T, _ func()) []string { return exchangeWith(serveTCP(t, serve)) }
	}
	rpc := func(status int, answer string) start {
		return func(t *testing.T, _ func()) []string {
			server := httptest.NewServer(answerJSON(status, answer))
			t.Cleanup(server.Close)
			return postTo(server.URL)
		}
	}
	for name, c := range map[string]struct {
		start start
		want  string
	}{
		"no exchange":         {func(*testing.T, func()) []string { return nil }, ""},
		"client ID":           {binary(answerToClient("12345678")), ""},
		"half of a client ID": {binary(answerToClient("1234")), "answered 4 of 8 bytes"},
		"closed at once":      {binary(func(c net.Conn) { _ = c.Close() }), "not ready: "},
		"silent replica": {func(t *testing.T, giveUp func()) []string { return exchangeWith(serveTCP(t, stayOpen(giveUp))) },
			"answered 0 of 8 bytes"},
		"no replica":        {func(*testing.T, func()) []string { return exchangeWith("127.0.0.1:1") }, "refused"},
		"chain":             {rpc(http.StatusOK, `{"jsonrpc":"2.0","id":1,"result":"0x539"}`), ""},
		"spaces":            {rpc(http.StatusOK, `{"id": 1, "result": "0x539"}`), ""},
		"another chain":     {rpc(http.StatusOK, `{"jsonrpc":"2.0","id":1,"result":"0x5390"}`), "does not match"},
		"error of JSON-RPC": {rpc(http.StatusOK, `{"jsonrpc":"2.0","id":1,"error":{"message":"starting"}}`), "starting"},
		"error of HTTP":     {rpc(http.StatusServiceUnavailable, "starting"), "does not match"},
		"silent client": {func(t *testing.T, giveUp func()) []string { return postTo("http://" + serveTCP(t, stayOpen(giveUp))) },
			"canceled"},
		"bytes instead of HTTP": {func(t *testing.T, _ func()) []string {
			return postTo("http://" + serveTCP(t, func(c net.Conn) {
				_, _ = io.WriteString(c, "12345678\n")
				_ = c.Close()
			}))
		}, "not ready: "},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, giveUp := context.WithCancel(t.Context())
			defer giveUp()
			flags := flag.NewFlagSet("supervise", flag.ContinueOnError)
			exchange := defineExchangeFlags(flags)
			if err := flags.Parse(c.start(t, giveUp)); err != nil {
				t.Fatal(err)
			}
			answers, err := exchange.newCheck()
			if err != nil {
				t.Fatal(err)
			}
			recorder := httptest.NewRecorder()
			mux := newAgentMux(&readinessHandler{answers: answers}, http.NotFoundHandler())
			mux.ServeHTTP(recorder, httptest.NewRequestWithContext(ctx, http.MethodGet, "/ready", nil))
			if (recorder.Code == http.StatusOK) != (c.want == "") || !strings.Contains(recorder.Body.String(), c.want) {
				t.Errorf("the probe got %d %q, want %q", recorder.Code, recorder.Body, c.want)
			}
		})
	}
}

func TestExchangeFlagsBelongTogether(t *testing.T) {
	for name, args := range map[string][]string{
		"no request":      {"--ready-exchange", "127.0.0.1:1", "--ready-bytes", "8"},
		"no number":       {"--ready-exchange", "127.0.0.1:1", "--ready-request", "T"},
		"URL and number":  {"--ready-exchange", "http://127.0.0.1:1", "--ready-request", "T", "--ready-bytes", "8"},
		"match of bytes":  {"--ready-exchange", "127.0.0.1:1", "--ready-request", "T", "--ready-match", "x"},
		"bad expression":  {"--ready-exchange", "http://127.0.0.1:1", "--ready-request", "T", "--ready-match", "("},
		"number and both": {"--ready-exchange", "127.0.0.1:1", "--ready-request", "T", "--ready-bytes", "8", "--ready-match", "x"},
	} {
		t.Run(name, func(t *testing.T) {
			flags := flag.NewFlagSet("supervise", flag.ContinueOnError)
			exchange := defineExchangeFlags(flags)
			if err := flags.Parse(args); err != nil {
				t.Fatal(err)
			}
			if _, err := exchange.newCheck(); err == nil {
				t.Error("the flags are accepted")
			}
		})
	}
}
