// Package delivery builds the Jobs that send the outcome of an ended run or experiment to a server: the upload of a result, and
// the webhook. The operator itself never connects to these servers.
package delivery

import (
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// retries is the number of attempts after the first. Kubernetes doubles the pause between them from 10 s.
const retries = 5

// Timeout ends a delivery that cannot start, such as without its Secret, counted from the first attempt, and the Job of one that has
// started.
const Timeout = 30 * time.Minute

// filesDir is where the pod finds the files of the delivery's ConfigMap.
const filesDir = "/etc/benchnet/files"

// delivery is what the Jobs of an upload and a webhook have in common.
type delivery struct {
	// meta holds the name, the namespace and the labels of all objects; the pod has the labels too.
	meta metav1.ObjectMeta
	// server is the only one that the pod may reach, besides DNS.
	server server
	// files are mounted at filesDir.
	files map[string]string
	// container needs only a name, a command without references to variables, environment variables and further mounts.
	container corev1.Container
	// volumes are those of the further mounts.
	volumes []corev1.Volume
}

// buildObjects returns the ConfigMap with the files, the NetworkPolicy and the Job, in the order in which they are needed.
func (d *delivery) buildObjects(agentImage string) []client.Object {
	files := &corev1.ConfigMap{ObjectMeta: d.meta, Data: d.files}
	return []client.Object{files, d.buildNetworkPolicy(), d.buildJob(agentImage)}
}

// buildJob returns the Job. Its pod has no token of the API server.
func (d *delivery) buildJob(agentImage string) *batchv1.Job {
	container := d.container
	container.Command = pods.EscapeExpansions(container.Command...)
	container.Image = agentImage
	container.Resources = pods.SmallResources()
	container.SecurityContext = pods.RestrictedSecurityContext()
	container.TerminationMessagePolicy = corev1.TerminationMessageFallbackToLogsOnError
	container.VolumeMounts = append(container.VolumeMounts, pods.ReadOnlyMount("files", filesDir))
	return &batchv1.Job{ObjectMeta: d.meta, Spec: batchv1.JobSpec{
		BackoffLimit:          new(int32(retries)),
		ActiveDeadlineSeconds: new(int64(Timeout.Seconds())),
		PodFailurePolicy:      pods.IgnoreDisruptionsPolicy(),
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: d.meta.Labels}, Spec: corev1.PodSpec{
			RestartPolicy:                corev1.RestartPolicyNever,
			AutomountServiceAccountToken: new(false),
			EnableServiceLinks:           new(false),
			SecurityContext:              pods.PodSecurityContext(),
			Containers:                   []corev1.Container{container},
			Volumes:                      append(d.volumes, pods.ConfigMapVolume("files", d.meta.Name)),
		}},
	}}
}

// authoritiesFromSecret returns the environment variable with the certificate authorities of the server, if the Secret has any.
func authoritiesFromSecret(secret string) corev1.EnvVar {
	variable := pods.EnvFromSecret(protocol.AuthoritiesVariable, secret, "ca.crt")
	variable.ValueFrom.SecretKeyRef.Optional = new(true)
	return variable
}
