package controllers

import (
	"context"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// burst is how long a change of an owned object waits for others that come with it. It adds as much to each stage of a network.
const burst = 100 * time.Millisecond

// inBursts lets what a handler asks for wait for a burst; asked for again meanwhile, it is still done once. A network of which
// something has changed goes before those that have yet to begin, so that of many the first are ready while the last still wait. What was
// there before the operator goes last, as is the rule for an object's own events.
func inBursts(h handler.EventHandler) handler.EventHandler {
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, q asked) {
			priority := begun
			if e.IsInInitialList {
				priority = handler.LowPriority
			}
			h.Create(ctx, e, later{q, priority})
		},
		UpdateFunc:  func(ctx context.Context, e event.UpdateEvent, q asked) { h.Update(ctx, e, later{q, begun}) },
		DeleteFunc:  func(ctx context.Context, e event.DeleteEvent, q asked) { h.Delete(ctx, e, later{q, begun}) },
		GenericFunc: func(ctx context.Context, e event.GenericEvent, q asked) { h.Generic(ctx, e, later{q, begun}) },
	}
}

type asked = workqueue.TypedRateLimitingInterface[reconcile.Request]

// begun is the priority of a network of which something has changed; one that has yet to begin has 0.
const begun = 1

// later is a queue that adds after a burst, with a priority.
type later struct {
	asked
	priority int
}

// Add after a burst.
func (q later) Add(request reconcile.Request) {
	if first, ok := q.asked.(priorityqueue.PriorityQueue[reconcile.Request]); ok {
		first.AddWithOpts(priorityqueue.AddOpts{After: burst, Priority: new(q.priority)}, request)
		return
	}
	q.AddAfter(request, burst)
}
