// Package material builds the Job that makes a network's material, alike for every platform: the platform's own containers
// write files in memory, each into a folder of its own, then the agent, which alone may call the API server, publishes them
// into Secrets that exist already.
package material

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
	"github.com/benchnet/benchnet/internal/names"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/members"
	"github.com/benchnet/benchnet/internal/pods"
)

const (
	// OrdersDir is where the steps find their orders, OutDir where each leaves its own files, /tmp what else it writes.
	OrdersDir = "/etc/benchnet/genesis"
	OutDir    = "/out"
	// inDir is where a step finds the files of earlier steps, in a folder named after each.
	inDir = "/in"

	volumeOrders = "genesis"
	volumeOut    = "out"
	volumeTmp    = "tmp"
	component    = "genesis"

	// podBudgetSeconds is the time for one try, from when its pod has a node: waiting for one does not count. It is generous: on a
	// machine full of members that start, a try has taken minutes.
	podBudgetSeconds = 1800
)

// Output is a Secret and a folder whose files are published in it. A Secret may be filled from several folders.
type Output struct {
	Secret string
	// Step that makes the files.
	Step string
	// Folder below the step's OutDir, relative.
	Folder string
}

// Recipe is how a platform's material is made.
type Recipe struct {
	// Orders are files for the steps, at OrdersDir.
	Orders map[string]string
	// Steps are the containers that make the files, one after the other.
	Steps []Step
	// Volumes that the steps mount besides.
	Volumes []corev1.Volume
	// Outputs in order.
	Outputs []Output
	// BadInput is a step and the exit code with which it refuses what no second try will mend; nil: every failure is tried again.
	BadInput *BadInput
}

// BadInput is the exit code of a step for input that it refuses.
type BadInput struct {
	Step string
	Code int32
}

// Step is a container of the Job.
type Step struct {
	corev1.Container
	// Plain leaves out the mounts of orders, output and /tmp.
	Plain bool
	// Reads are the earlier steps whose files it reads, at InDir.
	Reads []string
}

// InDir is where a step finds the files of a step that it Reads.
func InDir(step string) string { return path.Join(inDir, step) }

// Make builds the objects: role for exactly the outputs, its account, orders and Job. The role comes first: with it all rights end
// at once, whatever of the others is there a while longer.
func Make(in platform.Input, r Recipe) platform.Material {
	var secrets []string
	for _, o := range r.Outputs {
		if !slices.Contains(secrets, o.Secret) {
			secrets = append(secrets, o.Secret)
		}
	}
	name := names.Genesis(in.Network.Name)
	owned := members.Meta(in.Network, name, component)
	return platform.Material{Secrets: secrets, Maker: []client.Object{
		&rbacv1.Role{ObjectMeta: owned, Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{""}, Resources: []string{"secrets"}, ResourceNames: secrets, Verbs: []string{"get", "patch"}}}},
		&corev1.ServiceAccount{ObjectMeta: owned, AutomountServiceAccountToken: new(false)},
		&rbacv1.RoleBinding{ObjectMeta: owned,
			RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
			Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: name, Namespace: in.Network.Namespace}}},
		&corev1.ConfigMap{ObjectMeta: owned, Data: r.Orders},
		job(in, owned, r),
	}}
}

// job gives up on bad input, and tries again what a restart may mend.
func job(in platform.Input, owned metav1.ObjectMeta, r Recipe) *batchv1.Job {
	j := &batchv1.Job{ObjectMeta: owned, Spec: batchv1.JobSpec{
		BackoffLimit:     new(int32(3)),
		PodFailurePolicy: pods.IgnoreDisruptions(),
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: members.Labels(in.Network, component)},
			Spec:       pod(in, owned.Name, r),
		},
	}}
	if r.BadInput != nil {
		j.Spec.PodFailurePolicy.Rules = append(j.Spec.PodFailurePolicy.Rules, batchv1.PodFailurePolicyRule{
			Action: batchv1.PodFailurePolicyActionFailJob,
			OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{
				ContainerName: new(r.BadInput.Step), Operator: batchv1.PodFailurePolicyOnExitCodesOpIn, Values: []int32{r.BadInput.Code}},
		})
	}
	return j
}

