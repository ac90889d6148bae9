package status

import (
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// Changed tells whether a network's status says anything else than before.
func Changed(before, now v1alpha1.BenchmarkNetworkStatus) bool {
	return !equality.Semantic.DeepEqual(before, now)
}

// ProgressAlone tells whether two statuses differ in nothing but messages and the states of single members.
func ProgressAlone(before, now v1alpha1.BenchmarkNetworkStatus) bool {
	return !Changed(milestones(before), milestones(now))
}

func milestones(s v1alpha1.BenchmarkNetworkStatus) v1alpha1.BenchmarkNetworkStatus {
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
