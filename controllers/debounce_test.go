package controllers

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// TestDebouncedPriorities queues a new network, a network whose objects changed, and a network from the initial
// list.
func TestDebouncedPriorities(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		queue := priorityqueue.New[reconcile.Request]("test")
		go func() { <-ctx.Done(); queue.ShutDown() }()
		request := func(name string) reconcile.Request {
			return reconcile.Request{NamespacedName: types.NamespacedName{Name: name}}
		}
		h := debounced(&handler.EnqueueRequestForObject{})
		pod := func(name string) *corev1.Pod { return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}} }
		h.Create(ctx, event.CreateEvent{Object: pod("before"), IsInInitialList: true}, queue)
		queue.Add(request("new"))
		for range 3 {
			h.Update(ctx, event.UpdateEvent{ObjectOld: pod("begun"), ObjectNew: pod("begun")}, queue)
		}
		time.Sleep(2 * debouncePeriod)
		synctest.Wait()
		for _, want := range []string{"begun", "new", "before"} {
			got, _ := queue.Get()
			if got != request(want) {
				t.Errorf("next is %s, want %s", got.Name, want)
			}
			queue.Done(got)
		}
	})
}
