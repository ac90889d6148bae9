package main

import (
	"container/heap"
	"math/rand/v2"
)

// arrivals yields the instants at which operations are due, in ascending order.
type arrivals interface {
	// pop returns the next instant and the client that starts the operation.
	pop() (due float64, client int)
	// push says when the operation of a client ended.
	push(client int, end float64)
}

func (q *queue) newArrivals(r *rand.Rand, load int64) arrivals {
	if q.think == 0 {
		return &openArrivals{random: r, period: 1 / float64(load), poisson: q.poisson}
	}
	c := &closedArrivals{random: r, think: q.think}
	for client := range int(load) {
		heap.Push(&c.due, dueOperation{q.think * r.ExpFloat64(), client})
	}
	return c
}

// openArrivals are even or Poisson arrivals.
type openArrivals struct {
	random  *rand.Rand
	period  float64
	poisson bool
	now     float64
}

func (a *openArrivals) pop() (due float64, client int) {
	step := a.period
	if a.poisson {
		step *= a.random.ExpFloat64()
	}
	a.now += step
	return a.now, 0
}

func (a *openArrivals) push(int, float64) {}

// closedArrivals are those of clients that think after each operation. A client has one operation at a time.
type closedArrivals struct {
	random *rand.Rand
	think  float64
	due    dueOperations
}

func (c *closedArrivals) pop() (due float64, client int) {
	next := heap.Pop(&c.due).(dueOperation)
	return next.at, next.client
}

func (c *closedArrivals) push(client int, end float64) {
	heap.Push(&c.due, dueOperation{end + c.think*c.random.ExpFloat64(), client})
}

type dueOperation struct {
	at     float64
	client int
}

type dueOperations []dueOperation

func (d dueOperations) Len() int           { return len(d) }
func (d dueOperations) Less(i, j int) bool { return d[i].at < d[j].at }
func (d dueOperations) Swap(i, j int)      { d[i], d[j] = d[j], d[i] }
func (d *dueOperations) Push(x any)        { *d = append(*d, x.(dueOperation)) }
func (d *dueOperations) Pop() any {
	last := (*d)[len(*d)-1]
	*d = (*d)[:len(*d)-1]
	return last
}
