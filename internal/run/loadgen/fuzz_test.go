package loadgen

import (
	"math"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// FuzzReleaseOf checks that a release parsed from any barrier is written back as the same instants.
func FuzzReleaseOf(f *testing.F) {
	for _, text := range []string{"", "2026-11-21T12:00:00Z", "2026-11-21T12:00:00.123456789+01:00", "0000-01-01T00:00:00Z", "9999-12-31T23:59:60Z", "now"} {
		f.Add(text, "")
		f.Add("2026-11-21T12:00:00Z", text)
	}
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: "run", Namespace: "bench"}}
	f.Fuzz(func(t *testing.T, start, stop string) {
		held := &corev1.ConfigMap{Data: map[string]string{protocol.StartKey: start, protocol.StopKey: stop, BaselineKey: "[]"}}
		release, err := ParseRelease(held)
		if err != nil || release == nil {
			return
		}
		again, err := ParseRelease(buildBarrier(run, release))
		if err != nil {
			t.Fatalf("read, but not written: %v", err)
		}
		if !again.Start.Equal(release.Start) || string(again.Baseline) != "[]" || (again.Stop == nil) != (release.Stop == nil) {
			t.Errorf("%+v became %+v", release, again)
		}
		if release.Stop != nil && !again.Stop.Equal(*release.Stop) {
			t.Errorf("the stop at %s became %s", release.Stop.Format(time.RFC3339Nano), again.Stop.Format(time.RFC3339Nano))
		}
	})
}

// FuzzReplayRates checks that an accepted trace lasts as long as its segment and has rates that drivers can apply.
func FuzzReplayRates(f *testing.F) {
	for _, text := range []string{"0,20", "0,20\n30,40", "\ufeffsecond,rate\r\n0, 1e3\r\n60,0\r\n", "0,NaN", "0,Inf\n1,-1", `"0","1"`, "0,1\n\n\"30\n"} {
		f.Add(text, 60)
	}
	f.Fuzz(func(t *testing.T, text string, seconds int) {
		if seconds < minIntervalSeconds {
			return
		}
		rates, problem := replayRates(v1alpha1.LoadReplay{CSV: text, Scale: resource.MustParse("2")}, seconds, nil)
		if problem != nil {
			return
		}
		total := 0
		for _, p := range rates {
			if total += p.Seconds; p.Seconds < 1 || !(p.FromPerSecond >= 0) || math.IsInf(p.FromPerSecond, 0) || p.ToPerSecond != p.FromPerSecond {
				t.Errorf("%q has the piece %+v", text, p)
			}
		}
		if total != seconds {
			t.Errorf("%q lasts %d s, the segment %d s", text, total, seconds)
		}
	})
}
