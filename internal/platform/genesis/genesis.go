// Package genesis builds the Job that generates a network's genesis, in the same way for every platform. The
// platform's containers write files in memory, each into a folder of its own. Then the agent, the only
// container with access to the API server, publishes them into existing Secrets.
package genesis

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"path"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/members"
)

const (
	// ConfigDir holds the configuration of the steps, and each step writes its output to OutputDir. Other
	// files go to /tmp.
	ConfigDir = "/etc/benchnet/genesis"
	OutputDir = "/out"
	// stepOutputsDir holds the output of earlier steps, in a folder named after each.
	stepOutputsDir = "/in"

	volumeConfig = "genesis"
	volumeOutput = "out"
	volumeTmp    = "tmp"

	// podDeadlineSeconds limits one attempt. It counts from when the pod is scheduled, so waiting for a node
	// does not count. It is generous: on a host on which many members start, an attempt took minutes.
	podDeadlineSeconds = 1800
)

// Output publishes the files of a folder in a Secret. Several outputs may fill the same Secret.
type Output struct {
	Secret string
	// Step is the name of the step that writes the files.
	Step string
	// Folder is relative to the step's OutputDir.
	Folder string
}

// Definition describes how a platform generates its genesis.
type Definition struct {
	// ConfigFiles are input files for the steps, mounted at ConfigDir.
	ConfigFiles map[string]string
	// Steps are the containers that generate the files, in order.
	Steps []Step
	// Volumes are further volumes that the steps mount.
	Volumes []corev1.Volume
	// Outputs are published in order.
	Outputs []Output
	// InvalidInput identifies failures that a retry cannot fix. If nil, every failure is retried.
	InvalidInput *InvalidInput
}

// InvalidInput is the exit code with which a step rejects its input.
type InvalidInput struct {
	Step     string
	ExitCode int32
}

// Step is a container of the Job.
type Step struct {
	corev1.Container
	// WithoutMounts omits the mounts of configuration, output and /tmp.
	WithoutMounts bool
	// ReadsFrom names the earlier steps whose files it reads, at StepOutputDir.
	ReadsFrom []string
}

// StepOutputDir returns the path at which a step finds the output of a step in its ReadsFrom.
func StepOutputDir(step string) string { return path.Join(stepOutputsDir, step) }

// Build returns the objects of the Job: a Role for exactly the outputs, its ServiceAccount and RoleBinding,
// the ConfigMap, and the Job. The Role comes first because deleting it revokes all permissions at once, even
// if the other objects still exist.
func Build(in platform.Input, r Definition) platform.Genesis {
	var secrets []string
	for _, o := range r.Outputs {
		if !slices.Contains(secrets, o.Secret) {
			secrets = append(secrets, o.Secret)
		}
	}
	name := naming.GenesisJob(in.Network.Name)
	owned := members.ObjectMeta(in.Network, name, naming.ComponentGenesis)
	return platform.Genesis{Secrets: secrets, JobObjects: []client.Object{
		&rbacv1.Role{ObjectMeta: owned, Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{""}, Resources: []string{"secrets"}, ResourceNames: secrets, Verbs: []string{"get", "patch"}}}},
		&corev1.ServiceAccount{ObjectMeta: owned, AutomountServiceAccountToken: new(false)},
		&rbacv1.RoleBinding{ObjectMeta: owned,
			RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
			Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: name, Namespace: in.Network.Namespace}}},
		&corev1.ConfigMap{ObjectMeta: owned, Data: r.ConfigFiles},
		buildJob(in, owned, r),
	}}
}

// buildJob returns a Job that fails at once on invalid input and retries other failures.
func buildJob(in platform.Input, owned metav1.ObjectMeta, r Definition) *batchv1.Job {
	j := &batchv1.Job{ObjectMeta: owned, Spec: batchv1.JobSpec{
		BackoffLimit:     new(int32(3)),
		PodFailurePolicy: pods.IgnoreDisruptionsPolicy(),
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: naming.PlatformLabels(in.Network, naming.ComponentGenesis)},
			Spec:       buildPodSpec(in, owned.Name, r),
		},
	}}
	if r.InvalidInput != nil {
		j.Spec.PodFailurePolicy.Rules = append(j.Spec.PodFailurePolicy.Rules, batchv1.PodFailurePolicyRule{
			Action: batchv1.PodFailurePolicyActionFailJob,
			OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{
				ContainerName: new(r.InvalidInput.Step), Operator: batchv1.PodFailurePolicyOnExitCodesOpIn, Values: []int32{r.InvalidInput.ExitCode}},
		})
	}
	return j
}

