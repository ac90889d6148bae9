package calibrate

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/benchnet/benchnet/internal/run/protocol"
)

// startCalibrationServer starts an HTTP server with the calibration of this process and returns its URL.
func startCalibrationServer(t *testing.T, volume string) string {
	t.Helper()
	mux := http.NewServeMux()
	addHandlers(mux, volume)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

func TestRun(t *testing.T) {
	volume := t.TempDir()
	endpoints := []protocol.ObservedEndpoint{
		{Member: "member-0", CommandsURL: startCalibrationServer(t, volume)},
		{Member: "member-0/consensus", URL: "http://program.invalid/metrics"},
		{Member: "member-1", CommandsURL: startCalibrationServer(t, "")},
		{Member: "member-1/jmx", URL: "http://slow.invalid/metrics", EverySeconds: 5},
		{Member: "member-2", CommandsURL: startCalibrationServer(t, filepath.Join(volume, "missing"))},
		{Member: "member-3", CommandsURL: startCalibrationServer(t, "") + "/old"},
	}
	pods := Run(t.Context(), 2*time.Second, "worker-7", "", endpoints)
	var subjects []string
	for _, pod := range pods {
		subjects = append(subjects, pod.Subject)
	}
	if got := strings.Join(subjects, " "); got != "worker-7 member-0 member-1 member-2 member-3" {
		t.Fatalf("pods %q", got)
	}
	worker, whole, withoutVolume, broken, old := pods[0], pods[1], pods[2], pods[3], pods[4]
	if worker.CPU == nil || worker.CPU.SingleThreadPerSecond <= 0 || worker.CPU.AllThreadsPerSecond <= 0 || worker.CPU.Threads < 1 || worker.Error != "" {
		t.Errorf("worker: %+v, CPU %+v", worker, worker.CPU)
	}
	if worker.Fsync != nil || worker.Network != nil {
		t.Errorf("a worker has neither a volume nor a network of its own: %+v", worker)
	}
	if f := whole.Fsync; f == nil || f.Count == 0 || f.P50Millis <= 0 || f.P50Millis > f.P99Millis || f.P99Millis > f.MaxMillis {
		t.Errorf("fsync %+v, error %q", f, whole.Error)
	}
	if n := whole.Network; n == nil || n.RoundTrips == 0 || n.RoundTripP50Millis <= 0 || n.RoundTripP50Millis > n.RoundTripMaxMillis || n.BandwidthMbps <= 0 {
		t.Errorf("network %+v, error %q", n, whole.Error)
	}
	if withoutVolume.Fsync != nil || withoutVolume.Network == nil || withoutVolume.Error != "" {
		t.Errorf("member without a volume: %+v", withoutVolume)
	}
	if broken.CPU == nil || !strings.Contains(broken.Error, "measure fsync: open") {
		t.Errorf("member with a missing volume: %+v", broken)
	}
	if !strings.Contains(old.Error, "404 Not Found") {
		t.Errorf("member with an agent that cannot calibrate: %+v", old)
	}
	if left, err := os.ReadDir(volume); err != nil || len(left) > 0 {
		t.Errorf("the volume holds %v, %v", left, err)
	}
}

// TestRunEndsWithContext checks that a calibration without enough time says so instead of delaying the start.
func TestRunEndsWithContext(t *testing.T) {
	ctx, cancel := context.WithDeadlineCause(t.Context(), time.Now().Add(100*time.Millisecond), ErrTooLate)
	defer cancel()
	pods := Run(ctx, time.Minute, "worker-0", "", []protocol.ObservedEndpoint{{Member: "member-0", CommandsURL: startCalibrationServer(t, "")}})
	if len(pods) != 2 || pods[0].Error != ErrTooLate.Error() || pods[1].Error == "" {
		t.Errorf("pods %+v", pods)
	}
}

func TestHandlerRejects(t *testing.T) {
	url := startCalibrationServer(t, "")
	post := func(query string) int {
		t.Helper()
		response, err := http.Post(url+query, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.StatusCode
	}
	for _, seconds := range []string{"", "0", "-1", "60.1", "NaN", "Inf", "x"} {
		t.Run(fmt.Sprintf("seconds %q", seconds), func(t *testing.T) {
			if got := post(ContainerPath + "?seconds=" + seconds); got != http.StatusBadRequest {
				t.Errorf("status %d", got)
			}
		})
	}
	t.Run("GET", func(t *testing.T) {
		response, err := http.Get(url + ContainerPath + "?seconds=1")
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("status %d", response.StatusCode)
		}
	})
}
