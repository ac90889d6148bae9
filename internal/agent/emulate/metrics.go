package emulate

import (
	"fmt"
	"net/http"

	"github.com/benchnet/benchnet/internal/agent/container"
)

// Metrics of the emulator. PacketsMetric is only served by the user space backend; the kernel's packets are not
// counted.
var (
	InfoMetric  = container.Metric{Name: "benchnet_emulation_info", Kind: container.Gauge, Help: "The mechanism that delays packets; always 1."}
	PeersMetric = container.Metric{Name: "benchnet_emulation_peers", Kind: container.Gauge, Help: "Addresses with emulated latency."}

	PacketsMetric = container.Metric{Name: "benchnet_emulation_packets_total", Kind: container.Counter,
		Help: "Packets received by outcome: Held, Lost as configured, Dropped because the queue was full."}
)

// Labels of InfoMetric and PacketsMetric.
const (
	LabelMechanism = "mechanism"
	LabelFate      = "fate"
)

// Handler returns a handler that serves /ready and /metrics.
func (e *Emulator) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /ready", func(w http.ResponseWriter, _ *http.Request) {
		if !e.ready.Load() {
			http.Error(w, "the latency is not emulated yet", http.StatusServiceUnavailable)
		}
	})
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", container.ContentType)
		e.writeMetrics(w)
	})
	return mux
}

func (e *Emulator) writeMetrics(w http.ResponseWriter) {
	// An error means that the scraper disconnected.
	_ = container.WriteHeader(w, InfoMetric)
	fmt.Fprintf(w, "%s{%s=%q} 1\n", InfoMetric.Name, LabelMechanism, e.mechanismName())
	peers := PeersMetric
	peers.Value = float64(e.peerCount.Load())
	_ = container.WriteMetrics(w, peers)
	if e.backend == nil || e.backend.packetCounts() == nil {
		return
	}
	counts := e.backend.packetCounts()
	_ = container.WriteHeader(w, PacketsMetric)
	for _, c := range []struct {
		fate  string
		count int64
	}{{"Held", counts.held.Load()}, {"Lost", counts.lost.Load()}, {"Dropped", counts.dropped.Load()}} {
		fmt.Fprintf(w, "%s{%s=%q} %d\n", PacketsMetric.Name, LabelFate, c.fate, c.count)
	}
}
