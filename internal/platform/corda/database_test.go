package corda_test

import (
	"testing"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/corda"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
)

// TestResetsLimitTheLedger checks that databases have space for the data between two resets.
func TestResetsLimitTheLedger(t *testing.T) {
	for name, test := range map[string]struct {
		resets []v1alpha1.ResetPolicy
		want   int64
	}{
		"one workload":         {[]v1alpha1.ResetPolicy{v1alpha1.KeepState}, 1},
		"both are kept":        {[]v1alpha1.ResetPolicy{v1alpha1.KeepState, v1alpha1.KeepState}, 2},
		"the second resets":    {[]v1alpha1.ResetPolicy{v1alpha1.KeepState, v1alpha1.ResetState}, 1},
		"two after the reset":  {[]v1alpha1.ResetPolicy{v1alpha1.KeepState, v1alpha1.ResetState, v1alpha1.KeepState}, 2},
		"two before the reset": {[]v1alpha1.ResetPolicy{v1alpha1.KeepState, v1alpha1.KeepState, v1alpha1.ResetState}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			network := platformtest.NewNetworkAdmission(t).AdmitNetwork(t, []byte(validManifest))
			planned := func(resets ...v1alpha1.ResetPolicy) int64 {
				workloads := make([]v1alpha1.NetworkWorkload, len(resets))
				for i, reset := range resets {
					workloads[i] = *network.Spec.Workloads[0].DeepCopy()
					workloads[i].Reset = reset
				}
				copied := network.DeepCopy()
				copied.Spec.Workloads = workloads
				return corda.New().DatabaseRequirements(platformtest.NewInput(corda.New(), copied), corda.New().Topology(copied)).PlannedTransactions
			}
			if got, one := planned(test.resets...), planned(v1alpha1.KeepState); got != test.want*one {
				t.Errorf("%d transactions are planned, want %d x %d", got, test.want, one)
			}
		})
	}
}

// TestMixSharesTheLedger checks that databases have space for each operation of a mix by its share: a quarter of the operations leaves one
// state, the others two.
func TestMixSharesTheLedger(t *testing.T) {
	network := platformtest.NewNetworkAdmission(t).AdmitNetwork(t, []byte(validManifest))
	planned := func() platform.DatabaseRequirements {
		return corda.New().DatabaseRequirements(platformtest.NewInput(corda.New(), network), corda.New().Topology(network))
	}
	pays := planned()
	w := network.Spec.Workloads[0].Corda
	pay := v1alpha1.CordaMixEntry{MixShare: v1alpha1.MixShare{Name: "pay", Weight: 6}, CordaOperation: w.CordaOperation}
	issue := v1alpha1.CordaMixEntry{MixShare: v1alpha1.MixShare{Name: "issue", Weight: 2}}
	issue.Finance = &v1alpha1.CordaFinance{Operation: v1alpha1.FinanceIssue}
	w.Finance, w.Mix = nil, []v1alpha1.CordaMixEntry{pay, issue}
	mixed := planned()
	if mixed.PlannedTransactions != pays.PlannedTransactions || 8*mixed.PlannedStates != 7*pays.PlannedStates {
		t.Errorf("%d transactions and %d states are planned, want as many transactions and 7/8 of the states of %d and %d",
			mixed.PlannedTransactions, mixed.PlannedStates, pays.PlannedTransactions, pays.PlannedStates)
	}
}
