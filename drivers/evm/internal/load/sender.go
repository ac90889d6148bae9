// Package load submits transactions and tracks each of them up to the block that includes it.
package load

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/benchnet/benchnet/drivers/evm/internal/member"
	"github.com/benchnet/benchnet/drivers/evm/internal/transaction"
	"github.com/benchnet/benchnet/drivers/internal/openloop"
	"github.com/benchnet/benchnet/internal/run/batches"
)

// Sender submits to one member from its own accounts.
type Sender struct {
	openloop.Sender[*Flight]
	Node *member.Node
	// Signed yields signed transactions in nonce order.
	Signed <-chan *transaction.Transaction
	// RecordResent records n transactions that are resubmitted at a time.
	RecordResent func(at time.Time, n int)
	tracker      *Tracker
	mu           sync.Mutex
	toResend     []*Flight
}

// errSigningEnded means that there are no more signed transactions.
var errSigningEnded = errors.New("signing ended early")

// NewSender returns a sender of a schedule, whose number of outstanding batches clients bounds.
func NewSender(schedule batches.Sender, node *member.Node, clients int, tracker *Tracker) *Sender {
	s := &Sender{Node: node, tracker: tracker}
	s.Sender = openloop.Sender[*Flight]{Sender: schedule, Clients: clients, Take: s.takeFlights, MarkSent: tracker.MarkSent,
		Submit: s.submitFlights, HandleAnswers: s.handleAnswers}
	return s
}

// takeFlights returns n transactions: first those to resend, then new ones.
func (s *Sender) takeFlights(ctx context.Context, n int) ([]*Flight, error) {
	flights := s.takeResends(n)
	for len(flights) < n {
		select {
		case t, open := <-s.Signed:
			if !open {
				return flights, errSigningEnded
			}
			flights = append(flights, &Flight{Transaction: t, Sender: s.Index})
		case <-ctx.Done():
			return flights, errors.New("it was not signed before the end of the drain")
		}
	}
	return flights, nil
}

func (s *Sender) takeResends(n int) []*Flight {
	s.mu.Lock()
	defer s.mu.Unlock()
	flights := make([]*Flight, 0, n)
	usable := s.tracker.FilterNotIncluded(s.toResend)
	n = min(n, len(usable))
	s.toResend = usable[n:]
	return append(flights, usable[:n]...)
}

func (s *Sender) submitFlights(ctx context.Context, flights []*Flight) ([]error, error) {
	transactions := make([]*transaction.Transaction, len(flights))
	for i, f := range flights {
		transactions[i] = f.Transaction
	}
	return s.Node.Submit(ctx, transactions)
}

// handleAnswers processes the responses to flights and keeps those that must be resent.
func (s *Sender) handleAnswers(flights []*Flight, refusals []error, whole error, now time.Time) int {
	again, accepted := s.tracker.handleAnswers(flights, refusals, whole, now)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.toResend = append(s.toResend, again...)
	return accepted
}
