package controllers

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/apply"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
	"github.com/benchnet/benchnet/internal/network/plan"
)

const (
	// maxConcurrentApplies is the number of objects of a network that are applied at one time.
	maxConcurrentApplies = 16
	// maxApplyTime is how long a pass applies objects after its first write. The next pass applies the rest, so
	// that a large network does not delay the networks behind it.
	maxApplyTime = 2 * time.Second
	// continueInterval is the delay of the next pass. Meanwhile, the cache receives the objects of this one.
	continueInterval = 500 * time.Millisecond
)

// applyStage applies a stage and returns its readiness. With an error, the readiness describes the error for
// the status.
func (r *NetworkReconciler) applyStage(ctx context.Context, pass *networkPass, owner apply.Owner, stage plan.Stage) (snapshot.Readiness, error) {
	for _, object := range stage.Objects {
		if err := r.deleteForRecreation(ctx, pass, object); err != nil {
			return applyErrorReadiness(err), err
		}
	}
	applied := 0
	for _, wave := range applyWaves(stage) {
		results := make([]client.Object, len(wave))
		proceed := func() bool { return pass.applyTimer.hasTime() && !r.isDeleted(ctx, pass.network) }
		done, err := runConcurrently(ctx, len(wave), proceed, func(i int) (err error) {
			live := pass.snapshot.LiveObject(wave[i])
			if results[i], err = r.applyOrReplace(ctx, owner, pass.withoutOutdatedPod(ctx, wave[i]), pass.snapshot); results[i] != live {
				pass.applyTimer.start()
			}
			return err
		})
		if err != nil {
			return applyErrorReadiness(err), err
		}
		if applied += done; done < len(wave) {
			pass.unfinished = true
			return pass.unfinishedReadiness(stage, applied), nil
		}
		if wave[0] == stage.Owner {
			owner.Object, owner.SkipBlockOwnerDeletion = results[0], true
		}
	}
	return pass.stageReadiness(stage), nil
}

// isDeleted reports whether the cache shows that a network has been deleted since the pass read it.
func (r *NetworkReconciler) isDeleted(ctx context.Context, network *v1alpha1.BenchmarkNetwork) bool {
	now := &v1alpha1.BenchmarkNetwork{}
	err := r.Client.Get(ctx, client.ObjectKeyFromObject(network), now, client.UnsafeDisableDeepCopy)
	return apierrors.IsNotFound(err) || err == nil && (now.DeletionTimestamp != nil || now.UID != network.UID)
}

// unfinishedReadiness returns the readiness of a stage of which the pass has applied only some objects. An object
// that exists counts as it is, so that a stage that was ready stays ready while its objects are changed.
func (p *networkPass) unfinishedReadiness(stage plan.Stage, applied int) snapshot.Readiness {
	for _, object := range stage.Objects {
		if p.snapshot.LiveObject(object) == nil {
			message := fmt.Sprintf("%d of %d objects are applied", applied, len(stage.Objects))
			return snapshot.Readiness{State: snapshot.StateWaiting, Message: message}
		}
	}
	return p.stageReadiness(stage)
}

// applyTimer measures the time that a pass may apply objects. It starts with the first write, so that every pass
// makes progress.
type applyTimer struct {
	now     func() time.Time
	mutex   sync.Mutex
	started time.Time
}

func (t *applyTimer) start() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.started.IsZero() {
		t.started = t.now()
	}
}

func (t *applyTimer) hasTime() bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.started.IsZero() || t.now().Sub(t.started) < maxApplyTime
}

// applyWaves divides the objects of a stage into waves that are applied one after the other. The stage's owner
// is a wave of its own before the objects that it owns.
func applyWaves(stage plan.Stage) [][]client.Object {
	var waves [][]client.Object
	var byOrder [3][]client.Object
	flush := func() {
		for i, wave := range byOrder {
			if len(wave) > 0 {
				waves = append(waves, wave)
			}
			byOrder[i] = nil
		}
	}
	for _, object := range stage.Objects {
		if object == stage.Owner {
			flush()
			waves = append(waves, []client.Object{object})
			continue
		}
		order := applyOrder(object)
		byOrder[order] = append(byOrder[order], object)
	}
	flush()
	return waves
}

// applyOrder returns the order of an object among those of its stage. The API server refuses a RoleBinding whose
// Role does not exist. Objects that create pods are last, after all that the pods need, such as NetworkPolicies.
func applyOrder(object client.Object) int {
	switch object.(type) {
	case *appsv1.StatefulSet, *batchv1.Job, *v1alpha1.BenchmarkRun:
		return 2
	case *rbacv1.RoleBinding:
		return 1
	default:
		return 0
	}
}

// runConcurrently runs do(0) to do(n-1), up to maxConcurrentApplies at one time and beginning in this order. It
// begins no more after an error, or when proceed reports false. It returns how many succeeded.
func runConcurrently(ctx context.Context, n int, proceed func() bool, do func(int) error) (int, error) {
	var done atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(maxConcurrentApplies)
	for i := 0; i < n && ctx.Err() == nil && proceed(); i++ {
		group.Go(func() error {
			if err := do(i); err != nil {
				return err
			}
			done.Add(1)
			return nil
		})
	}
	err := group.Wait()
	return int(done.Load()), err
}

// applyErrorReadiness returns the readiness of a stage with an object that could not be applied. The state is
// Waiting, since the operator retries. It is Failed only if a user has to act before a retry can succeed.
func applyErrorReadiness(err error) snapshot.Readiness {
	found := snapshot.Readiness{State: snapshot.StateWaiting, Message: err.Error()}
	if isRefused(err) {
		found.State = snapshot.StateFailed
	}
	return found
}
