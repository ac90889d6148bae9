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

// debouncePeriod is how long an event of an owned object waits for further events, so that a burst of changes
// causes one reconcile. It is also the delay that debouncing adds to each stage of a network.
const debouncePeriod = 100 * time.Millisecond

// debounced wraps an event handler so that its requests are queued after debouncePeriod. Requests for the same
// object within that period collapse into one. Networks under way go before new ones, so that some of many
// networks become ready early. Objects of the initial list have the lowest priority, as in controller-runtime.
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

// priorityUnderWay is the priority of a network whose objects changed. A new network has priority 0.
const priorityUnderWay = 1

// delayingQueue adds requests after debouncePeriod with a fixed priority.
type delayingQueue struct {
	requestQueue
	priority int
}

// Add queues a request after debouncePeriod.
func (q delayingQueue) Add(request reconcile.Request) {
	if first, ok := q.requestQueue.(priorityqueue.PriorityQueue[reconcile.Request]); ok {
		first.AddWithOpts(priorityqueue.AddOpts{After: debouncePeriod, Priority: new(q.priority)}, request)
		return
	}
	q.AddAfter(request, debouncePeriod)
}
