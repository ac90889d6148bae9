package loadgen

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// TestArrivals checks that Poisson arrivals reach the driver with a seed that differs between runs and can be set.
func TestArrivals(t *testing.T) {
	file := func(arrivals v1alpha1.Arrivals, seed *int64, uid types.UID) protocol.OfferedLoad {
		w := NewWorkloadFile(&v1alpha1.Workload{Load: &v1alpha1.Load{
			Model: v1alpha1.LoadOpen, RatePerSecond: new(resource.MustParse("20")), Arrivals: arrivals, Seed: seed}})
		IdentifyRun(&w, uid)
		if w.Reference != string(uid) {
			t.Errorf("the reference is %q, not %q", w.Reference, uid)
		}
		return *w.Load
	}
	if even := file(v1alpha1.ArrivalsEven, nil, "a"); even.Arrivals != "" || even.Seed != nil {
		t.Errorf("even arrivals are %+v", even)
	}
	a, again, b := file(v1alpha1.ArrivalsPoisson, nil, "a"), file(v1alpha1.ArrivalsPoisson, nil, "a"), file(v1alpha1.ArrivalsPoisson, nil, "b")
	if a.Arrivals != protocol.ArrivalsPoisson || a.Seed == nil || *a.Seed != *again.Seed || *a.Seed == *b.Seed {
		t.Errorf("the loads of runs a, a and b are %+v, %+v and %+v", a, again, b)
	}
	if given := file(v1alpha1.ArrivalsPoisson, new(int64(7)), "a"); *given.Seed != 7 {
		t.Errorf("the seed 7 became %d", *given.Seed)
	}
}

func TestCalibrationBoundsOf(t *testing.T) {
	if got := CalibrationBoundsOf(nil); got != nil {
		t.Errorf("no calibration has bounds %+v", got)
	}
	got := CalibrationBoundsOf(&v1alpha1.Calibration{MinSingleThreadRate: new(int32(5000)), MinAllThreadsRate: new(int32(9000)),
		MaxFsyncP99: &v1alpha1.Latency{Duration: 20 * time.Millisecond}, MaxRoundTrip: &v1alpha1.Latency{Duration: 500 * time.Microsecond},
		MinBandwidth: new(resource.MustParse("1G"))})
	if want := (verdict.CalibrationBounds{MinSingleThreadPerSecond: 5000, MinAllThreadsPerSecond: 9000, MaxFsyncP99Millis: 20,
		MaxRoundTripMillis: 0.5, MinBandwidthMbps: 1000}); *got != want {
		t.Errorf("bounds %+v, want %+v", *got, want)
	}
}

func TestFindInterval(t *testing.T) {
	for window, want := range map[int]int{1: 0, 9: 0, 10: 5, 12: 6, 60: 5, 61: 0, 300: 5, 301: 7, 305: 61, 600: 10, 1200: 20, 1260: 21, 172_800: 2880} {
		if got := findInterval(window, window, window/2); got != want || want > 0 && window%want != 0 {
			t.Errorf("a window of %d s has intervals of %d s, want %d", window, got, want)
		}
	}
}
