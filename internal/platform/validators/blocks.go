package validators

import (
	"fmt"
	"math"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/members"
	"github.com/benchnet/benchnet/internal/run/loadgen"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// Reason codes of platforms of validators.
const (
	// RoundsAboveZero (note) means that blocks took more than one round. Between two rounds the validators
	// wait for a timeout.
	RoundsAboveZero verdict.ReasonCode = "RoundsAboveZero"
	// BlockSizeDiffers means that a block did not have the configured size, so the run measured something
	// else.
	BlockSizeDiffers verdict.ReasonCode = "BlockSizeDiffers"
)

// ValidateBlocksWorkload rejects a workload that a network of p that makes its own blocks cannot serve.
func ValidateBlocksWorkload(p platform.Platform, spec *v1alpha1.BenchmarkNetworkSpec, w *v1alpha1.Workload, path *field.Path) field.ErrorList {
	errs := loadgen.ValidateMeasure(w, path)
	if w.Blocks == nil {
		return append(errs, field.Required(path.Child("blocks"), fmt.Sprintf(
			"a workload on a %s network needs blocks: the network makes its own blocks, which a worker observes", p.Type())))
	}
	errs = append(errs, platform.NewMemberNames(p, spec).Validate(w.Blocks.Observe, path.Child("blocks", "observe"))...)
	if w.Workers.Count != 1 {
		errs = append(errs, field.Invalid(path.Child("workers", "count"), w.Workers.Count,
			"must be 1: one worker observes one validator, and all validators decide the same blocks"))
	}
	return errs
}

// BuildBlockStream returns the block stream of one validator, of whose metrics the series are recorded. There is no load driver
// because the network generates its own load.
func BuildBlockStream(in platform.Input, topology platform.Topology, workload *v1alpha1.Workload, series []protocol.ObservedSeries) (loadgen.Driver, error) {
	m, ok := topology.FindMember(workload.Blocks.Observe)
	if !ok {
		return loadgen.Driver{}, fmt.Errorf("workload %s: the network has no %s", workload.Name, workload.Blocks.Observe)
	}
	orders := loadgen.NewWorkloadFile(workload)
	orders.Unit = "blocks"
	for _, each := range topology.Members {
		orders.Observe = append(orders.Observe, members.AgentEndpoint(each, PortAgent))
	}
	orders.Observe = append(orders.Observe, protocol.ObservedEndpoint{Member: m.Name + "/consensus", URL: members.MetricsURL(m, PortMetrics), Series: series})
	return loadgen.Driver{
		Image:    in.Images.Image("agent", ""),
		Stream:   "http://" + members.HostPort(m.Host, PortHTTP) + "/blocks",
		Workload: orders,
	}, nil
}

// blockTally holds the totals over the blocks of a window.
type blockTally struct {
	blocks, bytes, laterRounds, otherSizes float64
}

func tallyBlocks(blocks []measurement.Block, size int64) blockTally {
	var t blockTally
	for _, b := range blocks {
		t.blocks++
		t.bytes += float64(b.Bytes)
		if b.Round > 0 {
			t.laterRounds++
		}
		if b.Bytes != size {
			t.otherSizes++
		}
	}
	return t
}

// InterpretBlocks returns block times, rates of blocks, bytes and transactions, and the rounds of the observed blocks. size is the
// configured size of a block.
func InterpretBlocks(size resource.Quantity, workload *v1alpha1.Workload, measured *measurement.Measurement) verdict.Interpretation {
	t := tallyBlocks(measured.Blocks, size.Value())
	if t.blocks == 0 || measured.WindowSeconds == 0 {
		return verdict.Interpretation{}
	}
	i := verdict.Interpretation{Measures: append(blockTimeMeasures(measured, workload.Blocks.Observe), t.rateMeasures(measured, workload.Blocks)...)}
	if t.laterRounds > 0 {
		i.Notes = append(i.Notes, verdict.Reason{Code: RoundsAboveZero, Subject: workload.Blocks.Observe, Value: t.laterRounds,
			Message: laterRoundsMessage(t.laterRounds, t.blocks)})
	}
	if t.otherSizes > 0 {
		i.Reasons = append(i.Reasons, verdict.Reason{Code: BlockSizeDiffers, Subject: workload.Blocks.Observe, Value: t.otherSizes,
			Message: fmt.Sprintf("%.0f of %.0f blocks did not have the requested size of %s", t.otherSizes, t.blocks, size.String())})
	}
	return i
}

func laterRoundsMessage(later, blocks float64) string {
	return fmt.Sprintf("%.0f of %.0f blocks were decided in a later round than the first: a proposal was missing or late, "+
		"so their times include timeouts", later, blocks)
}

// SeriesLaterRounds is the name of the series with the rate of a validator's blocks that were decided in a later round than the first.
const SeriesLaterRounds = "laterRounds"

// NoteLaterRounds notes the blocks of a client's window that were decided in a later round than the first, as the validators counted
// them.
func NoteLaterRounds(measured *measurement.Measurement) []verdict.Reason {
	rounds := 0.0
	for _, s := range measured.SeriesByName(SeriesLaterRounds) {
		rounds = max(rounds, CountEvents(s))
	}
	if rounds == 0 {
		return nil
	}
	blocks := float64(len(measured.Blocks))
	return []verdict.Reason{{Code: RoundsAboveZero, Value: rounds, Limit: blocks, Message: laterRoundsMessage(rounds, blocks)}}
}

// CountEvents returns the number of events in the seconds of a rate that were measured.
func CountEvents(s measurement.NamedSeries) float64 {
	total := 0.0
	for _, perSecond := range s.Values.Measured() {
		total += perSecond
	}
	return math.Round(total)
}

// blockTimeMeasures returns the block times from the histogram. It holds all intervals that end in the window,
// to three digits. Percentiles of too few blocks are left out.
func blockTimeMeasures(m *measurement.Measurement, observed string) []measurement.PlatformMetric {
	source := "time from decision to decision as " + observed + " saw them"
	l := m.Summarize().Latency
	measures := []measurement.PlatformMetric{{Name: "blockTimeMean", Value: l.Mean, Unit: "ms", Source: source}}
	if l.P50 != nil {
		measures = append(measures, measurement.PlatformMetric{Name: "blockTimeP50", Value: *l.P50, Unit: "ms", Source: source})
	}
	if l.P99 != nil {
		measures = append(measures, measurement.PlatformMetric{Name: "blockTimeP99", Value: *l.P99, Unit: "ms", Source: source})
	}
	return append(measures, measurement.PlatformMetric{Name: "blockTimeMax", Value: l.Max, Unit: "ms", Source: source})
}

// rateMeasures returns the rates over the window. If there were too many blocks to list, the listed ones serve
// as a sample.
func (t blockTally) rateMeasures(m *measurement.Measurement, w *v1alpha1.BlocksWorkload) []measurement.PlatformMetric {
	perSecond := (t.blocks + float64(m.BlocksOmitted)) / float64(m.WindowSeconds)
	bytes := perSecond * t.bytes / t.blocks
	return []measurement.PlatformMetric{
		{Name: "blocksPerSecond", Value: perSecond, Unit: "blocks/s", Source: "blocks decided in the window / its length"},
		{Name: "bytesPerSecond", Value: bytes, Unit: "B/s", Source: "bytes of those blocks / the window's length"},
		{Name: "transactionsPerSecond", Value: bytes / float64(w.TransactionBytes), Unit: "transactions/s",
			Source: fmt.Sprintf("bytesPerSecond / %d bytes of a transaction (workload.blocks.transactionBytes)", w.TransactionBytes)},
		{Name: "roundsAboveZero", Value: t.laterRounds, Unit: "blocks", Source: "blocks decided in a later round than the first"},
		{Name: "roundsAboveZeroShare", Value: 100 * t.laterRounds / t.blocks, Unit: "%", Source: "roundsAboveZero / blocks"},
	}
}
