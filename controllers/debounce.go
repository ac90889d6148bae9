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

// debouncePeriod is how long a change of an owned object waits for others that come with it. It adds as much to each stage of a network.
const debouncePeriod = 100 * time.Millisecond

// debounced lets what a handler asks for wait for a burst; asked for again meanwhile, it is still done once. A network of which
// something has changed goes before those that have yet to begin, so that of many the first are ready while the last still wait. What was
// there before the operator goes last, as is the rule for an object's own events.
func debounced(h handler.EventHandler) handler.EventHandler {
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, q requestQueue) {
			priority := priorityUnderWay
			if e.IsInInitialList {
				priority = handler.LowPriority
			}
			h.Create(ctx, e, delayingQueue{q, priority})
		},
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q requestQueue) {
			h.Update(ctx, e, delayingQueue{q, priorityUnderWay})
		},
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, q requestQueue) {
			h.Delete(ctx, e, delayingQueue{q, priorityUnderWay})
		},
		GenericFunc: func(ctx context.Context, e event.GenericEvent, q requestQueue) {
			h.Generic(ctx, e, delayingQueue{q, priorityUnderWay})
		},
	}
}

type requestQueue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// priorityUnderWay is the priority of a network of which something has changed; one that has yet to begin has 0.
const priorityUnderWay = 1

// delayingQueue is a queue that adds after a burst, with a priority.
type delayingQueue struct {
	requestQueue
	priority int
}

// Add after a burst.
func (q delayingQueue) Add(request reconcile.Request) {
	if first, ok := q.requestQueue.(priorityqueue.PriorityQueue[reconcile.Request]); ok {
		first.AddWithOpts(priorityqueue.AddOpts{After: debouncePeriod, Priority: new(q.priority)}, request)
		return
	}
	q.AddAfter(request, debouncePeriod)
}
