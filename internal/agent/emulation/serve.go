package emulation

import (
	"fmt"
	"net/http"
)

// Handler serves /ready and /metrics.
func (e *Emulator) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /ready", func(w http.ResponseWriter, _ *http.Request) {
		if !e.ready.Load() {
			http.Error(w, "the peers are not at their distance yet", http.StatusServiceUnavailable)
		}
	})
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		e.writeMetrics(w)
	})
	return mux
}

func (e *Emulator) writeMetrics(w http.ResponseWriter) {
	fmt.Fprintf(w, "# TYPE benchnet_emulation_info gauge\nbenchnet_emulation_info{mechanism=%q} 1\n", e.mechanism.name())
	fmt.Fprintf(w, "# HELP benchnet_emulation_peers Addresses that are at a distance.\n"+
		"# TYPE benchnet_emulation_peers gauge\nbenchnet_emulation_peers %d\n", e.peers.Load())
	counts := e.mechanism.counts()
	if counts == nil {
		return
	}
	fmt.Fprintf(w, "# HELP benchnet_emulation_packets_total Packets received, by what became of them: Held, Lost as asked for, Dropped for want of room.\n"+
		"# TYPE benchnet_emulation_packets_total counter\n")
	for _, c := range []struct {
		fate  string
		count int64
	}{{"Held", counts.held.Load()}, {"Lost", counts.lost.Load()}, {"Dropped", counts.dropped.Load()}} {
		fmt.Fprintf(w, "benchnet_emulation_packets_total{fate=%q} %d\n", c.fate, c.count)
	}
}
