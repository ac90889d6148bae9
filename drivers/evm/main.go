// Command evm applies load to Ethereum nodes. It also prepares their network: it writes a genesis, or funds
// accounts in one, and generates the keys and secrets of the nodes.
package main

import (
	"log/slog"
	"os"

	"github.com/benchnet/benchnet/internal/subcommand"
)

var program = subcommand.Program{Name: "evm", Purpose: "load on Ethereum nodes", Commands: []subcommand.Command{
	{Name: "drive", Synopsis: "",
		Purpose: "apply the workload in the file $BENCHNET_WORKLOAD, as documented in docs/drivers.md", DeclareFlags: newDriveCommand},
	{Name: "accounts", Synopsis: "--seed-file FILE --count N [--fund GENESIS]",
		Purpose: "print the accounts of a seed, or fund them in a genesis", DeclareFlags: newAccountsCommand},
	{Name: "genesis", Synopsis: "--seed-file FILE --accounts N --out FILE",
		Purpose: "write the genesis of a chain with all forks up to Osaka and funded accounts", DeclareFlags: newGenesisCommand},
	{Name: "keys", Synopsis: "--count N --out DIR [--address HOST:PORT]",
		Purpose: "generate the nodes' keys, the secret between validator and execution client, and a seed of accounts", DeclareFlags: newKeysCommand},
}}

func main() {
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, nil)))
	os.Exit(program.Run(os.Args[1:], os.Stdout, os.Stderr))
}
