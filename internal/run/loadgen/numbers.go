package loadgen

import (
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"
)

func formatInt(n int32) string { return strconv.Itoa(int(n)) }

// tenthOf returns a tenth of a number of cores, at least 1m.
func tenthOf(cores resource.Quantity) resource.Quantity {
	return *resource.NewMilliQuantity(max(1, cores.MilliValue()/10), resource.DecimalSI)
}
