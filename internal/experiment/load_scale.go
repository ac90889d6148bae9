package experiment

import (
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

const (
	// maxLoad is the highest load of a search, and maxFineLoad that of a search from a fraction.
	maxLoad, maxFineLoad = 1_000_000, 1000
	milliPerUnit         = 1000
)

// loadScale converts the loads of a search, which are whole numbers of steps. A step is one client or one operation per second. In a
// search from a fraction it is a power of ten that is at most a tenth of it.
type loadScale struct{ stepMilli int64 }

func scaleOf(spec *v1alpha1.SaturationSearch) loadScale {
	from := spec.From.MilliValue()
	if from%milliPerUnit == 0 {
		return loadScale{milliPerUnit}
	}
	step := int64(1)
	for step*100 <= from && from%(step*10) == 0 {
		step *= 10
	}
	return loadScale{step}
}

// steps returns a load of the spec.
func (s loadScale) steps(q *resource.Quantity) int64 { return q.MilliValue() / s.stepMilli }

// value returns a load in clients or operations per second.
func (s loadScale) value(load int64) float64 { return float64(load*s.stepMilli) / milliPerUnit }

func (s loadScale) quantity(load int64) *resource.Quantity {
	return resource.NewMilliQuantity(load*s.stepMilli, resource.DecimalSI)
}

// format returns a load for people, such as 6 or 0.5.
func (s loadScale) format(load int64) string { return strconv.FormatFloat(s.value(load), 'f', -1, 64) }

// nameOf returns a load as a part of names, such as 6 or, in thousandths, 500m.
func (s loadScale) nameOf(load int64) string {
	if s.stepMilli == milliPerUnit {
		return strconv.FormatInt(load, 10)
	}
	return strconv.FormatInt(load*s.stepMilli, 10) + "m"
}

// validateLoads checks the lowest and the highest load of a search.
func validateLoads(spec *v1alpha1.SaturationSearch, model v1alpha1.LoadModel, path *field.Path) error {
	isWhole := spec.From.MilliValue()%milliPerUnit == 0
	highest := int64(maxLoad)
	if !isWhole {
		highest = maxFineLoad
	}
	switch from, to := &spec.From, &spec.To; {
	case from.Sign() <= 0:
		return field.Invalid(path.Child("from"), from.String(), "must be above 0, such as 1 or 500m")
	case model == v1alpha1.LoadClosed && !isWhole:
		return field.Invalid(path.Child("from"), from.String(), "must be a whole number of clients with load.model Closed")
	case to.CmpInt64(highest) > 0:
		return field.Invalid(path.Child("to"), to.String(), fmt.Sprintf("must be at most %d, as saturation.from is %s", highest, from))
	case scaleOf(spec).steps(from) >= scaleOf(spec).steps(to):
		return field.Invalid(path.Child("from"), from.String(), fmt.Sprintf("must be below saturation.to, which is %s", to))
	}
	return nil
}
