package controllers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
	"github.com/benchnet/benchnet/internal/status"
)

// Limits is how many networks may exist at one time: in all namespaces together, and in each namespace. 0 means
// no limit.
type Limits struct{ MaxNetworks, MaxNetworksPerNamespace int }

// admissionUnit is one network, or all networks of an interleaved comparison that exist at the same time. It
// holds all of its places from its admission until its last pod has terminated.
type admissionUnit struct {
	namespace       string
	sortKey         string // Creation time, then name, of its oldest network. Empty if the unit holds its places.
	size            int
	waitingNetworks []types.NamespacedName
}

// decideAdmissions decides on the admission of all waiting networks, first come, first served. A full namespace
// does not block others. The scope "" is all namespaces.
func (l Limits) decideAdmissions(units []*admissionUnit) map[types.NamespacedName]status.AdmissionDecision {
	slices.SortFunc(units, func(a, b *admissionUnit) int { return cmp.Compare(a.sortKey, b.sortKey) })
	taken, full, decisions := map[string]int{}, map[string]bool{}, map[types.NamespacedName]status.AdmissionDecision{}
	for _, u := range units {
		d := status.AdmissionDecision{Admitted: true, Reason: v1alpha1.ReasonAdmitted, Message: "within the operator's limits"}
		reaches := func(limit, scope string, places int) bool {
			if places > 0 && (full[scope] || taken[scope]+u.size > places) {
				full[scope] = true
				d = status.AdmissionDecision{Reason: v1alpha1.ReasonLimitReached, Message: fmt.Sprintf("the operator's limit %s is reached: %d of %d "+
					"networks admitted, %d requested; networks are admitted in order of creation", limit, taken[scope], places, u.size)}
			}
			return !d.Admitted
		}
		switch limit := l.exceededBy(u.size); {
		case u.sortKey == "":
		case limit != "":
			d = status.AdmissionDecision{Unsatisfiable: true, Reason: v1alpha1.ReasonLimitTooLow,
				Message: fmt.Sprintf("it is admitted together with %d networks, which exceeds the operator's limit %s", u.size, limit)}
		case reaches("maxNetworksPerNamespace", u.namespace, l.MaxNetworksPerNamespace), reaches("maxNetworks", "", l.MaxNetworks):
		}
		if d.Admitted {
			taken[u.namespace], taken[""] = taken[u.namespace]+u.size, taken[""]+u.size
		}
		for _, network := range u.waitingNetworks {
			decisions[network] = d
		}
	}
	return decisions
}

// Limiter admits networks within the operator's limits. Admissions are stored in the networks' status, which
// tenants cannot write.
type Limiter struct {
	Dependencies
	mutex sync.Mutex
	// placeHolders are the networks that held a place when they were last read. The cache shows an admission
	// late. Of a deleted network it shows only pods, whose labels prove nothing, since tenants set them.
	placeHolders map[types.NamespacedName]types.UID
	lastDesigns  designsByUID // Used by the last call of listUnits.
}

// decideAdmission decides whether a network with an accepted spec may begin. It fails if the network no longer
// exists.
func (l *Limiter) decideAdmission(ctx context.Context, network *v1alpha1.BenchmarkNetwork) (status.AdmissionDecision, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	units, err := l.listUnits(ctx, network)
	if err != nil {
		return status.AdmissionDecision{}, err
	}
	name := client.ObjectKeyFromObject(network)
	decision, decided := l.Limits.decideAdmissions(units)[name]
	if !decided {
		return decision, fmt.Errorf("network %s was deleted before its admission", network.Name)
	}
	if decision.Admitted {
		l.placeHolders[name] = network.UID
	}
	return decision, nil
}

// mapToAdmissibleNetworks requests the waiting networks that may begin now. The controller calls it after
// events that free places.
func (l *Limiter) mapToAdmissibleNetworks(ctx context.Context, _ client.Object) (requests []reconcile.Request) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	units, _ := l.listUnits(ctx, nil) // The cache cannot fail once it has started.
	for network, decision := range l.Limits.decideAdmissions(units) {
		if decision.Admitted {
			requests = append(requests, reconcile.Request{NamespacedName: network})
		}
	}
	return requests
}

// listUnits returns the units of all networks that wait or hold a place. If accepted is not nil, it replaces
// the cached version of that network, and its spec counts as valid.
func (l *Limiter) listUnits(ctx context.Context, accepted *v1alpha1.BenchmarkNetwork) ([]*admissionUnit, error) {
	networks, pods := v1alpha1.BenchmarkNetworkList{}, corev1.PodList{}
	if err := errors.Join(l.Client.List(ctx, &networks, client.UnsafeDisableDeepCopy),
		l.Client.List(ctx, &pods, client.HasLabels{v1alpha1.LabelNetwork}, client.UnsafeDisableDeepCopy)); err != nil {
		return nil, fmt.Errorf("list networks and their pods: %w", err)
	}
	units, held, used, deleted := map[string]*admissionUnit{}, map[types.NamespacedName]types.UID{}, designsByUID{}, maps.Clone(l.placeHolders)
	for i := range networks.Items {
		n := &networks.Items[i]
		if accepted != nil && n.UID == accepted.UID {
			n = accepted
		}
		name := client.ObjectKeyFromObject(n)
		delete(deleted, name)
		holds, waits := l.placeStateOf(n, status.HasInvalidSpec(n) && n != accepted)
		if l.isLeftToKueue(ctx, n) || !holds && !waits {
			continue
		}
		age := fmt.Sprintf("%020d %s", n.CreationTimestamp.Unix(), name)
		if holds {
			age, held[name] = "", n.UID
		}
		key, size := l.unitKeyAndSize(ctx, n, used)
		u := cmp.Or(units[key], &admissionUnit{namespace: n.Namespace, sortKey: age, size: size})
		units[key], u.sortKey = u, min(u.sortKey, age)
		if waits {
			u.waitingNetworks = append(u.waitingNetworks, name)
		}
	}
	for i := range pods.Items {
		name := types.NamespacedName{Namespace: pods.Items[i].Namespace, Name: pods.Items[i].Labels[v1alpha1.LabelNetwork]}
		if uid, stopping := deleted[name]; stopping && !snapshot.HasPodEnded(&pods.Items[i]) {
			units[string(uid)], held[name] = &admissionUnit{namespace: name.Namespace, size: 1}, uid
		}
	}
	l.placeHolders, l.lastDesigns = held, used
	return slices.Collect(maps.Values(units)), nil
}

// isLeftToKueue reports whether a network counts towards Kueue's quota instead of the limits. An admitted one counts
// where it was admitted, whatever its label says now.
func (l *Limiter) isLeftToKueue(ctx context.Context, n *v1alpha1.BenchmarkNetwork) bool {
	admitted := meta.FindStatusCondition(n.Status.Conditions, v1alpha1.ConditionAdmitted)
	if status.IsAdmitted(n) && admitted != nil {
		return l.Kueue == KueueHonor && admitted.Reason == v1alpha1.ReasonAdmittedByKueue
	}
	return l.isManagedByKueue(n) || l.isAdmittedWithExperiment(ctx, n)
}

// placeStateOf reports whether a network holds a place, and whether its status still lacks the admission that
// it waits for.
func (l *Limiter) placeStateOf(n *v1alpha1.BenchmarkNetwork, refused bool) (holds, waits bool) {
	admitted, held := status.IsAdmitted(n), l.placeHolders[client.ObjectKeyFromObject(n)] == n.UID
	return admitted || held && !refused, !admitted && !refused && n.DeletionTimestamp == nil
}
