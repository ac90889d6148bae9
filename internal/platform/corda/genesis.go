package corda

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
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
	"github.com/benchnet/benchnet/internal/pods"
)

// genesisBadInput is the exit code of the genesis program for what no second try will mend.
const genesisBadInput = 2

// genesisSpec is the file genesis.json, the orders of the genesis program (genesis/corda).
type genesisSpec struct {
	PlatformVersion        int             `json:"platformVersion"`
	MinimumPlatformVersion int             `json:"minimumPlatformVersion"`
	Members                []genesisMember `json:"members"`
	Notaries               []genesisNotary `json:"notaries"`
	// CorDapps is the folder whose unsigned jars are whitelisted.
	CorDapps string `json:"cordapps,omitempty"`
}

type genesisMember struct {
	Name       string `json:"name"`
	LegalName  string `json:"legalName"`
	P2PAddress string `json:"p2pAddress"`
}

type genesisNotary struct {
	Member     string `json:"member"`
	Validating bool   `json:"validating"`
}

func genesisOf(spec *v1alpha1.BenchmarkNetworkSpec, t platform.Topology) genesisSpec {
	version := platformVersions[spec.Platform.Corda.Version]
	g := genesisSpec{PlatformVersion: version, MinimumPlatformVersion: version, Notaries: []genesisNotary{}}
	for _, m := range t.Members {
		g.Members = append(g.Members, genesisMember{Name: m.Name, LegalName: m.Identity, P2PAddress: m.Address})
		if m.Role == roleNotary {
			g.Notaries = append(g.Notaries, genesisNotary{Member: m.Name, Validating: spec.Platform.Corda.Notary.Validating})
		}
	}
	if bringsCorDapps(spec) {
		g.CorDapps = cordappsDir
	}
	return g
}

// makesSchema tells whether the template of the members' H2 databases is made once for the network: where the node's image
// may have none for its CorDapps. Without it every member would migrate its own.
func makesSchema(spec *v1alpha1.BenchmarkNetworkSpec) bool {
	return usesH2(spec) && (bringsCorDapps(spec) || spec.Platform.Corda.Image != "")
}

// output is a Secret and the folder of the genesis pod from whose files it is filled.
type output struct{ secret, folder string }

func outputs(spec *v1alpha1.BenchmarkNetworkSpec, t platform.Topology) []output {
	all := []output{{names.NetworkMap(t.Network), genesisOut + "/network-map"}}
	for _, m := range t.Members {
		all = append(all, output{names.Identity(t.Network, m.Name), genesisOut + "/members/" + m.Name})
	}
	if makesSchema(spec) {
		all = append(all, output{names.Schema(t.Network), genesisOut + "/schema"})
	}
	return all
}

// Material is made in one JVM for all members: an identity Secret for each, and one with the network map for all.
func (Corda) Material(in platform.Input, topology platform.Topology) (platform.Material, error) {
	orders, err := json.MarshalIndent(genesisOf(&in.Network.Spec, topology), "", "  ")
	if err != nil {
		return platform.Material{}, fmt.Errorf("encode %s of network %s: %w", fileGenesis, in.Network.Name, err)
	}
	var secrets []string
	outs := outputs(&in.Network.Spec, topology)
	for _, o := range outs {
		secrets = append(secrets, o.secret)
	}
	name := names.Genesis(in.Network.Name)
	owned := meta(in.Network, name, componentGenesis)
	return platform.Material{Secrets: secrets, Maker: []client.Object{
		&corev1.ServiceAccount{ObjectMeta: owned, AutomountServiceAccountToken: new(false)},
		&rbacv1.Role{ObjectMeta: owned, Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{""}, Resources: []string{"secrets"}, ResourceNames: secrets, Verbs: []string{"get", "patch"}}}},
		&rbacv1.RoleBinding{ObjectMeta: owned,
			RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
			Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: name, Namespace: in.Network.Namespace}}},
		&corev1.ConfigMap{ObjectMeta: owned, Data: map[string]string{fileGenesis: string(orders)}},
		genesisJob(in, owned, outs, orders),
	}}, nil
}

