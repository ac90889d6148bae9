package status

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/network/database"
)

// newSetupPod returns the pod of a Job on an instance whose step prepare ended at that time with a message.
func newSetupPod(instance string, component naming.Component, at time.Time, exitCode int32, message string) corev1.Pod {
	pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: naming.DatabaseJobLabels("net", instance, component)}}
	pod.Status.InitContainerStatuses = []corev1.ContainerStatus{{Name: database.PrepareContainer, State: corev1.ContainerState{
		Terminated: &corev1.ContainerStateTerminated{ExitCode: exitCode, Message: message, FinishedAt: metav1.NewTime(at)}}}}
	return pod
}

// TestServerVersions checks that the status has the version that a server reported last, and keeps it.
func TestServerVersions(t *testing.T) {
	old := []v1alpha1.DatabaseStatus{{Name: "db-0", Version: "15.8"}, {Name: "db-1", Version: "15.8"}, {Name: "db-2"}}
	later := testTime.Add(time.Minute)
	got := serverVersions(old, []corev1.Pod{
		newSetupPod("db-1", naming.ComponentDatabaseReset, later, 0, "15.10"),
		newSetupPod("db-1", naming.ComponentDatabaseSetup, testTime, 0, "15.9"),
		newSetupPod("db-2", naming.ComponentDatabaseSetup, testTime, 0, "17.2"),
		newSetupPod("db-2", naming.ComponentDatabaseSetup, later, 1, "PostgreSQL at db-2:5432 is 17.2"),
		newSetupPod("db-2", naming.ComponentDatabaseTeardown, later, 0, "gone"),
	})
	for instance, want := range map[string]string{"db-0": "15.8", "db-1": "15.10", "db-2": "17.2"} {
		if got[instance] != want {
			t.Errorf("%s is of version %q, want %q", instance, got[instance], want)
		}
	}
}
