package execution

import (
	"fmt"
	"slices"
	"strings"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform/evm"
	"github.com/benchnet/benchnet/internal/platform/members"
	"github.com/benchnet/benchnet/internal/platform/submission"
	"github.com/benchnet/benchnet/internal/platform/validators"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/statistics"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// fullBlockShare is the share of the gas limit from which a block counts as full.
const fullBlockShare = 0.95

// Reason codes of networks with execution clients.
const (
	// reasonBaseFeeAboveCap means that the base fee was above what the transactions pay, so no block could include them.
	reasonBaseFeeAboveCap verdict.ReasonCode = "BaseFeeAboveCap"
	// noteFullBlocks means that blocks were full, so the gas limit bounds the rate.
	noteFullBlocks verdict.ReasonCode = "FullBlocks"
	// noteSilentProposer means that a member proposed no block although its turn must have come.
	noteSilentProposer verdict.ReasonCode = "SilentProposer"
)

// Interpret derives block times, block sizes, and throughput from the blocks. The throughput counts the
// transactions in blocks, not the responses of the nodes.
func (l *Layer) Interpret(
	spec *v1alpha1.BenchmarkNetworkSpec, workload *v1alpha1.Workload, measured *measurement.Measurement,
) verdict.Interpretation {
	i := submission.Interpret(workload, measured)
	if len(measured.Blocks) == 0 {
		return i
	}
	i.Measures = append(i.Measures, measurement.PlatformMetric{Name: "gasPerSecond", Unit: "gas/s",
		Value: gasPerSecond(measured), Source: "gas used by the window's blocks over its length"})
	i.Measures = append(i.Measures, mixMeasures(workload.EVM.Mix, measured)...)
	i.Reasons = append(i.Reasons, l.baseFeeReasons(workload.EVM, measured)...)
	i.Notes = slices.Concat(l.fullBlockNotes(measured), silentProposerNotes(spec, measured))
	return i
}

func gasPerSecond(m *measurement.Measurement) float64 {
	used := int64(0)
	for _, b := range m.Blocks {
		used += b.GasUsed
	}
	return statistics.Ratio(used, int64(m.WindowSeconds))
}

// baseFeeReasons reports seconds in which the base fee was above the cap of the transactions, which then wait until empty blocks have
// lowered it.
func (l *Layer) baseFeeReasons(w *v1alpha1.EVMWorkload, m *measurement.Measurement) []verdict.Reason {
	limit, above, highest := float64(w.MaxFeeGwei), map[int]bool{}, 0.0
	for _, s := range m.SeriesByName(evm.SeriesBaseFee) {
		for second, fee := range s.Values {
			if fee > limit {
				above[second], highest = true, max(highest, fee)
			}
		}
	}
	if len(above) == 0 {
		return nil
	}
	return []verdict.Reason{{Code: reasonBaseFeeAboveCap, Value: highest, Limit: limit, Message: fmt.Sprintf(
		"the base fee rose to %.0f gwei, and in %d of %d s it was above workload.evm.maxFeeGwei (%d), so no block could include the transactions: "+
			"raise maxFeeGwei or platform.%s.gasLimit, or lower the rate", highest, len(above), m.WindowSeconds, w.MaxFeeGwei, l.Field)}}
}

func (l *Layer) fullBlockNotes(m *measurement.Measurement) []verdict.Reason {
	full := 0
	for _, b := range m.Blocks {
		if float64(b.GasUsed) >= fullBlockShare*float64(l.GasLimit) {
			full++
		}
	}
	if full == 0 {
		return nil
	}
	return []verdict.Reason{{Code: noteFullBlocks, Value: float64(full), Limit: float64(len(m.Blocks)), Message: fmt.Sprintf(
		"%d of %d blocks were full: they used at least %.0f %% of platform.%s.gasLimit (%d)", full, len(m.Blocks), 100*fullBlockShare, l.Field, l.GasLimit)}}
}

// minProposals is the number of blocks that a member must have been due to propose before its silence is reported.
const minProposals = 3

// silentProposerNotes identifies proposers by the fee recipients of the blocks. Members propose in proportion to their voting powers.
func silentProposerNotes(spec *v1alpha1.BenchmarkNetworkSpec, m *measurement.Measurement) []verdict.Reason {
	proposed := map[string]bool{}
	for _, b := range m.Blocks {
		proposed[strings.ToLower(b.Proposer)] = true
	}
	powers, total := validators.ListPowers(spec), 0
	for _, power := range powers {
		total += int(power)
	}
	var silent []verdict.Reason
	for i, power := range powers {
		if len(m.Blocks)*int(power) >= minProposals*total && !proposed[FeeRecipient(i)] {
			silent = append(silent, verdict.Reason{Code: noteSilentProposer, Subject: members.Name(int32(i)), Limit: float64(len(m.Blocks)),
				Message: fmt.Sprintf("proposed none of %d blocks", len(m.Blocks))})
		}
	}
	return silent
}
