package evm

import (
	"cmp"
	"fmt"
	"regexp"

	"github.com/benchnet/benchnet/internal/run/batches"
)

// MaxAccounts bounds the number of accounts, and so the duration of set-up.
const MaxAccounts = 100_000

var addressPattern = regexp.MustCompile(`^0x[0-9a-fA-F]{40}$`)

func (w *Workload) validateWorkload() error {
	if err := cmp.Or(w.validateTargets(), w.Operation.validateOperation()); err != nil {
		return err
	}
	return w.batchPlan().Validate("evm")
}

func (w *Workload) validateTargets() error {
	if err := batches.ValidateTargets(w.Targets, isNodeURL, "http://host:8545 or ws://host:8546"); err != nil {
		return err
	}
	if n := len(w.Operation.Heads); n != 0 && n != len(w.Targets) {
		return fmt.Errorf("operation.heads: %d URLs for %d targets; want one each, or none", n, len(w.Targets))
	}
	for i, url := range w.Operation.Heads {
		if !isWebSocket(url) {
			return fmt.Errorf("operation.heads[%d]: %q is not a WebSocket URL; want ws://host:8546", i, url)
		}
	}
	return nil
}

func (o *Operation) validateOperation() error {
	switch {
	case o.ChainID == 0:
		return fmt.Errorf("operation.chainId: not set; want the chain id of the genesis")
	case o.SeedFile == "":
		return fmt.Errorf("operation.seedFile: not set; want the file from which the accounts in the genesis were generated")
	case o.Accounts < 1 || o.Accounts > MaxAccounts:
		return fmt.Errorf("operation.accounts: %d; want 1 to %d", o.Accounts, MaxAccounts)
	case o.SignedAhead < 0:
		return fmt.Errorf("operation.signedAhead: %d is negative", o.SignedAhead)
	case o.GasLimit < DefaultGasLimit:
		return fmt.Errorf("operation.gasLimit: %d; a transfer needs %d", o.GasLimit, DefaultGasLimit)
	case !addressPattern.MatchString(o.Recipient):
		return fmt.Errorf("operation.recipient: %q is not an address; want 0x and 40 hexadecimal digits", o.Recipient)
	}
	if err := o.validateMix(); err != nil {
		return err
	}
	return o.validateAmounts()
}

func (o *Operation) validateAmounts() error {
	for _, f := range []struct{ field, value string }{
		{"valueWei", o.ValueWei}, {"maxFeePerGasWei", o.MaxFeePerGasWei}, {"maxPriorityFeePerGasWei", o.MaxPriorityFeePerGasWei},
	} {
		if n := ParseWei(f.value); n == nil || n.Sign() < 0 || n.BitLen() > 256 {
			return fmt.Errorf("operation.%s: %q is not an amount; want a decimal number of wei", f.field, f.value)
		}
	}
	if ParseWei(o.MaxPriorityFeePerGasWei).Cmp(ParseWei(o.MaxFeePerGasWei)) > 0 {
		return fmt.Errorf("operation.maxPriorityFeePerGasWei: %s is above maxFeePerGasWei %s", o.MaxPriorityFeePerGasWei, o.MaxFeePerGasWei)
	}
	return nil
}
