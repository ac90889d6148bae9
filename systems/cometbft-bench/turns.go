package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"

	"github.com/cometbft/cometbft/types"
)

// pendingRounds is how many rounds may begin before a waiter has looked at the first.
const pendingRounds = 100

// turn is a round in which this validator proposes, the answer of /turn.
type turn struct {
	Height   int64  `json:"height"`
	Round    int32  `json:"round"`
	Proposer string `json:"proposer"`
}

// turns finds the rounds in which the validator with the address proposes.
type turns struct {
	bus     *types.EventBus
	address types.Address
	waiters atomic.Int64
}

func newTurns(bus *types.EventBus, id *identity) *turns {
	return &turns{bus: bus, address: id.validator.GetAddress()}
}

// awaitTurn returns the next round of the validator when it begins.
func (t *turns) awaitTurn(ctx context.Context) (turn, error) {
	waiter := fmt.Sprintf("turn-%d", t.waiters.Add(1))
	rounds, err := t.bus.Subscribe(ctx, waiter, types.EventQueryNewRound, pendingRounds)
	if err != nil {
		return turn{}, err
	}
	defer func() { _ = t.bus.UnsubscribeAll(context.WithoutCancel(ctx), waiter) }() // It fails only if the bus has ended the subscription.
	for {
		select {
		case message := <-rounds.Out():
			if r, ok := message.Data().(types.EventDataNewRound); ok && bytes.Equal(r.Proposer.Address, t.address) {
				return turn{r.Height, r.Round, hex.EncodeToString(t.address)}, nil
			}
		case <-rounds.Canceled():
			return turn{}, errors.Join(errors.New("the rounds cannot be watched"), rounds.Err())
		case <-ctx.Done():
			return turn{}, ctx.Err()
		}
	}
}

// ServeHTTP answers when the next turn of the validator begins.
func (t *turns) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	next, err := t.awaitTurn(r.Context())
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(next) // An error means that the client disconnected.
}
