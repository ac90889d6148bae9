package controllers_test

import (
	"context"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// staleReads are objects that the operator's cache still has in an earlier state; nil means that it is up to date.
type staleReads struct {
	run     *v1alpha1.BenchmarkRun
	barrier *corev1.ConfigMap
}

// useStaleReads makes the reconcilers read the earlier states.
func (w *testEnv) useStaleReads(s staleReads) {
	w.interceptOperator(interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			if run, ok := o.(*v1alpha1.BenchmarkRun); ok && s.run != nil && key.Name == s.run.Name {
				s.run.DeepCopyInto(run)
				return nil
			}
			return c.Get(ctx, key, o, opts...)
		},
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			if err := c.List(ctx, list, opts...); err != nil {
				return err
			}
			if found, ok := list.(*corev1.ConfigMapList); ok && s.barrier != nil {
				for i := range found.Items {
					if found.Items[i].Name == s.barrier.Name {
						s.barrier.DeepCopyInto(&found.Items[i])
					}
				}
			}
			return nil
		},
	})
}

// TestRunStartIsLoggedOnce makes a pass with a stale cache right after the pass that released the workers.
func TestRunStartIsLoggedOnce(t *testing.T) {
	for name, keep := range map[string]func(staleReads) staleReads{
		"the cache lacks the barrier": func(s staleReads) staleReads { return staleReads{barrier: s.barrier} },
		"the cache lacks the status":  func(s staleReads) staleReads { return staleReads{run: s.run} },
		"the cache lacks both":        func(s staleReads) staleReads { return s },
	} {
		t.Run(name, func(t *testing.T) {
			w := newTestEnvWithReadyRun(t)
			lines := w.captureLog()
			before := staleReads{run: w.getRun("extra"), barrier: &corev1.ConfigMap{}}
			w.mustGet(naming.BarrierConfigMap("extra"), before.barrier)
			w.reconcileRun("extra")
			released := w.getRun("extra")

			w.now = w.now.Add(time.Second)
			w.useStaleReads(keep(before))
			if _, err := w.runReconciler().Reconcile(w.ctx, w.requestFor("extra")); err != nil && !apierrors.IsConflict(err) {
				t.Fatal(err)
			}
			started := slices.DeleteFunc(shortStory(t, *lines), func(line string) bool { return line != "run started" })
			if len(started) != 1 {
				t.Errorf("the start was logged %d times", len(started))
			}
			barrier := &corev1.ConfigMap{}
			w.mustGet(naming.BarrierConfigMap("extra"), barrier)
			now := w.getRun("extra").Status
			if start := now.StartTime.UTC().Format("2006-01-02T15:04:05.999999999Z07:00"); start != barrier.Data[protocol.StartKey] {
				t.Errorf("the status says %s, the barrier %s", start, barrier.Data[protocol.StartKey])
			}
			if now.Phase != released.Status.Phase {
				t.Errorf("the stale pass changed the phase from %s to %s", released.Status.Phase, now.Phase)
			}
		})
	}
}