// genesisJob gives up on bad input, and tries again what a restart may mend.
func genesisJob(in platform.Input, owned metav1.ObjectMeta, outs []output, orders []byte) *batchv1.Job {
	return &batchv1.Job{ObjectMeta: owned, Spec: batchv1.JobSpec{
		BackoffLimit:          new(int32(3)),
		ActiveDeadlineSeconds: new(int64(startBudgetSeconds)),
		PodFailurePolicy: &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
			Action: batchv1.PodFailurePolicyActionFailJob,
			OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{
				ContainerName: new("genesis"), Operator: batchv1.PodFailurePolicyOnExitCodesOpIn, Values: []int32{genesisBadInput}},
		}}},
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels(in.Network.Name, componentGenesis)},
			Spec:       genesisPod(in, owned.Name, outs, orders),
		},
	}}
}

// genesisPod makes the files in memory; only the container that publishes them may call the API server.
func genesisPod(in platform.Input, account string, outs []output, orders []byte) corev1.PodSpec {
	spec := &in.Network.Spec
	supplied := cordapps(spec).withAgent(in)
	init := slices.Concat(supplied.init, []corev1.Container{genesisContainer(in, supplied)})
	if makesSchema(spec) {
		init = append(init, schemaContainer(in, supplied))
	}
	inMemory := corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory, SizeLimit: new(resource.MustParse("64Mi"))}}
	volumes := []corev1.Volume{
		pods.Scratch(volumeTmp), {Name: volumeOut, VolumeSource: inMemory},
		configVolume(volumeGenesis, account), tokenVolume(),
	}
	return corev1.PodSpec{
		RestartPolicy:                corev1.RestartPolicyNever,
		ServiceAccountName:           account,
		AutomountServiceAccountToken: new(false),
		EnableServiceLinks:           new(false),
		SecurityContext:              pods.Security(),
		NodeSelector:                 spec.Members.Placement.NodeSelector,
		Tolerations:                  spec.Members.Placement.Tolerations,
		InitContainers:               init,
		Containers:                   []corev1.Container{publishContainer(in, outs, orders)},
		Volumes:                      append(volumes, supplied.volumes...),
	}
}

func genesisContainer(in platform.Input, supplied supply) corev1.Container {
	return corev1.Container{
		Name:                     "genesis",
		Image:                    in.Images.Image("genesis-corda", ""),
		Args:                     []string{"--spec", genesisDir + "/" + fileGenesis, "--out", genesisOut},
		Env:                      storePasswords(in.Network.Name),
		Resources:                throwAway("512Mi"),
		SecurityContext:          pods.Restricted(),
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
		VolumeMounts: append([]corev1.VolumeMount{
			readOnly(volumeGenesis, genesisDir), mount(volumeOut, genesisOut), mount(volumeTmp, "/tmp")}, supplied.mounts...),
	}
}

// schemaContainer migrates an H2 database for the network's CorDapps, or takes the template of the image.
func schemaContainer(in platform.Input, supplied supply) corev1.Container {
	return corev1.Container{
		Name:                     "schema",
		Image:                    nodeImage(in),
		Command:                  []string{programSchema, "h2", cordappsPath(&in.Network.Spec), genesisOut + "/schema"},
		Resources:                throwAway("1Gi"),
		SecurityContext:          pods.Restricted(),
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
		VolumeMounts:             append([]corev1.VolumeMount{mount(volumeOut, genesisOut), mount(volumeTmp, "/tmp")}, supplied.mounts...),
	}
}

func publishContainer(in platform.Input, outs []output, orders []byte) corev1.Container {
	sum := sha256.Sum256(orders)
	command := []string{"/agent", "publish", "--namespace", in.Network.Namespace,
		"--complete-annotation", v1alpha1.AnnotationMaterialComplete + "=" + hex.EncodeToString(sum[:8])}
	for _, o := range outs {
		command = append(command, "--secret", o.secret+"="+o.folder)
	}
	return corev1.Container{
		Name:                     "publish",
		Image:                    agentImage(in),
		Command:                  command,
		Resources:                pods.Small(),
		SecurityContext:          pods.Restricted(),
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
		VolumeMounts:             []corev1.VolumeMount{readOnly(volumeOut, genesisOut), readOnly(volumeToken, tokenDir)},
	}
}

// throwAway are the resources of a JVM that lives for seconds: up to two cores, hardly any reserved.
func throwAway(memory string) corev1.ResourceRequirements {
	return corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m"), corev1.ResourceMemory: resource.MustParse("256Mi")},
		Limits:   corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2"), corev1.ResourceMemory: resource.MustParse(memory)},
	}
}
