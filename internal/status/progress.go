package status

import (
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// HasChanged reports whether two statuses of a network differ.
func HasChanged(before, now v1alpha1.BenchmarkNetworkStatus) bool {
	return !equality.Semantic.DeepEqual(before, now)
}

// IsProgressOnly reports whether two statuses differ only in messages and in the states of members and
// databases.
func IsProgressOnly(before, now v1alpha1.BenchmarkNetworkStatus) bool {
	return !HasChanged(withoutProgress(before), withoutProgress(now))
}

func withoutProgress(s v1alpha1.BenchmarkNetworkStatus) v1alpha1.BenchmarkNetworkStatus {
	m := *s.DeepCopy()
	m.Members, m.MembersReady, m.Display.Members, m.Databases = nil, 0, "", nil
	for i := range m.Stages {
		m.Stages[i].Message = ""
	}
	for i := range m.Conditions {
		m.Conditions[i].Message = ""
	}
	return m
}
