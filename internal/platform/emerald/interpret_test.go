package emerald_test

import (
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform/emerald"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// proposerAddresses are the members' fee recipients in mixed case, as clients write addresses.
var proposerAddresses = []string{
	"0x0000000000000000000000000000bE9C00000001",
	"0x0000000000000000000000000000BE9C00000002",
	"0x0000000000000000000000000000Be9C00000003",
	"0x0000000000000000000000000000bE9c00000004",
}

// newMeasurement returns a window of 20 s with a block every half second. Blocks have 100 transactions each,
// and 10 in the last five seconds.
func newMeasurement() *measurement.Measurement {
	m := &measurement.Measurement{WindowSeconds: 20, Histogram: measurement.NewHistogram()}
	for i := range int64(40) {
		b := measurement.Block{Height: 7 + i, Micros: i * 500_000, Bytes: 11_000, Transactions: 100, Proposer: proposerAddresses[i%4]}
		if i >= 30 {
			b.Bytes, b.Transactions = 1_100, 10
		}
		b.GasUsed = 21_000 * b.Transactions
		m.Blocks = append(m.Blocks, b)
	}
	return m
}

func interpretMeasurement(t *testing.T, m *measurement.Measurement, change func(*v1alpha1.BenchmarkNetworkSpec)) verdict.Interpretation {
	t.Helper()
	network := platformtest.NewNetworkAdmission(t).AdmitNetwork(t, []byte(validManifest))
	change(&network.Spec)
	return emerald.New().Interpret(&network.Spec, &network.Spec.Workloads[0].Workload, m)
}

func unchangedSpec(*v1alpha1.BenchmarkNetworkSpec) {}

func TestInterpret(t *testing.T) {
	i := interpretMeasurement(t, newMeasurement(), unchangedSpec)
	want := map[string]float64{
		"blocks": 40, "blockTimeMean": 500, "blockTimeP50": 500, "blockTimeMax": 500, // 40 blocks are too few for p99
		"transactionsPerBlockMean": 77.5, "transactionsPerBlockMax": 100, "blockBytesMean": 8525, "blockBytesMax": 11_000, "emptyBlocks": 0,
		"throughputMean": 155, "throughputPeak1s": 200, "throughputPeak10s": 200, "gasPerSecond": 155 * 21_000,
		// Spans begin at 0 to 10. Six reach 200; each later one has one high second less: 182, 164, 146, 128,
		// 110. Nine of eleven reach 146.
		"throughputSustained": 146, "offeredRate": 400,
	}
	for _, m := range i.Measures {
		if value, known := want[m.Name]; !known || math.Abs(value-m.Value) > 1e-9 {
			t.Errorf("%s is %g, want %g", m.Name, m.Value, value)
		}
		if m.Source == "" {
			t.Errorf("%s has no source", m.Name)
		}
		delete(want, m.Name)
	}
	if len(want) > 0 || len(i.Reasons) > 0 || len(i.Notes) > 0 {
		t.Errorf("missing %v, reasons %v, notes %v", want, i.Reasons, i.Notes)
	}
}

// TestSharesOfAMix has a kind of which there were none, and the label of no kind.
func TestSharesOfAMix(t *testing.T) {
	m := newMeasurement()
	m.Labels = []measurement.LabelCount{{Label: "Transfer", Requests: 30}, {Label: "Call", Requests: 9, Errors: 1}, {Label: "else", Requests: 1}}
	shares := map[string]float64{}
	for _, measure := range interpretMeasurement(t, m, func(s *v1alpha1.BenchmarkNetworkSpec) {
		s.Workloads[0].EVM.Mix = []v1alpha1.EVMTransaction{{Kind: "Transfer", Weight: 3}, {Kind: "Call", Weight: 1}, {Kind: "Call"}, {Kind: "Store"}}
	}).Measures {
		if strings.HasPrefix(measure.Name, "share") {
			shares[measure.Name] = measure.Value
		}
	}
	if want := map[string]float64{"shareTransfer": 75, "shareCall": 22.5, "shareStore": 0}; !maps.Equal(shares, want) {
		t.Errorf("%v, want %v", shares, want)
	}
}

func TestBlockTimesSkipGaps(t *testing.T) {
	m := newMeasurement()
	m.Blocks = append(m.Blocks[:10:10], m.Blocks[20:]...)
	m.Blocks[3].Micros += 100_000
	for _, measure := range interpretMeasurement(t, m, unchangedSpec).Measures {
		if measure.Name == "blockTimeMax" && measure.Value != 600 {
			t.Errorf("the longest block time is %g ms; a gap of ten blocks should not count", measure.Value)
		}
	}
}

func TestFindings(t *testing.T) {
	if i := interpretMeasurement(t, &measurement.Measurement{WindowSeconds: 5}, unchangedSpec); len(i.Reasons) != 1 || i.Reasons[0].Code != "NoBlocks" {
		t.Errorf("a window without blocks: %+v", i)
	}
	behind := newMeasurement()
	for _, h := range []struct {
		member string
		height float64
	}{{"member-0", 100}, {"member-1", 85}, {"member-2", 84}} {
		behind.Series = append(behind.Series, measurement.NamedSeries{Subject: h.member + "/consensus", Name: "height", Values: measurement.Series{1, h.height, measurement.Missing}})
	}
	// At two blocks per second, a lag of five seconds of blocks plus five blocks is allowed.
	if i := interpretMeasurement(t, behind, unchangedSpec); len(i.Reasons) != 1 || i.Reasons[0].Code != "MemberBehind" || i.Reasons[0].Subject != "member-2" || i.Reasons[0].Value != 16 {
		t.Errorf("a validator 16 blocks behind: %+v", i.Reasons)
	}
	expensive := newMeasurement()
	expensive.Series = append(expensive.Series, measurement.NamedSeries{Subject: "member-0", Name: "baseFeeGwei", Values: measurement.Series{999, 1200, measurement.Missing, 1001}})
	if i := interpretMeasurement(t, expensive, unchangedSpec); len(i.Reasons) != 1 || i.Reasons[0].Code != "BaseFeeAboveCap" || i.Reasons[0].Value != 1200 || i.Reasons[0].Limit != 1000 {
		t.Errorf("a base fee above 1000 gwei for two seconds: %+v", i.Reasons)
	}
	full := interpretMeasurement(t, newMeasurement(), func(s *v1alpha1.BenchmarkNetworkSpec) { s.Platform.Emerald.GasLimit = 2_200_000 })
	if len(full.Notes) != 1 || full.Notes[0].Code != "FullBlocks" || full.Notes[0].Value != 30 {
		t.Errorf("30 blocks of 100 transfers at a limit of 104: %+v", full.Notes)
	}
	silent := interpretMeasurement(t, newMeasurement(), func(s *v1alpha1.BenchmarkNetworkSpec) { s.Members.Count = 5 })
	if len(silent.Notes) != 1 || silent.Notes[0].Code != "SilentProposer" || silent.Notes[0].Subject != "member-4" {
		t.Errorf("five members, four of which proposed: %+v", silent.Notes)
	}
}
