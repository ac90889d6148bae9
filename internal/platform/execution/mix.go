package execution

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform/evm"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/statistics"
)

// convertMix returns the mix of the driver, without defaults.
func convertMix(mix []v1alpha1.EVMTransaction) []evm.MixEntry {
	var entries []evm.MixEntry
	for _, t := range mix {
		entries = append(entries, evm.MixEntry{Kind: evm.Kind(t.Kind), Weight: uint32(t.Weight), Recipients: evm.Recipients(t.Recipients),
			Gas: uint64(t.Gas), CodeBytes: int(t.CodeBytes), Slots: int(t.Slots)})
	}
	return entries
}

// validateMix rejects weights that are all 0, fields of other kinds, and transactions that do not fit into a block.
func (l *Layer) validateMix(w *v1alpha1.EVMWorkload, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	total := int64(0)
	for i := range w.Mix {
		total += int64(w.Mix[i].Weight)
		errs = append(errs, validateKindFields(&w.Mix[i], path.Index(i))...)
	}
	if len(w.Mix) > 0 && total == 0 {
		errs = append(errs, field.Invalid(path, total, "the sum of the weights must be greater than 0"))
	}
	if len(errs) > 0 {
		return errs
	}
	for i, e := range convertMix(w.Mix) {
		if e = e.WithDefaults(uint64(w.GasLimit)); e.Kind != evm.KindTransfer && int64(e.GasLimit) > l.GasLimit {
			at, value := path.Index(i).Child("kind"), any(e.Kind)
			for _, f := range kindFields(&w.Mix[i]) {
				if f.sets && f.name != "recipients" {
					at, value = path.Index(i).Child(f.name), f.value
				}
			}
			errs = append(errs, field.Invalid(at, value, fmt.Sprintf("needs the gas limit %d, with a margin of 20 %%, which must be at most that of a block, "+
				"platform.%s.gasLimit (%d)", e.GasLimit, l.Field, l.GasLimit)))
		}
	}
	return errs
}

// kindField is a field of a transaction that only one kind has.
type kindField struct {
	name  string
	value any
	sets  bool
	kind  evm.Kind
}

func kindFields(t *v1alpha1.EVMTransaction) []kindField {
	return []kindField{
		{"recipients", t.Recipients, t.Recipients != "", evm.KindTokenTransfer},
		{"gas", t.Gas, t.Gas != 0, evm.KindCall},
		{"codeBytes", t.CodeBytes, t.CodeBytes != 0, evm.KindDeploy},
		{"slots", t.Slots, t.Slots != 0, evm.KindStore},
	}
}

func validateKindFields(t *v1alpha1.EVMTransaction, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, f := range kindFields(t) {
		if f.sets && evm.Kind(t.Kind) != f.kind {
			errs = append(errs, field.Forbidden(path.Child(f.name), fmt.Sprintf("applies only to kind %s", f.kind)))
		}
	}
	return errs
}

// mixMeasures returns the share of each kind of a mix among the transactions that were due in the window.
func mixMeasures(mix []v1alpha1.EVMTransaction, m *measurement.Measurement) []measurement.PlatformMetric {
	counts, total := map[string]int64{}, int64(0)
	for _, l := range m.Labels {
		counts[l.Label] = l.Requests
		total += l.Requests
	}
	var kinds []string
	var measures []measurement.PlatformMetric
	for _, t := range mix {
		if kind := string(t.Kind); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
			measures = append(measures, measurement.PlatformMetric{Name: "share" + kind, Unit: "%", Value: 100 * statistics.Ratio(counts[kind], total),
				Source: fmt.Sprintf("%d of %d transactions that were due in the window", counts[kind], total)})
		}
	}
	return measures
}
