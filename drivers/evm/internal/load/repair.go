package load

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/benchnet/benchnet/drivers/evm/internal/inclusion"
	"github.com/benchnet/benchnet/drivers/evm/internal/member"
	"github.com/benchnet/benchnet/drivers/evm/internal/transfer"
)

const (
	// OverdueAfter is how long a transfer waits for a block before the node is asked whether it still has it.
	OverdueAfter = 10 * time.Second
	// repairAccounts are asked about at a time, and repairTransfers of each are sent again at most.
	repairAccounts  = 100
	repairTransfers = 16
)

// Repair sends overdue transfers again that the node has lost, as one that was restarted has: without them, all later ones of their
// accounts would wait for ever. They serve the operations that they already served.
func (s *Sender) Repair(ctx context.Context, overdue []*inclusion.Flight) error {
	byAccount, addresses := group(overdue)
	nonces, err := s.Node.Nonces(ctx, addresses, member.PendingBlock)
	if err != nil {
		return err
	}
	var lost []*inclusion.Flight
	for i, address := range addresses {
		// The node's next nonce is beyond what it has; it has lost the first one if that is not below.
		if flights := byAccount[address]; nonces[i] <= flights[0].Nonce {
			lost = append(lost, flights[:min(len(flights), repairTransfers)]...)
		}
	}
	for from := 0; from < len(lost); from += s.Limit {
		if err := s.resubmit(ctx, lost[from:min(from+s.Limit, len(lost))]); err != nil {
			return err
		}
	}
	return nil
}

// group sorts flights by account and nonce, and lists some of the accounts.
func group(flights []*inclusion.Flight) (map[common.Address][]*inclusion.Flight, []common.Address) {
	byAccount := map[common.Address][]*inclusion.Flight{}
	for _, f := range flights {
		byAccount[f.Account.Address] = append(byAccount[f.Account.Address], f)
	}
	var addresses []common.Address
	for address, own := range byAccount {
		slices.SortFunc(own, func(a, b *inclusion.Flight) int { return cmp.Compare(a.Nonce, b.Nonce) })
		if len(addresses) < repairAccounts {
			addresses = append(addresses, address)
		}
	}
	return byAccount, addresses
}

func (s *Sender) resubmit(ctx context.Context, lost []*inclusion.Flight) error {
	transfers := make([]*transfer.Transfer, len(lost))
	for i, f := range lost {
		transfers[i] = f.Transfer
	}
	now := time.Now()
	s.Tracker.Resent(lost, now)
	s.target.Resent(now, len(lost))
	_, err := s.Node.Submit(ctx, transfers)
	return err
}
