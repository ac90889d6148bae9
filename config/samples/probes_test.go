package samples_test

import (
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// TestProbesNeedAnAnswer checks that no container of the sample networks is ready as soon as its port is open. Corda's RPC needs a
// password.
func TestProbesNeedAnAnswer(t *testing.T) {
	probed := 0
	for _, sample := range readSampleNetworks(t) {
		for _, object := range buildNetworkObjects(t, sample, "net") {
			set, ok := decodeStatefulSet(t, object).(*appsv1.StatefulSet)
			if !ok {
				continue
			}
			for _, c := range slices.Concat(set.Spec.Template.Spec.InitContainers, set.Spec.Template.Spec.Containers) {
				for _, probe := range []*corev1.Probe{c.StartupProbe, c.ReadinessProbe} {
					if probe == nil {
						continue
					}
					probed++
					if probe.TCPSocket != nil && c.Name != "corda" {
						t.Errorf("container %s of %s is ready when port %s is open", c.Name, set.Name, probe.TCPSocket.Port.String())
					}
				}
			}
		}
	}
	if probed == 0 {
		t.Error("no container has a probe")
	}
}
