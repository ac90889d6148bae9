package members

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform"
)

// annotationConfigHash restarts a member when its configuration changes, for example after an upgrade of the
// operator.
const annotationConfigHash = "benchnet.dev/config-hash"

// ConfigMap holds the files of a member's configuration. It has the same name as the member's StatefulSet;
// ConfigVolume relies on that.
func ConfigMap(network *v1alpha1.BenchmarkNetwork, m platform.Member, files map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: memberMeta(network, m), Data: files}
}

// StatefulSet runs one member in one pod. Members differ in identity and configuration, which the replicas of
// one StatefulSet could not. The files are those of the member's ConfigMap. The volumes are claims that
// survive replacement of the pod and are deleted with the network.
func StatefulSet(
	network *v1alpha1.BenchmarkNetwork, m platform.Member, pod corev1.PodSpec, files map[string]string, volumes ...corev1.PersistentVolumeClaim,
) *appsv1.StatefulSet {
	pods.MountCommandsKey(&pod, naming.CommandsSecret(network.Name), pods.CommandsDigestKey, func(c *corev1.Container) bool {
		return slices.Contains(c.Command, commandsDigestFlag)
	})
	return &appsv1.StatefulSet{ObjectMeta: memberMeta(network, m), Spec: appsv1.StatefulSetSpec{
		Replicas:             new(int32(1)),
		ServiceName:          naming.MembersService(network.Name),
		RevisionHistoryLimit: new(int32(1)),
		Selector:             &metav1.LabelSelector{MatchLabels: naming.MemberSelector(network.Name, m.Name)},
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{
				Labels:      naming.MemberLabels(network, m.Name),
				Annotations: map[string]string{annotationConfigHash: hashFiles(files)},
			},
			Spec: pod,
		},
		VolumeClaimTemplates: volumes,
		PersistentVolumeClaimRetentionPolicy: &appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{
			WhenDeleted: appsv1.DeletePersistentVolumeClaimRetentionPolicyType,
			WhenScaled:  appsv1.RetainPersistentVolumeClaimRetentionPolicyType,
		},
	}}
}

// hashFiles returns a hash of the files' contents in the order of their names.
func hashFiles(files map[string]string) string {
	hash := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		hash.Write([]byte(files[name]))
	}
	return hex.EncodeToString(hash.Sum(nil)[:8])
}

// BuildPodSpec returns the part that all members' pods share: no access to the API server, the restricted
// security context, spread, and the agent installed in pods.AgentVolumeName by the first init container. The
// platform adds containers and volumes, and the plan adds the scheduling of the spec.
func BuildPodSpec(in platform.Input, with *corev1.PodAffinity) corev1.PodSpec {
	return corev1.PodSpec{
		AutomountServiceAccountToken: new(false),
		EnableServiceLinks:           new(false),
		SecurityContext:              pods.PodSecurityContext(),
		Affinity:                     buildAffinity(in.Network, with),
		InitContainers:               []corev1.Container{pods.AgentInstallContainer(in.Images.Image("agent", ""))},
		Volumes:                      []corev1.Volume{pods.EmptyDirVolume(pods.AgentVolumeName)},
	}
}

// buildAffinity adds the spread of the spec, away from the other members, to the given affinity. It returns
// nil if there are no constraints.
func buildAffinity(network *v1alpha1.BenchmarkNetwork, with *corev1.PodAffinity) *corev1.Affinity {
	peers := &metav1.LabelSelector{MatchLabels: naming.MembersSelector(network.Name)}
	a := corev1.Affinity{PodAffinity: with.DeepCopy(), PodAntiAffinity: pods.BuildSpread(network.Spec.Members.Spread, peers)}
	if a.PodAffinity == nil && a.PodAntiAffinity == nil {
		return nil
	}
	return &a
}

// VolumeSize returns the size of a member's volume from the spec, or the expected size.
func VolumeSize(spec *v1alpha1.MembersSpec, expected resource.Quantity) resource.Quantity {
	return ptr.Deref(spec.Storage.Size, expected)
}

// StorageVolumes returns the storage that survives a restart of the member's container: a claim that survives
// replacement of the pod or, with Ephemeral, an emptyDir. The other result is nil.
func StorageVolumes(
	network *v1alpha1.BenchmarkNetwork,
	m platform.Member,
	volume string,
	size resource.Quantity,
) ([]corev1.PersistentVolumeClaim, []corev1.Volume) {
	storage := m.Spec.Members.Storage
	if m.Spec.StorageTypeOrDefault(&storage) == v1alpha1.StorageEphemeral {
		return nil, []corev1.Volume{{Name: volume, VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: &size}}}}
	}
	return []corev1.PersistentVolumeClaim{{
		ObjectMeta: metav1.ObjectMeta{Name: volume, Labels: naming.MemberLabels(network, m.Name)},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			StorageClassName: storage.ClassName,
			Resources:        corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: size}},
		},
	}}, nil
}

// ConfigVolume returns a volume with the member's ConfigMap.
func ConfigVolume(network *v1alpha1.BenchmarkNetwork, m platform.Member, volume string) corev1.Volume {
	return pods.ConfigMapVolume(volume, naming.Member(network.Name, m.Name))
}
