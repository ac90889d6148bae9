package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// maxLines is how many blocks a client gets in one write.
const maxLines = 256

// newBlocksHandler serves /blocks, /turn and /ready. waitingFor returns why the validator is not ready, "" if it is.
func newBlocksHandler(j *journal, t *turns, waitingFor func() string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /blocks", j.streamBlocks)
	mux.Handle("GET /turn", t)
	mux.HandleFunc("GET /ready", func(w http.ResponseWriter, _ *http.Request) {
		if reason := waitingFor(); reason != "" {
			http.Error(w, reason, http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ready")
	})
	return mux
}

// streamBlocks writes a line for each block as it is decided, at the speed of the client. It starts at the height in the query
// parameter from, by default the next.
func (j *journal) streamBlocks(w http.ResponseWriter, r *http.Request) {
	next := j.nextHeight()
	for key, values := range r.URL.Query() {
		height, err := strconv.ParseUint(values[0], 10, 63)
		if key != "from" || err != nil {
			http.Error(w, fmt.Sprintf("%s=%s is not understood: from=HEIGHT", key, values[0]), http.StatusBadRequest)
			return
		}
		next = int64(height)
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	lines, flusher := json.NewEncoder(w), http.NewResponseController(w)
	for {
		entries, changed := j.entriesFrom(next, maxLines)
		for _, e := range entries {
			if lines.Encode(e) != nil {
				return
			}
			next = e.Height + 1
		}
		if flusher.Flush() != nil {
			return
		}
		if len(entries) > 0 {
			continue
		}
		select {
		case <-r.Context().Done():
			return
		case <-changed:
		}
	}
}

func newMetricsHandler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.Handler())
	return mux
}

// serveHTTP serves an address. Open streams end with ctx. Failures after the start go to failed.
func serveHTTP(ctx context.Context, key, address string, handler http.Handler, failed chan<- error) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("%s: %q: %w", key, address, err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	go func() { failed <- fmt.Errorf("%s: %w", key, server.Serve(listener)) }()
	return nil
}
