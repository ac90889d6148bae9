package loadgen

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
)

// TestSeparation checks for each separation how workers keep off the hosts of other pods, and of which.
func TestSeparation(t *testing.T) {
	network := &v1alpha1.BenchmarkNetwork{ObjectMeta: metav1.ObjectMeta{Name: "net"}}
	other := &v1alpha1.BenchmarkNetwork{ObjectMeta: metav1.ObjectMeta{Name: "other"}}
	worker := naming.RunLabels("run")
	worker[v1alpha1.LabelNetwork] = "net"
	pods := map[string]struct {
		labels map[string]string
		apart  bool
	}{
		"member":                      {naming.MemberLabels(network, "member-0"), true},
		"database":                    {naming.DatabaseLabels("net", "net-db"), true},
		"database of a user's chart":  {map[string]string{v1alpha1.LabelNetwork: "net"}, true},
		"worker":                      {worker, false},
		"member of another network":   {naming.MemberLabels(other, "member-0"), false},
		"pod without labels of a run": {map[string]string{"app": "other"}, false},
	}
	for separation, required := range map[v1alpha1.Spread]bool{v1alpha1.SpreadRequired: true, v1alpha1.SpreadPreferred: false, "": false} {
		run := &v1alpha1.BenchmarkRun{Spec: v1alpha1.BenchmarkRunSpec{NetworkName: "net"}}
		run.Spec.Workload.Workers.Separation = separation
		term := separationTerm(t, buildAffinity(run), required)
		selector, err := metav1.LabelSelectorAsSelector(term.LabelSelector)
		if err != nil {
			t.Fatal(err)
		}
		for name, pod := range pods {
			t.Run(string(separation)+" "+name, func(t *testing.T) {
				if selector.Matches(labels.Set(pod.labels)) != pod.apart {
					t.Errorf("workers keep off its host: %t, want %t", !pod.apart, pod.apart)
				}
			})
		}
	}
	run := &v1alpha1.BenchmarkRun{}
	run.Spec.Workload.Workers.Separation = v1alpha1.SpreadNone
	if affinity := buildAffinity(run); affinity != nil {
		t.Errorf("None should add no affinity: %+v", affinity)
	}
}

// separationTerm returns the only term of the anti-affinity.
func separationTerm(t *testing.T, affinity *corev1.Affinity, required bool) corev1.PodAffinityTerm {
	t.Helper()
	strict, preferred := affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution, affinity.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution
	switch {
	case required && len(strict) == 1 && len(preferred) == 0:
		return strict[0]
	case !required && len(strict) == 0 && len(preferred) == 1:
		return preferred[0].PodAffinityTerm
	}
	t.Fatalf("want one term, required %t: %+v", required, affinity.PodAntiAffinity)
	return corev1.PodAffinityTerm{}
}
