package plan

import (
	"cmp"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/platform"
)

// addScheduling applies the scheduling of each role to its pods. The pods of a user's chart keep that of the
// chart's values.
func addScheduling(in Input, p *Plan) error {
	if !hasScheduling(in, p) {
		return nil
	}
	err := pods.EditTemplates(p.objectsWithPods(), func(owner client.Object, template *corev1.PodTemplateSpec) error {
		return applyScheduling(in, p, owner, &template.Spec)
	})
	if err != nil {
		return err
	}
	return checkSharedHosts(p)
}

func hasScheduling(in Input, p *Plan) bool {
	for _, scheduling := range p.databaseScheduling {
		if scheduling != nil {
			return true
		}
	}
	return in.Network.Spec.Members.Scheduling != nil ||
		slices.ContainsFunc(p.Topology.Members, func(m platform.Member) bool { return m.Spec.Members.Scheduling != nil })
}

// applyScheduling applies the scheduling of the owner's role to its pod. Jobs, and databases without a scheduling
// of their own, follow that of the members as far as it concerns nodes.
func applyScheduling(in Input, p *Plan, owner client.Object, pod *corev1.PodSpec) error {
	members := in.Network.Spec.Members.Scheduling
	member, isMember := p.Topology.FindMember(owner.GetLabels()[v1alpha1.LabelMember])
	_, isJob := owner.(*batchv1.Job)
	database := p.databaseScheduling[owner.GetLabels()[v1alpha1.LabelDatabaseInstance]]
	switch {
	case isJob:
		return pods.ApplyNodeScheduling(pod, members)
	case isMember:
		return pods.ApplyScheduling(pod, member.Spec.Members.Scheduling)
	case in.Chart != nil:
		return nil
	case database != nil:
		return pods.ApplyScheduling(pod, database)
	}
	return pods.ApplyNodeScheduling(pod, members)
}

// objectsWithPods returns all objects that may have pods, including those of a reset.
func (p *Plan) objectsWithPods() []client.Object { return append(p.Objects(), p.schemaResets...) }

// checkSharedHosts rejects a scheduling of the members that keeps pods apart which database topology PerHost
// places on one host: the members of an instance, and its server unless database.scheduling places it.
func checkSharedHosts(p *Plan) error {
	path := field.NewPath("spec", "members", "scheduling")
	onHost := map[string][]*corev1.PodTemplateSpec{}
	var problem *field.Error
	err := pods.EditTemplates(p.objectsWithPods(), func(_ client.Object, template *corev1.PodTemplateSpec) error {
		host := requiredHost(template)
		if instance := template.Labels[v1alpha1.LabelDatabaseInstance]; p.databaseScheduling[instance] == nil {
			host = cmp.Or(instance, host)
		}
		if host == "" {
			return nil
		}
		for _, other := range onHost[host] {
			if keepsApart(template, other) || keepsApart(other, template) {
				problem = field.Invalid(path.Child("affinity", "podAntiAffinity"), field.OmitValueType{},
					"keeps pods apart that database.topology PerHost places on one host: the members of an instance and its server")
			}
		}
		onHost[host] = append(onHost[host], template)
		if exceedsSkew(template, onHost[host]) {
			problem = field.Invalid(path.Child("topologySpreadConstraints"), field.OmitValueType{},
				"permits fewer pods on a host than database.topology PerHost places there: raise maxSkew to the number of selected pods there")
		}
		return nil
	})
	if problem != nil {
		return problem
	}
	return err
}

// requiredHost names the host on which topology PerHost requires the pod: after the database instance there, or after
// the first of the members that share it. It is empty without such a host.
func requiredHost(template *corev1.PodTemplateSpec) string {
	if a := template.Spec.Affinity; a != nil && a.PodAffinity != nil {
		for _, term := range a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution {
			if term.LabelSelector == nil {
				continue
			}
			if instance := term.LabelSelector.MatchLabels[v1alpha1.LabelDatabaseInstance]; instance != "" {
				return instance
			}
			for _, e := range term.LabelSelector.MatchExpressions {
				if e.Key == v1alpha1.LabelMember && e.Operator == metav1.LabelSelectorOpIn && slices.Contains(e.Values, template.Labels[v1alpha1.LabelMember]) {
					return e.Values[0]
				}
			}
		}
	}
	return ""
}

// keepsApart reports whether the required anti-affinity of a pod selects another one.
func keepsApart(pod, other *corev1.PodTemplateSpec) bool {
	a := pod.Spec.Affinity
	return a != nil && a.PodAntiAffinity != nil && slices.ContainsFunc(a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution,
		func(term corev1.PodAffinityTerm) bool { return selectorMatches(term.LabelSelector, other) })
}

// exceedsSkew reports whether more pods share a host than a constraint of the pod permits while other hosts have
// none.
func exceedsSkew(pod *corev1.PodTemplateSpec, onHost []*corev1.PodTemplateSpec) bool {
	for _, c := range pod.Spec.TopologySpreadConstraints {
		if c.WhenUnsatisfiable != corev1.DoNotSchedule || c.TopologyKey != corev1.LabelHostname {
			continue
		}
		var selected int32
		for _, other := range onHost {
			if selectorMatches(c.LabelSelector, other) {
				selected++
			}
		}
		if selected > c.MaxSkew {
			return true
		}
	}
	return false
}

// selectorMatches reports whether the selector matches the pod. An invalid selector matches none.
func selectorMatches(selector *metav1.LabelSelector, pod *corev1.PodTemplateSpec) bool {
	s, err := metav1.LabelSelectorAsSelector(selector)
	return err == nil && s.Matches(labels.Set(pod.Labels))
}
