package status

import (
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// HasChanged tells whether a network's status says anything else than before.
func HasChanged(before, now v1alpha1.BenchmarkNetworkStatus) bool {
	return !equality.Semantic.DeepEqual(before, now)
}

// IsProgressOnly tells whether two statuses differ in nothing but messages and the states of single members.
func IsProgressOnly(before, now v1alpha1.BenchmarkNetworkStatus) bool {
	return !HasChanged(withoutProgress(before), withoutProgress(now))
}

func withoutProgress(s v1alpha1.BenchmarkNetworkStatus) v1alpha1.BenchmarkNetworkStatus {
	m := *s.DeepCopy()
	m.Members, m.MembersReady, m.Databases = nil, "", nil
	for i := range m.Stages {
		m.Stages[i].Message = ""
	}
	for i := range m.Conditions {
		m.Conditions[i].Message = ""
	}
	return m
}
