package plan

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/internal/kube/apply"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/network/latency/sidecar"
)

// decorator adds one cross-cutting concern to the objects of a plan. Its errors are user errors.
type decorator func(in Input, p *Plan) error

// decorators are applied in this order, after the databases and the platform have built their objects.
// Whatever affects a result comes before hashObjects. Whatever does not affect a result comes after it, so that
// two networks of equal results have equal hashes.
var decorators = []decorator{
	keepMemberVolumeSizes, // First: it replaces sizes that the platform derived.
	addScheduling,
	addPodMetadata,
	labelUnobservedPods,
	addVolumeResets,
	addLatencySidecars, // After addVolumeResets: a sidecar starts before all other containers.
	raiseRequests,      // After addLatencySidecars: it covers all containers.
	isolateNetwork,
	hashObjects,
	labelPods,
	addCommonLabels,
	addResetStages, // After labelPods: members stop with the labels with which they run.
	stopPausedMembers,
	addImagePullSecrets, // After addResetStages: it covers all pods.
	removeUserIDs,
}

// hashObjects hashes the objects of databases and members, on which a result depends. It leaves out genesis,
// which is random, and workloads, which change.
func hashObjects(_ Input, p *Plan) error {
	var relevant []client.Object
	for _, name := range []StageName{StageDatabases, StageSchemas, StageMembers} {
		relevant = append(relevant, p.findStage(name).Objects...)
	}
	hash, err := apply.HashJSON(relevant)
	if err != nil {
		return fmt.Errorf("hash the plan: %w", err)
	}
	p.Hash = hash
	return nil
}

// addImagePullSecrets adds the Secrets of the operator's configuration and of the spec with which the pods pull
// their images.
func addImagePullSecrets(in Input, p *Plan) error {
	secrets := slices.Concat(in.Images.PullSecrets, in.Network.Spec.ImagePullSecrets)
	if len(secrets) == 0 {
		return nil
	}
	return pods.EditTemplates(p.Objects(), func(_ client.Object, template *corev1.PodTemplateSpec) error {
		pods.AddImagePullSecrets(&template.Spec, secrets)
		return nil
	})
}

// raiseRequests raises requests that are too small for the cluster's ratio of limits to requests.
func raiseRequests(in Input, p *Plan) error {
	return pods.EditTemplates(p.objectsWithPods(), func(_ client.Object, template *corev1.PodTemplateSpec) error {
		in.PodConstraints.RaiseRequests(&template.Spec)
		return nil
	})
}

// removeUserIDs removes users and groups from all pods if the cluster assigns them.
func removeUserIDs(in Input, p *Plan) error {
	return pods.EditTemplates(p.Objects(), func(_ client.Object, template *corev1.PodTemplateSpec) error {
		in.PodConstraints.RemoveUserIDs(&template.Spec)
		return nil
	})
}

// addLatencySidecars adds the latency sidecars and their shared objects to the members if the network emulates
// latency.
func addLatencySidecars(in Input, p *Plan) error {
	config, problems := sidecar.BuildConfig(in.Network, p.Topology.MemberNames(), p.Topology.MemberAliases())
	if len(problems) > 0 {
		return problems.ToAggregate()
	}
	if config == nil {
		return nil
	}
	members := p.findStage(StageMembers)
	var err error
	members.Objects, err = sidecar.AddSidecars(sidecar.Input{Network: in.Network, Config: config, AgentImage: in.Images.Image("agent", "")}, members.Objects)
	return err
}
