package load

import (
	"context"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/benchnet/benchnet/drivers/evm/internal/inclusion"
	"github.com/benchnet/benchnet/drivers/evm/internal/member"
	"github.com/benchnet/benchnet/drivers/evm/internal/transfer"
)

const (
	// OverdueAfter is how long a transfer waits for a block before the node is asked whether it still has it.
	OverdueAfter = 3 * time.Second
	// maxProbedAccounts are asked about to see whether something is lost. maxResentPerAccount of an account are sent again at a time.
	maxProbedAccounts   = 100
	maxResentPerAccount = 16
)

// ResendLost sends overdue transfers again that the node has lost, as one that was restarted has: without them, all later ones of their
// accounts would wait for ever. They serve the operations that they already served. Accounts come in any order, their flights by nonce.
func (s *Sender) ResendLost(ctx context.Context, accounts [][]*inclusion.Flight) error {
	probed := min(maxProbedAccounts, len(accounts))
	lost, err := s.findLost(ctx, accounts[:probed])
	if err == nil && len(lost) > 0 {
		var more []*inclusion.Flight
		more, err = s.findLost(ctx, accounts[probed:])
		lost = append(lost, more...)
	}
	for from := 0; err == nil && from < len(lost); from += s.Limit {
		err = s.resendFlights(ctx, lost[from:min(from+s.Limit, len(lost))])
	}
	return err
}

// findLost are the flights that the node has lost, of accounts with their flights in the order of their nonces.
func (s *Sender) findLost(ctx context.Context, accounts [][]*inclusion.Flight) ([]*inclusion.Flight, error) {
	addresses := make([]common.Address, len(accounts))
	for i, flights := range accounts {
		addresses[i] = flights[0].Account.Address
	}
	nonces, err := s.Node.Nonces(ctx, addresses, member.PendingBlock)
	var lost []*inclusion.Flight
	for i, next := range nonces {
		// The node's next nonce is beyond what it has; it has lost the first flight if that is not below.
		if flights := accounts[i]; next <= flights[0].Nonce {
			lost = append(lost, flights[:min(len(flights), maxResentPerAccount)]...)
		}
	}
	return lost, err
}

func (s *Sender) resendFlights(ctx context.Context, lost []*inclusion.Flight) error {
	transfers := make([]*transfer.Transfer, len(lost))
	for i, f := range lost {
		transfers[i] = f.Transfer
	}
	now := time.Now()
	s.Tracker.MarkResent(lost, now)
	s.target.RecordResent(now, len(lost))
	_, err := s.Node.Submit(ctx, transfers)
	return err
}
