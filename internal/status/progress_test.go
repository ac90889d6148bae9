package status

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

func TestIsProgressOnly(t *testing.T) {
	before := v1alpha1.BenchmarkNetworkStatus{Phase: "Provisioning", MembersTotal: 2,
		Members:    []v1alpha1.MemberStatus{{Name: "member-0", State: "Starting"}},
		Stages:     []v1alpha1.StageStatus{{Name: "Members", State: "InProgress", Message: "0 of 1"}},
		Conditions: []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: metav1.ConditionFalse, Reason: "StageNotReady", Message: "0 of 1"}}}
	cases := []struct {
		name  string
		edit  func(*v1alpha1.BenchmarkNetworkStatus)
		alone bool
	}{
		{"a member is ready", func(s *v1alpha1.BenchmarkNetworkStatus) {
			s.Members[0].State, s.MembersReady, s.Display.Members = "Ready", 1, "1/2"
		}, true},
		{"another message", func(s *v1alpha1.BenchmarkNetworkStatus) {
			s.Conditions[0].Message, s.Stages[0].Message = "1 of 1", "1 of 1"
		}, true},
		{"another reason", func(s *v1alpha1.BenchmarkNetworkStatus) { s.Conditions[0].Reason = "StageFailed" }, false},
		{"a stage is ready", func(s *v1alpha1.BenchmarkNetworkStatus) { s.Stages[0].State = "Ready" }, false},
		{"the network is ready", func(s *v1alpha1.BenchmarkNetworkStatus) { s.Conditions[0].Status = metav1.ConditionTrue }, false},
		{"another generation", func(s *v1alpha1.BenchmarkNetworkStatus) { s.ObservedGeneration = 2 }, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			now := *before.DeepCopy()
			c.edit(&now)
			if !HasChanged(before, now) {
				t.Error("the status changed")
			}
			if got := IsProgressOnly(before, now); got != c.alone {
				t.Errorf("only progress: %t, want %t", got, c.alone)
			}
		})
	}
}
