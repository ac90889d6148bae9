package load

import (
	"context"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/benchnet/benchnet/drivers/evm/internal/member"
)

const (
	// OverdueAfter is how long a transfer may wait for a block before the driver checks whether the node still
	// has it.
	OverdueAfter = 3 * time.Second
	// maxProbedAccounts is the number of accounts checked to detect a loss. maxResentPerAccount is the number
	// of transfers of an account that are resent at a time.
	maxProbedAccounts   = 100
	maxResentPerAccount = 16
)

// ResendLost resends overdue transfers that the node has lost, for example in a restart. Otherwise all later
// transfers of their accounts would wait indefinitely. A resent transfer keeps its operation. The flights of
// each account are in nonce order.
func (s *Sender) ResendLost(ctx context.Context, accounts [][]*Flight) error {
	probed := min(maxProbedAccounts, len(accounts))
	lost, err := s.findLost(ctx, accounts[:probed])
	if err == nil && len(lost) > 0 {
		var more []*Flight
		more, err = s.findLost(ctx, accounts[probed:])
		lost = append(lost, more...)
	}
	for from := 0; err == nil && from < len(lost); from += s.Limit {
		err = s.resendFlights(ctx, lost[from:min(from+s.Limit, len(lost))])
	}
	return err
}

// findLost returns the flights that the node has lost. The flights of each account are in nonce order.
func (s *Sender) findLost(ctx context.Context, accounts [][]*Flight) ([]*Flight, error) {
	addresses := make([]common.Address, len(accounts))
	for i, flights := range accounts {
		addresses[i] = flights[0].Account.Address
	}
	nonces, err := s.Node.Nonces(ctx, addresses, member.PendingBlock)
	var lost []*Flight
	for i, next := range nonces {
		// The next nonce is above all transfers that the node has, so the first flight is lost if its nonce is
		// not below.
		if flights := accounts[i]; next <= flights[0].Nonce {
			lost = append(lost, flights[:min(len(flights), maxResentPerAccount)]...)
		}
	}
	return lost, err
}

func (s *Sender) resendFlights(ctx context.Context, lost []*Flight) error {
	now := time.Now()
	s.tracker.markResent(lost, now)
	s.RecordResent(now, len(lost))
	_, err := s.submitFlights(ctx, lost)
	return err
}
