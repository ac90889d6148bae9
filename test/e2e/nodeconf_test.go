//go:build e2e

package e2e_test

import (
	_ "embed"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/test/e2e/cluster"
)

//go:embed testdata/validate-configuration.sh
var validateScript string

// spoiledConfigMap is the name of the ConfigMap with a node.conf that Corda must refuse.
const spoiledConfigMap = "spoiled"

// startNodeConfJudge runs validate-configuration, from the node's own image, on the node.conf of every member.
// It adds one with a key unknown to open-source Corda, to detect a validator that accepts everything. It does
// not wait, because this takes a while; assertNodeConfs checks the outcome.
func startNodeConfJudge(ns *cluster.Namespace, network *v1alpha1.BenchmarkNetwork) (judge *corev1.Pod) {
	ns.Helper()
	bad := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: spoiledConfigMap, Namespace: ns.Name}}
	sources := map[string]string{spoiledConfigMap: spoiledConfigMap}
	for _, m := range network.Status.Members {
		var conf corev1.ConfigMap
		ns.Get(naming.Member(network.Name, m.Name), &conf)
		sources[m.Name] = conf.Name
		bad.Data = map[string]string{"node.conf": conf.Data["node.conf"] + "\nuseOpenSsl = true\n"}
	}
	if err := ns.Client.Create(ns.Context(), bad); err != nil {
		ns.Fatal(err)
	}
	judge = newJudgePod(ns, getMemberPod(ns, network.Name, network.Status.Members[0].Name), sources)
	if err := ns.Client.Create(ns.Context(), judge); err != nil {
		ns.Fatal(err)
	}
	return judge
}

// assertNodeConfs fails unless the node.conf of every member is accepted, and the spoiled one refused.
func assertNodeConfs(ns *cluster.Namespace, network *v1alpha1.BenchmarkNetwork, judge *corev1.Pod) {
	ns.Helper()
	code, said := ns.WaitTerminated(judge.Name)
	ns.Log(said)
	if code != 0 {
		ns.Errorf("the script failed with %d", code)
	}
	for _, m := range network.Status.Members {
		if !strings.Contains(said, m.Name+" ok") {
			ns.Errorf("Corda does not accept the node.conf of %s", m.Name)
		}
	}
	if !strings.Contains(said, spoiledConfigMap+" refused") || !strings.Contains(said, "useOpenSsl") {
		ns.Error("Corda should refuse the spoiled node.conf and name useOpenSsl")
	}
	bad := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: spoiledConfigMap, Namespace: ns.Name}}
	for _, object := range []client.Object{judge, bad} {
		if err := ns.Client.Delete(ns.Context(), object); err != nil {
			ns.Error(err)
		}
	}
}

// newJudgePod returns a pod that runs the script in the member's image on the folders of the node.conf files.
func newJudgePod(ns *cluster.Namespace, member *corev1.Pod, sources map[string]string) *corev1.Pod {
	node := member.Spec.Containers[0]
	container := corev1.Container{
		Name: "judge", Image: node.Image, Command: []string{"bash", "-c", validateScript, "validate-configuration"},
		SecurityContext: node.SecurityContext,
		Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{
			corev1.ResourceMemory: resource.MustParse("768Mi")}, Requests: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("256Mi")}},
		VolumeMounts: []corev1.VolumeMount{{Name: "tmp", MountPath: "/tmp"}},
	}
	for _, password := range []string{"KEYSTORE", "TRUSTSTORE", "RPC", "DATABASE"} {
		container.Env = append(container.Env, corev1.EnvVar{Name: "BENCHNET_" + password + "_PASSWORD", Value: "not looked at"})
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "validate-configuration", Namespace: ns.Name}, Spec: corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyNever, SecurityContext: member.Spec.SecurityContext, AutomountServiceAccountToken: new(false),
		Volumes: []corev1.Volume{{Name: "tmp", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}},
	}}
	for name, source := range sources {
		folder := "/conf/" + name
		container.Args = append(container.Args, folder)
		container.VolumeMounts = append(container.VolumeMounts, corev1.VolumeMount{Name: name, MountPath: folder})
		pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{
			ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: source}}}})
	}
	pod.Spec.Containers = []corev1.Container{container}
	return pod
}