// buildPodSpec returns a pod that keeps the files in memory. Only the container that publishes them has access
// to the API server.
func buildPodSpec(in platform.Input, account string, r Definition) corev1.PodSpec {
	inMemory := corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory, SizeLimit: new(resource.MustParse("64Mi"))}}
	spec := corev1.PodSpec{
		RestartPolicy:                corev1.RestartPolicyNever,
		ActiveDeadlineSeconds:        new(int64(podDeadlineSeconds)),
		ServiceAccountName:           account,
		AutomountServiceAccountToken: new(false),
		EnableServiceLinks:           new(false),
		SecurityContext:              pods.PodSecurityContext(),
		Containers:                   []corev1.Container{publishContainer(in, r)},
		Volumes: append([]corev1.Volume{
			pods.EmptyDirVolume(volumeTmp), {Name: volumeOutput, VolumeSource: inMemory},
			pods.ConfigMapVolume(volumeConfig, account), pods.ServiceAccountTokenVolume(),
		}, r.Volumes...),
	}
	for _, s := range r.Steps {
		spec.InitContainers = append(spec.InitContainers, s.buildContainer())
	}
	return spec
}

func (s Step) buildContainer() corev1.Container {
	c := s.Container
	c.SecurityContext = pods.RestrictedSecurityContext()
	if s.WithoutMounts {
		return c
	}
	c.TerminationMessagePolicy = corev1.TerminationMessageFallbackToLogsOnError
	mounts := []corev1.VolumeMount{pods.ReadOnlyMount(volumeConfig, ConfigDir),
		withSubPath(pods.WritableMount(volumeOutput, OutputDir), c.Name), withSubPath(pods.WritableMount(volumeTmp, "/tmp"), c.Name)}
	for _, earlier := range s.ReadsFrom {
		mounts = append(mounts, withSubPath(pods.ReadOnlyMount(volumeOutput, StepOutputDir(earlier)), earlier))
	}
	c.VolumeMounts = append(mounts, c.VolumeMounts...)
	return c
}

// withSubPath mounts one folder of a volume. Steps may run the user's images, so no step can write the output
// of another.
func withSubPath(mount corev1.VolumeMount, folder string) corev1.VolumeMount {
	mount.SubPath = folder
	return mount
}

// publishContainer returns the container that fills the Secrets. When all are filled, it annotates them with a
// hash of the configuration.
func publishContainer(in platform.Input, r Definition) corev1.Container {
	hash := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(r.ConfigFiles)) {
		hash.Write([]byte(r.ConfigFiles[name]))
	}
	command := []string{"/agent", "publish", "--namespace", in.Network.Namespace, "--root", OutputDir,
		"--complete-annotation", v1alpha1.AnnotationGenesisComplete + "=" + hex.EncodeToString(hash.Sum(nil)[:8])}
	for _, o := range r.Outputs {
		command = append(command, "--secret", o.Secret+"="+path.Join(o.Step, o.Folder))
	}
	return corev1.Container{
		Name:                     "publish",
		Image:                    in.Images.Image("agent", ""),
		Command:                  command,
		Resources:                pods.SmallResources(),
		SecurityContext:          pods.RestrictedSecurityContext(),
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
		VolumeMounts:             []corev1.VolumeMount{pods.ReadOnlyMount(volumeOutput, OutputDir), pods.ReadOnlyMount(pods.TokenVolumeName, pods.TokenDir)},
	}
}

// StepResources returns the resources of a step that runs for seconds: at most two cores with a request of
// 100m, and at most the given memory with a request of 256Mi.
func StepResources(memory string) corev1.ResourceRequirements {
	return pods.Resources("100m", "256Mi", "2", memory)
}
