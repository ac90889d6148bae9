package main

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestCommandsPort checks that the port of the metrics serves no commands, and that the port of the commands does.
func TestCommandsPort(t *testing.T) {
	for _, handler := range []struct {
		name            string
		mux             *http.ServeMux
		commands, ready int
	}{
		{"metrics", newAgentMux("", nil, http.NotFoundHandler()), http.StatusNotFound, http.StatusOK},
		{"commands", newCommandsMux(t.TempDir()), http.StatusOK, http.StatusNotFound},
	} {
		for _, c := range []struct {
			method, target string
			want           int
		}{
			{http.MethodGet, "/machine", handler.commands},
			{http.MethodPost, "/calibration?seconds=0.01", handler.commands},
			{http.MethodPost, "/calibration/stream?seconds=0.01", handler.commands},
			{http.MethodGet, "/ready", handler.ready},
		} {
			t.Run(handler.name+" "+c.target, func(t *testing.T) {
				server := httptest.NewServer(handler.mux)
				defer server.Close()
				request, err := http.NewRequestWithContext(t.Context(), c.method, server.URL+c.target, nil)
				if err != nil {
					t.Fatal(err)
				}
				response, err := http.DefaultClient.Do(request)
				if err != nil {
					t.Fatal(err)
				}
				response.Body.Close()
				if response.StatusCode != c.want {
					t.Errorf("status %d, want %d", response.StatusCode, c.want)
				}
			})
		}
	}
}
