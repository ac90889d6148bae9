package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"

	"github.com/ethereum/go-ethereum/params"

	"github.com/benchnet/benchnet/drivers/evm/internal/drive"
	"github.com/benchnet/benchnet/drivers/evm/internal/genesis"
	"github.com/benchnet/benchnet/drivers/evm/internal/transaction"
	"github.com/benchnet/benchnet/drivers/internal/worker"
	"github.com/benchnet/benchnet/internal/platform/evm"
	"github.com/benchnet/benchnet/internal/subcommand"
)

func newDriveCommand(*flag.FlagSet) subcommand.Action { return worker.NewDriveCommand(drive.SetUp) }

func newAccountsCommand(flags *flag.FlagSet) subcommand.Action {
	seedFile := flags.String("seed-file", "", "file with the seed from which the accounts are derived")
	count := flags.Int("count", evm.DefaultAccounts, "number of accounts")
	fund := flags.String("fund", "", "genesis in geth's format to add the accounts to")
	out := flags.String("out", "", "file for the funded genesis (default: the file that --fund names)")
	balance := flags.String("balance", "1000000", "balance of each account in the genesis, in whole ether")
	gasLimit := flags.Uint64("gas-limit", 0, "gas limit of the genesis block (default: unchanged)")
	chainID := flags.Uint64("chain-id", 0, "chain id of the genesis (default: unchanged)")
	return subcommand.WithoutArguments(func(_ context.Context, stdout io.Writer) error {
		if err := subcommand.RequireFlags("seed-file", *seedFile); err != nil {
			return err
		}
		if *count < 1 || *count > evm.MaxAccounts {
			return subcommand.UsageErrorf("--count %d; want 1 to %d", *count, evm.MaxAccounts)
		}
		seed, err := transaction.ReadSeed(*seedFile)
		if err != nil {
			return err
		}
		if *fund != "" {
			return genesis.Change{Seed: seed, Accounts: *count, Ether: *balance, GasLimit: *gasLimit, ChainID: *chainID}.
				Apply(*fund, cmp.Or(*out, *fund))
		}
		for i := range *count {
			a, err := seed.Account(i)
			if err != nil {
				return err
			}
			fmt.Fprintln(stdout, a.Address.Hex())
		}
		return nil
	})
}

func newGenesisCommand(flags *flag.FlagSet) subcommand.Action {
	seedFile := flags.String("seed-file", "", "file with the seed from which the accounts are derived")
	accounts := flags.Int("accounts", evm.DefaultAccounts, "number of accounts to fund")
	out := flags.String("out", "", "file for the genesis")
	balance := flags.String("balance", "1000000", "balance of each account, in whole ether")
	gasLimit := flags.Uint64("gas-limit", 1_000_000_000, "gas limit of the genesis block")
	chainID := flags.Uint64("chain-id", 12345, "chain id")
	return subcommand.WithoutArguments(func(context.Context, io.Writer) error {
		if err := subcommand.RequireFlags("seed-file", *seedFile, "out", *out); err != nil {
			return err
		}
		switch {
		case *accounts < 1 || *accounts > evm.MaxAccounts:
			return subcommand.UsageErrorf("--accounts %d; want 1 to %d", *accounts, evm.MaxAccounts)
		case *gasLimit < params.MinGasLimit || *gasLimit > params.MaxGasLimit:
			return subcommand.UsageErrorf("--gas-limit %d; want %d to %d", *gasLimit, params.MinGasLimit, params.MaxGasLimit)
		case *chainID == 0:
			return subcommand.UsageErrorf("--chain-id 0; want at least 1")
		}
		seed, err := transaction.ReadSeed(*seedFile)
		if err != nil {
			return err
		}
		return genesis.Write(*out, genesis.Change{Seed: seed, Accounts: *accounts, Ether: *balance, GasLimit: *gasLimit, ChainID: *chainID})
	})
}

func newKeysCommand(flags *flag.FlagSet) subcommand.Action {
	count := flags.Int("count", 0, "number of nodes")
	out := flags.String("out", "", "folder for the files: <i>/nodekey, <i>/peers and <i>/geth.toml of each node; network/jwt and load/seed for all")
	address := flags.String("address", "127.0.0.1:30303", "host:port in the enodes; {i} is replaced by the node's index")
	return subcommand.WithoutArguments(func(context.Context, io.Writer) error {
		if *count < 1 {
			return subcommand.UsageErrorf("--count %d; want at least 1", *count)
		}
		if err := subcommand.RequireFlags("out", *out); err != nil {
			return err
		}
		return genesis.WriteKeys(*out, *count, *address)
	})
}
