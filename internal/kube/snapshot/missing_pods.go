package snapshot

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/internal/kube/termination"
)

// failedCreate is the reason of the events that say why a controller could not create the pods of a StatefulSet
// or a Job. The object's status does not contain this.
const failedCreate = "FailedCreate"

// podCreationGracePeriod is the age below which an object without pods is not examined, since its controller
// has most likely just not created them yet.
const podCreationGracePeriod = 2 * time.Second

// maxFailedCreateEvents bounds the events of all objects of a namespace that lack pods.
const maxFailedCreateEvents = 500

// ReadEvents reads why pods of StatefulSets and Jobs could not be created, if some are missing, and the warnings
// about pods that do not become ready without a visible cause. It reads events directly: they are seldom needed, and
// a cache would hold those of the whole cluster. The number of requests is bounded.
func (s *Snapshot) ReadEvents(ctx context.Context, direct client.Reader, now time.Time) error {
	if err := s.readPodCreationFailures(ctx, direct, now); err != nil {
		return err
	}
	return s.readPodWarnings(ctx, direct, now)
}

// readPodCreationFailures reads, in one request, why the pods of StatefulSets and Jobs could not be created.
func (s *Snapshot) readPodCreationFailures(ctx context.Context, direct client.Reader, now time.Time) error {
	lacking := slices.DeleteFunc(s.ownersLackingPods(), func(o client.Object) bool { return now.Sub(o.GetCreationTimestamp().Time) < podCreationGracePeriod })
	if len(lacking) == 0 {
		return nil
	}
	var events corev1.EventList
	err := direct.List(ctx, &events, client.InNamespace(lacking[0].GetNamespace()), client.MatchingFields{"reason": failedCreate},
		client.Limit(maxFailedCreateEvents))
	if err != nil {
		return fmt.Errorf("list events of workloads without pods: %w", err)
	}
	latest := map[types.UID]*corev1.Event{}
	for i := range events.Items {
		e := &events.Items[i]
		if last := latest[e.InvolvedObject.UID]; last == nil || eventTime(last).Before(eventTime(e)) {
			latest[e.InvolvedObject.UID] = e
		}
	}
	s.podCreationFailures = map[types.UID]string{}
	for _, o := range lacking {
		if e := latest[o.GetUID()]; e != nil {
			s.podCreationFailures[o.GetUID()] = creationFailure(e.Message)
		}
	}
	return nil
}

// createPrefix matches how the controllers begin the message of a pod that they could not create.
var createPrefix = regexp.MustCompile(`^(\(combined from similar events\): )?(create Pod \S+ in StatefulSet \S+ failed error: |Error creating: )?`)

// podName matches the name of a pod in a rejection. That of a Job differs in each attempt, which would change the status.
var podName = regexp.MustCompile(`pods? "[^"]*" is forbidden: `)

// admissionAdvice says what to change so that the cluster admits the pods, by a part of the rejection.
var admissionAdvice = map[string]string{
	"limit to request ratio":      "set the chart value networkPods.maxLimitRequestRatio to the ratio of the namespace's LimitRange",
	"security context constraint": "set the chart value networkPods.fixedUserIDs to Never",
	"usage per Container is":      "change the LimitRange of the namespace, or the size in the spec",
	"usage per Pod is":            "change the LimitRange of the namespace, or the size in the spec",
}

func creationFailure(message string) string {
	cause := termination.Clean(podName.ReplaceAllString(createPrefix.ReplaceAllString(message, ""), "forbidden: "))
	for _, part := range slices.Sorted(maps.Keys(admissionAdvice)) {
		if strings.Contains(message, part) {
			cause += ": " + admissionAdvice[part]
			break
		}
	}
	return "pods cannot be created: " + cause
}

// QuotaBlockedOwners returns the StatefulSets and Jobs whose pods a ResourceQuota rejects.
func (s *Snapshot) QuotaBlockedOwners() []client.Object {
	var refused []client.Object
	for _, o := range s.ownersLackingPods() {
		if IsQuotaMessage(s.podCreationFailures[o.GetUID()]) {
			refused = append(refused, o)
		}
	}
	return refused
}

// IsQuotaMessage reports whether a message of the API server, or of a controller that repeats it, is about a
// ResourceQuota. Only the text says so: the status code is that of every forbidden request.
func IsQuotaMessage(message string) bool {
	return strings.Contains(message, "exceeded quota") || strings.Contains(message, "failed quota")
}

// HasMissingPods reports whether a StatefulSet or a Job has fewer pods than it should have. Callers must poll: no
// watched object changes when the creation of pods starts to fail.
func (s *Snapshot) HasMissingPods() bool { return len(s.ownersLackingPods()) > 0 }

// ownersLackingPods returns the StatefulSets and Jobs that have fewer pods than they should have, sorted by name.
func (s *Snapshot) ownersLackingPods() []client.Object {
	var all []client.Object
	for _, o := range s.owned {
		switch o := o.(type) {
		case *appsv1.StatefulSet:
			if setLacksPods(o) {
				all = append(all, o)
			}
		case *batchv1.Job:
			if jobLacksPods(o) {
				all = append(all, o)
			}
		}
	}
	slices.SortFunc(all, func(a, b client.Object) int { return strings.Compare(a.GetName(), b.GetName()) })
	return all
}

func setLacksPods(set *appsv1.StatefulSet) bool {
	return set.Status.ObservedGeneration > 0 && set.Status.ObservedGeneration >= set.Generation && set.Status.Replicas < ptr.Deref(set.Spec.Replicas, 1)
}

// jobLacksPods reports whether a Job has started and has fewer pods than it runs at a time. Jobs that have ended
// have counted pods or conditions, and pods that have just ended may not be counted yet.
func jobLacksPods(job *batchv1.Job) bool {
	s := job.Status
	if ended := s.UncountedTerminatedPods; ended != nil && len(ended.Succeeded)+len(ended.Failed) > 0 {
		return false
	}
	return s.StartTime != nil && s.Active+s.Succeeded+s.Failed < ptr.Deref(job.Spec.Parallelism, 1) && len(s.Conditions) == 0
}
