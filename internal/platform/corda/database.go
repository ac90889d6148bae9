package corda

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/material"
	"github.com/benchnet/benchnet/internal/pods"
	"github.com/benchnet/benchnet/internal/sizing"
)

// DatabaseNeeds are connections for the pools, room for the planned ledger, and the template of the schemas.
func (Corda) DatabaseNeeds(in platform.Input, _ platform.Topology) platform.DatabaseNeeds {
	spec := &in.Network.Spec
	supplied := cordapps(in).withAgent(in)
	planned := plannedVolume(spec)
	return platform.DatabaseNeeds{
		Connections:         poolsOf(spec).connections.value,
		PlannedTransactions: planned.Transactions,
		PlannedStates:       planned.States,
		TemplateInit:        supplied.init,
		Volumes:             supplied.volumes,
		Template: &corev1.Container{
			Name:                     "schema",
			Image:                    nodeImage(in),
			Command:                  []string{programSchema, "postgresql", cordappsPath(spec), templateDir},
			Resources:                material.ThrowAway("1Gi"),
			SecurityContext:          pods.Restricted(),
			TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
			VolumeMounts:             supplied.mounts,
		},
	}
}

// Highest rates that a closed loop is planned for, in operations per second.
const (
	// openSourceRate is above the 68/s that R3 shows for Issue on 32 cores: one thread runs all flows.
	openSourceRate = 100
	// enterpriseRatePerCore is R3's Issue on one core; with more cores a core does less.
	enterpriseRatePerCore = 100
)

func highestRate(spec *v1alpha1.BenchmarkNetworkSpec) float64 {
	if isEnterprise(spec) {
		return float64(enterpriseRatePerCore * sizing.MachineOf(&spec.Members).WholeCores())
	}
	return openSourceRate
}

// plannedVolume is an upper bound of what all listed workloads leave on one member.
func plannedVolume(spec *v1alpha1.BenchmarkNetworkSpec) sizing.Volume {
	var total sizing.Volume
	for i := range spec.Workloads {
		w := &spec.Workloads[i].Workload
		total = total.Add(volumeOf(w).Times(sizing.Operations(w.Load, &w.Measure, highestRate(spec))))
	}
	return total
}

// volumeOf is what one operation leaves on a member: a payment has the paid and the change as outputs, and an operation that
// is unknown here is taken to do as much as the largest that is known.
func volumeOf(w *v1alpha1.Workload) sizing.Volume {
	switch {
	case w.Corda != nil && w.Corda.Flow == flowIssue:
		return sizing.Volume{Transactions: 1, States: 1}
	case w.Corda != nil && w.Corda.Flow == flowPay:
		return sizing.Volume{Transactions: 1, States: 2}
	default:
		return sizing.Volume{Transactions: 2, States: 3}
	}
}
