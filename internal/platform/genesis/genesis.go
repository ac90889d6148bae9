// Package genesis builds the Job that makes a network's material, alike for every platform: the platform's own containers
// write files in memory, each into a folder of its own, then the agent, which alone may call the API server, publishes them
// into Secrets that exist already.
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
	// ConfigDir is where the steps find their orders, OutputDir where each leaves its own files, /tmp what else it writes.
	ConfigDir = "/etc/benchnet/genesis"
	OutputDir = "/out"
	// stepOutputsDir is where a step finds the files of earlier steps, in a folder named after each.
	stepOutputsDir = "/in"

	volumeConfig     = "genesis"
	volumeOutput     = "out"
	volumeTmp        = "tmp"
	genesisComponent = "genesis"

	// podDeadlineSeconds is the time for one try, from when its pod has a node: waiting for one does not count. It is generous: on a
	// machine full of members that start, a try has taken minutes.
	podDeadlineSeconds = 1800
)

// Output is a Secret and a folder whose files are published in it. A Secret may be filled from several folders.
type Output struct {
	Secret string
	// Step that makes the files.
	Step string
	// Folder below the step's OutputDir, relative.
	Folder string
}

// Definition is how a platform's material is made.
type Definition struct {
	// ConfigFiles are files for the steps, at ConfigDir.
	ConfigFiles map[string]string
	// Steps are the containers that make the files, one after the other.
	Steps []Step
	// Volumes that the steps mount besides.
	Volumes []corev1.Volume
	// Outputs in order.
	Outputs []Output
	// InvalidInput is a step and the exit code with which it refuses what no second try will mend; nil: every failure is tried again.
	InvalidInput *InvalidInput
}

// InvalidInput is the exit code of a step for input that it refuses.
type InvalidInput struct {
	Step     string
	ExitCode int32
}

// Step is a container of the Job.
type Step struct {
	corev1.Container
	// WithoutMounts leaves out the mounts of orders, output and /tmp.
	WithoutMounts bool
	// ReadsFrom are the earlier steps whose files it reads, at StepOutputDir.
	ReadsFrom []string
}

// StepOutputDir is where a step finds the files of a step that it Reads.
func StepOutputDir(step string) string { return path.Join(stepOutputsDir, step) }

// Build builds the objects: role for exactly the outputs, its account, orders and Job. The role comes first: with it all rights end
// at once, whatever of the others is there a while longer.
func Build(in platform.Input, r Definition) platform.Genesis {
	var secrets []string
	for _, o := range r.Outputs {
		if !slices.Contains(secrets, o.Secret) {
			secrets = append(secrets, o.Secret)
		}
	}
	name := naming.GenesisJob(in.Network.Name)
	owned := members.ObjectMeta(in.Network, name, genesisComponent)
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

// buildJob gives up on bad input, and tries again what a restart may mend.
func buildJob(in platform.Input, owned metav1.ObjectMeta, r Definition) *batchv1.Job {
	j := &batchv1.Job{ObjectMeta: owned, Spec: batchv1.JobSpec{
		BackoffLimit:     new(int32(3)),
		PodFailurePolicy: pods.IgnoreDisruptionsPolicy(),
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: members.PlatformLabels(in.Network, genesisComponent)},
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

// buildPodSpec makes the files in memory; only the container that publishes them may call the API server.
func buildPodSpec(in platform.Input, account string, r Definition) corev1.PodSpec {
	placement := in.Network.Spec.Members.Placement
	inMemory := corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory, SizeLimit: new(resource.MustParse("64Mi"))}}
	spec := corev1.PodSpec{
		RestartPolicy:                corev1.RestartPolicyNever,
		ActiveDeadlineSeconds:        new(int64(podDeadlineSeconds)),
		ServiceAccountName:           account,
		AutomountServiceAccountToken: new(false),
		EnableServiceLinks:           new(false),
		SecurityContext:              pods.PodSecurityContext(),
		NodeSelector:                 placement.NodeSelector,
		Tolerations:                  placement.Tolerations,
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

// withSubPath mounts one folder of a volume. Steps may run images of the user's own, so none can write what another one made.
func withSubPath(mount corev1.VolumeMount, folder string) corev1.VolumeMount {
	mount.SubPath = folder
	return mount
}

// publishContainer marks the Secrets with the hash of the orders when all are filled.
func publishContainer(in platform.Input, r Definition) corev1.Container {
	hash := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(r.ConfigFiles)) {
		hash.Write([]byte(r.ConfigFiles[name]))
	}
	command := []string{"/agent", "publish", "--namespace", in.Network.Namespace, "--root", OutputDir,
		"--complete-annotation", v1alpha1.AnnotationMaterialComplete + "=" + hex.EncodeToString(hash.Sum(nil)[:8])}
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

// StepResources are the resources of a step that lives for seconds: up to two cores, hardly any reserved, of memory at most the
// given amount and at least a quarter of a gibibyte.
func StepResources(memory string) corev1.ResourceRequirements {
	return corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m"), corev1.ResourceMemory: resource.MustParse("256Mi")},
		Limits:   corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2"), corev1.ResourceMemory: resource.MustParse(memory)},
	}
}
