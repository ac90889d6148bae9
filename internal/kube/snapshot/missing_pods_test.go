package snapshot

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// TestJobLacksPods distinguishes a Job whose pods could not be created from Jobs that have or had pods.
func TestJobLacksPods(t *testing.T) {
	begun := metav1.Now()
	uncounted := &batchv1.UncountedTerminatedPods{Succeeded: []types.UID{"1"}}
	for name, c := range map[string]struct {
		status batchv1.JobStatus
		want   bool
	}{
		"not started":                           {batchv1.JobStatus{}, false},
		"started, no pods":                      {batchv1.JobStatus{StartTime: &begun}, true},
		"started, no pods to count":             {batchv1.JobStatus{StartTime: &begun, UncountedTerminatedPods: &batchv1.UncountedTerminatedPods{}}, true},
		"its pod runs":                          {batchv1.JobStatus{StartTime: &begun, Active: 1}, false},
		"its pod has ended, but is not counted": {batchv1.JobStatus{StartTime: &begun, UncountedTerminatedPods: uncounted}, false},
		"its pod has ended and is counted":      {batchv1.JobStatus{StartTime: &begun, Succeeded: 1}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := jobLacksPods(&batchv1.Job{Status: c.status}); got != c.want {
				t.Errorf("without pods is %t, want %t", got, c.want)
			}
		})
	}
}
