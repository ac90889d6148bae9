package controllers_test

import (
	"context"
	"regexp"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

const thirtyValidators = `
apiVersion: benchnet.dev/v1alpha1
kind: BenchmarkNetwork
metadata: {name: thirty}
spec:
  platform: {type: Malachite, malachite: {}}
  members: {count: 30}
`

// TestLargeNetworkIsAppliedInShortPasses makes passes whose time ends after a few objects. Each reports what it left to
// the next pass, so that a deletion is handled in between.
func TestLargeNetworkIsAppliedInShortPasses(t *testing.T) {
	w := newTestEnv(t)
	must(t, w.createFromYAML(thirtyValidators, &v1alpha1.BenchmarkNetwork{}))
	partial := regexp.MustCompile(`[1-9][0-9]* of [0-9]+ objects are applied`)
	passes, unfinished := 0, 0
	for ; len(w.statefulSetNames()) < 30; passes++ {
		if passes == 50 {
			t.Fatalf("only %v after %d passes: %+v", w.statefulSetNames(), passes, w.getNetwork("thirty").Status.Stages)
		}
		isUnfinished := w.makeShortPass("thirty")
		ready := meta.FindStatusCondition(w.getNetwork("thirty").Status.Conditions, v1alpha1.ConditionReady)
		if isUnfinished && partial.MatchString(ready.Message) {
			unfinished++
		}
		w.fillGenesisSecretsIfAny()
	}
	if unfinished < 3 {
		t.Errorf("%d of %d passes left objects to the next one and reported it; the last condition is %+v",
			unfinished, passes, w.getNetwork("thirty").Status.Conditions)
	}
}

// TestReadyNetworkStaysReadyInShortPasses changes all members of a network that is ready, which takes several passes.
func TestReadyNetworkStaysReadyInShortPasses(t *testing.T) {
	w := newTestEnv(t)
	must(t, w.createFromYAML(thirtyValidators, &v1alpha1.BenchmarkNetwork{}))
	w.bringUp("thirty")
	var members appsv1.StatefulSetList
	must(t, w.client.List(w.ctx, &members, client.InNamespace(w.namespace)))
	for i := range members.Items {
		before := members.Items[i].DeepCopy()
		delete(members.Items[i].Annotations, v1alpha1.AnnotationAppliedHash)
		must(t, w.client.Patch(w.ctx, &members.Items[i], client.MergeFrom(before)))
	}
	if !w.makeShortPass("thirty") {
		t.Fatal("one pass applied all members; the test needs more members")
	}
	if c := w.getNetwork("thirty").Status.Conditions; !meta.IsStatusConditionTrue(c, v1alpha1.ConditionReady) {
		t.Errorf("the network is not ready any more: %+v", c)
	}
}

// TestPassGivesWayToDeletion deletes a network while a pass applies its objects.
func TestPassGivesWayToDeletion(t *testing.T) {
	w := newTestEnv(t)
	must(t, w.createFromYAML(thirtyValidators, &v1alpha1.BenchmarkNetwork{}))
	const before, concurrent = 5, 16
	var writes atomic.Int64
	var deletion sync.Once
	w.interceptPatches(func() {
		if writes.Add(1) >= before {
			deletion.Do(func() { w.deleteAndAwaitCache(w.getNetwork("thirty")) })
		}
	})
	w.reconcileNetwork("thirty")
	if n := writes.Load(); n < before || n > before+concurrent {
		t.Errorf("the pass made %d writes, want at most %d after the deletion", n, concurrent)
	}
}

// interceptPatches calls do before each patch of the reconcilers.
func (w *testEnv) interceptPatches(do func()) {
	w.interceptOperator(interceptor.Funcs{
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
			do()
			return c.Patch(ctx, o, p, opts...)
		},
	})
}

// deleteAndAwaitCache deletes an object and waits until the reconcilers' cache does not hold it any more.
func (w *testEnv) deleteAndAwaitCache(object client.Object) {
	must(w.t, w.client.Delete(w.ctx, object))
	w.waitFor("the cache to lose the deleted object", func() bool {
		return apierrors.IsNotFound(w.cache.Get(w.ctx, client.ObjectKeyFromObject(object), object))
	})
}

// makeShortPass makes a pass whose time to apply objects ends after a few of them, and reports whether it left some
// to the next pass.
func (w *testEnv) makeShortPass(network string) bool {
	w.t.Helper()
	r, calls := w.networkReconciler(), 0
	r.Now = func() time.Time {
		calls++
		return w.now.Add(time.Duration(calls) * time.Second)
	}
	result, err := r.Reconcile(w.ctx, w.requestFor(network))
	must(w.t, err)
	return result.RequeueAfter == 500*time.Millisecond
}
