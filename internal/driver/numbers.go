package driver

import (
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"
)

func decimal(n int32) string { return strconv.Itoa(int(n)) }

// tenth of a number of cores.
func tenth(cores resource.Quantity) resource.Quantity {
	return *resource.NewMilliQuantity(max(1, cores.MilliValue()/10), resource.DecimalSI)
}