// pod makes the files in memory; only the container that publishes them may call the API server.
func pod(in platform.Input, account string, r Recipe) corev1.PodSpec {
	placement := in.Network.Spec.Members.Placement
	inMemory := corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory, SizeLimit: new(resource.MustParse("64Mi"))}}
	spec := corev1.PodSpec{
		RestartPolicy:                corev1.RestartPolicyNever,
		ActiveDeadlineSeconds:        new(int64(podBudgetSeconds)),
		ServiceAccountName:           account,
		AutomountServiceAccountToken: new(false),
		EnableServiceLinks:           new(false),
		SecurityContext:              pods.Security(),
		NodeSelector:                 placement.NodeSelector,
		Tolerations:                  placement.Tolerations,
		Containers:                   []corev1.Container{publisher(in, r)},
		Volumes: append([]corev1.Volume{
			pods.Scratch(volumeTmp), {Name: volumeOut, VolumeSource: inMemory},
			pods.ConfigVolume(volumeOrders, account), pods.Token(),
		}, r.Volumes...),
	}
	for _, s := range r.Steps {
		spec.InitContainers = append(spec.InitContainers, s.container())
	}
	return spec
}

func (s Step) container() corev1.Container {
	c := s.Container
	c.SecurityContext = pods.Restricted()
	if s.Plain {
		return c
	}
	c.TerminationMessagePolicy = corev1.TerminationMessageFallbackToLogsOnError
	mounts := []corev1.VolumeMount{pods.ReadOnly(volumeOrders, OrdersDir),
		inFolder(pods.Mount(volumeOut, OutDir), c.Name), inFolder(pods.Mount(volumeTmp, "/tmp"), c.Name)}
	for _, earlier := range s.Reads {
		mounts = append(mounts, inFolder(pods.ReadOnly(volumeOut, InDir(earlier)), earlier))
	}
	c.VolumeMounts = append(mounts, c.VolumeMounts...)
	return c
}

// inFolder mounts one folder of a volume. Steps may run images of the user's own, so none can write what another one made.
func inFolder(mount corev1.VolumeMount, folder string) corev1.VolumeMount {
	mount.SubPath = folder
	return mount
}

// publisher marks the Secrets with the hash of the orders when all are filled.
func publisher(in platform.Input, r Recipe) corev1.Container {
	hash := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(r.Orders)) {
		hash.Write([]byte(r.Orders[name]))
	}
	command := []string{"/agent", "publish", "--namespace", in.Network.Namespace, "--root", OutDir,
		"--complete-annotation", v1alpha1.AnnotationMaterialComplete + "=" + hex.EncodeToString(hash.Sum(nil)[:8])}
	for _, o := range r.Outputs {
		command = append(command, "--secret", o.Secret+"="+path.Join(o.Step, o.Folder))
	}
	return corev1.Container{
		Name:                     "publish",
		Image:                    in.Images.Image("agent", ""),
		Command:                  command,
		Resources:                pods.Small(),
		SecurityContext:          pods.Restricted(),
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
		VolumeMounts:             []corev1.VolumeMount{pods.ReadOnly(volumeOut, OutDir), pods.ReadOnly(pods.TokenVolume, pods.TokenDir)},
	}
}

// ThrowAway are the resources of a step that lives for seconds: up to two cores, hardly any reserved, of memory at most the
// given amount and at least a quarter of a gibibyte.
func ThrowAway(memory string) corev1.ResourceRequirements {
	return corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m"), corev1.ResourceMemory: resource.MustParse("256Mi")},
		Limits:   corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2"), corev1.ResourceMemory: resource.MustParse(memory)},
	}
}
