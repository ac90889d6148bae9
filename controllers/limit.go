package controllers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/status"
)

// Limits are the largest numbers of networks that exist at one time: in all namespaces together, and in each namespace. 0 is no limit.
type Limits struct{ MaxNetworks, MaxNetworksPerNamespace int }

// unit is one network, or all networks of an interleaved comparison that exist at the same time. It holds all of its places from its
// admission until its last pod is deleted.
type unit struct {
	namespace string
	age       string // of its oldest network; sorts by creation, then by name
	size      int
	holds     bool
	waiting   []types.NamespacedName
}

// decide returns the decisions about all waiting networks, first come, first served. A full namespace holds up no other.
func (l Limits) decide(units []*unit) map[types.NamespacedName]status.AdmissionDecision {
	taken, takenIn := 0, map[string]int{}
	for _, u := range units {
		if u.holds {
			taken, takenIn[u.namespace] = taken+u.size, takenIn[u.namespace]+u.size
		}
	}
	slices.SortFunc(units, func(a, b *unit) int { return cmp.Compare(a.age, b.age) })
	full, fullIn, decisions := false, map[string]bool{}, make(map[types.NamespacedName]status.AdmissionDecision, len(units))
	for _, u := range units {
		d := status.AdmissionDecision{Admitted: true, Reason: v1alpha1.ReasonAdmitted, Message: "the operator's limits have room for it"}
		switch limit := l.exceededBy(u.size); {
		case u.holds:
		case limit != "":
			d = status.AdmissionDecision{Never: true, Reason: v1alpha1.ReasonLimitTooLow,
				Message: fmt.Sprintf("it begins as one of %d networks, which exceeds the operator's limit %s", u.size, limit)}
		case l.MaxNetworksPerNamespace > 0 && (fullIn[u.namespace] || takenIn[u.namespace]+u.size > l.MaxNetworksPerNamespace):
			fullIn[u.namespace] = true
			d = limitReached("maxNetworksPerNamespace", takenIn[u.namespace], l.MaxNetworksPerNamespace, u.size)
		case l.MaxNetworks > 0 && (full || taken+u.size > l.MaxNetworks):
			full = true
			d = limitReached("maxNetworks", taken, l.MaxNetworks, u.size)
		default:
			taken, takenIn[u.namespace] = taken+u.size, takenIn[u.namespace]+u.size
		}
		for _, network := range u.waiting {
			decisions[network] = d
		}
	}
	return decisions
}

// Limiter admits networks within the operator's limits. Admissions are kept in the networks' status, which tenants cannot write.
type Limiter struct {
	Dependencies
	mutex sync.Mutex
	// granted are admitted networks whose status in the cache does not say so yet.
	granted map[types.UID]bool
	// holding are the networks that held a place when they were last seen. Labels of pods prove nothing, since tenants set them.
	holding     map[types.NamespacedName]bool
	comparisons comparisons
}

// decide returns whether a network with an accepted spec may begin.
func (l *Limiter) decide(ctx context.Context, network *v1alpha1.BenchmarkNetwork) (status.AdmissionDecision, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	units, err := l.units(ctx, network)
	if err != nil {
		return status.AdmissionDecision{}, err
	}
	name := client.ObjectKeyFromObject(network)
	decision, decided := l.Limits.decide(units)[name]
	if !decided {
		return decision, fmt.Errorf("network %s was deleted before its admission", network.Name)
	}
	l.granted[network.UID], l.holding[name] = decision.Admitted, decision.Admitted
	return decision, nil
}

// admissible requests the networks that wait and may begin now. The controller calls it after events that free places.
func (l *Limiter) admissible(ctx context.Context, _ client.Object) (requests []reconcile.Request) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	units, _ := l.units(ctx, nil) // The cache cannot fail once it has started.
	for network, decision := range l.Limits.decide(units) {
		if decision.Admitted {
			requests = append(requests, reconcile.Request{NamespacedName: network})
		}
	}
	return requests
}

// units returns the units of all networks that wait or hold a place. The accepted network, or nil, counts as the caller has read it.
func (l *Limiter) units(ctx context.Context, accepted *v1alpha1.BenchmarkNetwork) ([]*unit, error) {
	var networks v1alpha1.BenchmarkNetworkList
	var pods corev1.PodList
	if err := errors.Join(l.Client.List(ctx, &networks, client.UnsafeDisableDeepCopy),
		l.Client.List(ctx, &pods, client.HasLabels{v1alpha1.LabelNetwork}, client.UnsafeDisableDeepCopy)); err != nil {
		return nil, fmt.Errorf("list networks and their pods: %w", err)
	}
	units, granted := map[string]*unit{}, map[types.UID]bool{}
	existing, holding := map[types.NamespacedName]bool{}, map[types.NamespacedName]bool{}
	for i := range networks.Items {
		n := &networks.Items[i]
		if accepted != nil && n.UID == accepted.UID {
			n = accepted
		}
		name, refused, admitted := client.ObjectKeyFromObject(n), status.Refused(n) && n != accepted, status.Admitted(n)
		existing[name], granted[n.UID] = true, l.granted[n.UID] && !refused
		holds := admitted || granted[n.UID]
		if l.byKueue(n) || !holds && !mayWait(n, refused) {
			continue
		}
		age := n.CreationTimestamp.UTC().Format(time.RFC3339) + " " + name.String()
		key, size := l.comparisons.unitOf(ctx, l.Client, n)
		u := cmp.Or(units[key], &unit{namespace: n.Namespace, age: age, size: size})
		units[key], u.age = u, min(u.age, age)
		if holds {
			u.holds, holding[name] = true, true
		}
		if !admitted {
			u.waiting = append(u.waiting, name)
		}
	}
	for name := range l.stopping(pods.Items, existing) {
		units[name.String()], holding[name] = &unit{namespace: name.Namespace, size: 1, holds: true}, true
	}
	l.granted, l.holding = granted, holding
	l.comparisons.prune()
	return slices.Collect(maps.Values(units)), nil
}

// mayWait reports whether a network without a place waits for one. With a refused spec it does not.
func mayWait(n *v1alpha1.BenchmarkNetwork, refused bool) bool {
	return !refused && n.DeletionTimestamp == nil
}

// stopping returns the networks that held a place, were deleted and still have pods.
func (l *Limiter) stopping(pods []corev1.Pod, existing map[types.NamespacedName]bool) map[types.NamespacedName]bool {
	networks := map[types.NamespacedName]bool{}
	for i := range pods {
		name := types.NamespacedName{Namespace: pods[i].Namespace, Name: pods[i].Labels[v1alpha1.LabelNetwork]}
		if l.holding[name] && !existing[name] && !ended(&pods[i]) {
			networks[name] = true
		}
	}
	return networks
}
