package driver

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// restricted is what the pod security level "restricted" asks of a container, and a root file system that cannot be written.
func restricted() *corev1.SecurityContext {
	return &corev1.SecurityContext{
		AllowPrivilegeEscalation: new(false),
		ReadOnlyRootFilesystem:   new(true),
		Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
	}
}

func decimal(n int32) string { return strconv.Itoa(int(n)) }

// tenth of a number of cores.
func tenth(cores resource.Quantity) resource.Quantity {
	return *resource.NewMilliQuantity(max(1, cores.MilliValue()/10), resource.DecimalSI)
}
