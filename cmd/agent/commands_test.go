package main

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/benchnet/benchnet/internal/agent/calibrate"
	"github.com/benchnet/benchnet/internal/agent/container"
)

// TestMetricsPort checks that the port of the metrics serves the readiness and no commands.
func TestMetricsPort(t *testing.T) {
	server := httptest.NewServer(newAgentMux(&readinessHandler{}, http.NotFoundHandler()))
	defer server.Close()
	for _, c := range []struct {
		method, target string
		want           int
	}{
		{http.MethodGet, container.MachinePath, http.StatusNotFound},
		{http.MethodPost, calibrate.ContainerPath + "?seconds=0.01", http.StatusNotFound},
		{http.MethodPost, calibrate.StreamPath + "?seconds=0.01", http.StatusNotFound},
		{http.MethodGet, "/ready", http.StatusOK},
	} {
		t.Run(c.target, func(t *testing.T) {
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
