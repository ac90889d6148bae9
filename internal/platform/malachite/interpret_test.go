package malachite_test

import (
	"math"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform/malachite"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
	"github.com/benchnet/benchnet/internal/platform/validators"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// newMeasurement returns a window of ten seconds with a block every quarter of a second. The last block was
// decided late, in round 1.
func newMeasurement(t *testing.T) *measurement.Measurement {
	t.Helper()
	m := &measurement.Measurement{WindowSeconds: 10, Histogram: measurement.NewHistogram(), Unit: "blocks"}
	for i := range int64(40) {
		b := measurement.Block{Height: 100 + i, Micros: i * 250_000, Bytes: 1 << 20}
		if i == 39 {
			b.Round = 1
		}
		m.Blocks = append(m.Blocks, b)
		if err := m.Histogram.Record(200_000 + 200_000*int64(b.Round)); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func interpretMeasurement(t *testing.T, m *measurement.Measurement, change func(*v1alpha1.Workload)) verdict.Interpretation {
	t.Helper()
	network := platformtest.NewNetworkAdmission(t).AdmitNetwork(t, []byte(validManifest))
	w := &network.Spec.Workloads[0].Workload
	change(w)
	return malachite.New().Interpret(&network.Spec, w, m)
}

func TestInterpret(t *testing.T) {
	m := newMeasurement(t)
	i := interpretMeasurement(t, m, func(*v1alpha1.Workload) {})
	want := map[string]float64{
		"blockTimeMean": 205, "blockTimeP50": 200, "blockTimeMax": 400, // 40 blocks are too few for p99
		"blocksPerSecond": 4, "bytesPerSecond": 4 << 20, "transactionsPerSecond": float64(4<<20) / 110,
		"roundsAboveZero": 1, "roundsAboveZeroShare": 2.5,
	}
	for _, measure := range i.Measures {
		if w, ok := want[measure.Name]; !ok || math.Abs(measure.Value-w) > w/1000 {
			t.Errorf("%s is %v, want %v", measure.Name, measure.Value, w)
		}
		if measure.Unit == "" || measure.Source == "" {
			t.Errorf("%s lacks unit or source", measure.Name)
		}
		delete(want, measure.Name)
	}
	if len(want) > 0 {
		t.Errorf("missing %v", want)
	}
	if len(i.Reasons) > 0 || len(i.Notes) != 1 || i.Notes[0].Code != validators.RoundsAboveZero || !strings.HasPrefix(i.Notes[0].Message, "1 of 40 blocks") {
		t.Errorf("reasons %v, notes %v", i.Reasons, i.Notes)
	}
}

func TestInterpretMoreBlocksThanAreListed(t *testing.T) {
	m := newMeasurement(t)
	m.BlocksOmitted = 60
	for _, measure := range interpretMeasurement(t, m, func(w *v1alpha1.Workload) { w.Blocks.TransactionBytes = 1 << 19 }).Measures {
		if want := map[string]float64{"blocksPerSecond": 10, "bytesPerSecond": 10 << 20, "transactionsPerSecond": 20}[measure.Name]; want > 0 && measure.Value != want {
			t.Errorf("%s is %v, want %v", measure.Name, measure.Value, want)
		}
	}
}

func TestInterpretBlocksOfAnotherSize(t *testing.T) {
	m := newMeasurement(t)
	m.Blocks[3].Bytes--
	i := interpretMeasurement(t, m, func(*v1alpha1.Workload) {})
	if len(i.Reasons) != 1 || i.Reasons[0].Code != validators.BlockSizeDiffers || i.Reasons[0].Value != 1 || !strings.Contains(i.Reasons[0].Message, "1 of 40 blocks did not have the requested size of 1Mi") {
		t.Errorf("reasons %v", i.Reasons)
	}
}

func TestInterpretNothing(t *testing.T) {
	m := &measurement.Measurement{WindowSeconds: 10, Histogram: measurement.NewHistogram()}
	if i := interpretMeasurement(t, m, func(*v1alpha1.Workload) {}); len(i.Measures)+len(i.Reasons)+len(i.Notes) > 0 {
		t.Errorf("got %+v", i)
	}
}
