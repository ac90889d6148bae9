package execution

import (
	"maps"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/naming"
)

// Variables that the arguments of a client may reference as $(NAME).
const (
	variablePeers    = "BENCHNET_PEERS"
	variableGenesis  = "BENCHNET_GENESIS"
	variableJWT      = "BENCHNET_JWT"
	variableNodeKey  = "BENCHNET_NODE_KEY"
	variableData     = "BENCHNET_DATA"
	variableChainID  = "BENCHNET_CHAIN_ID"
	variableGasLimit = "BENCHNET_GAS_LIMIT"
)

// clientCommandLine describes how to start an execution client.
type clientCommandLine struct {
	// defaultCommand is the program if the spec has no command.
	defaultCommand []string
	// ownedFlags follow from the spec, so users may not set them. An empty value means a flag without a value.
	ownedFlags map[string]string
	// peerFlags are owned flags that are set only in a network of more than one member.
	peerFlags map[string]string
	// profileFlags are flags that the spec may override.
	profileFlags map[string]string
	// initializes says that a first run writes the genesis into the client's database. Other clients do so themselves.
	initializes bool
}

// flagStateScheme is geth's flag for the layout of its state, which init and later runs must agree on.
const flagStateScheme = "state.scheme"

const jsonRPC = "eth,net,web3,txpool"

// clientCommandLines maps each kind of client to its command line. A Custom client takes its whole command
// line from the spec.
var clientCommandLines = map[v1alpha1.ExecutionClient]clientCommandLine{
	v1alpha1.ExecutionReth: {
		defaultCommand: []string{"reth"},
		ownedFlags: map[string]string{
			"chain": NetworkDir + "/" + FileGenesis,
			"http":  "", "http.addr": "0.0.0.0", "http.port": strconv.Itoa(PortHTTP), "http.api": jsonRPC,
			"ws": "", "ws.addr": "0.0.0.0", "ws.port": strconv.Itoa(portWebSocket), "ws.api": jsonRPC,
			"authrpc.addr": "127.0.0.1", "authrpc.port": strconv.Itoa(PortEngine), "authrpc.jwtsecret": NetworkDir + "/" + FileJWT,
			"port": strconv.Itoa(portPeers), "addr": "0.0.0.0", "disable-discovery": "", "nat": "none",
			"p2p-secret-key": identityDir + "/" + fileNodeKey,
			"metrics":        "0.0.0.0:" + strconv.Itoa(portMetrics), "builder.gaslimit": "$(" + variableGasLimit + ")",
			// Logs go only to the standard output because the root file system is read-only.
			"log.file.max-files": "0", "color": "never",
		},
		peerFlags: map[string]string{"trusted-peers": "$(" + variablePeers + ")"},
		// Source: Emerald's published performance evaluation, "Configuration".
		profileFlags: map[string]string{
			"txpool.pending-max-count": "50000", "txpool.pending-max-size": "500",
			"txpool.queued-max-count": "50000", "txpool.queued-max-size": "500",
			"txpool.basefee-max-count": "50000", "txpool.basefee-max-size": "500",
			"txpool.max-account-slots": "100000", "txpool.max-batch-size": "10000",
			"txpool.minimal-protocol-fee": "0", "txpool.minimum-priority-fee": "0",
			"txpool.max-pending-txns": "20000", "txpool.max-new-txns": "20000",
			"txpool.max-new-pending-txs-notifications": "20000",
			"max-tx-reqs": "10000", "max-tx-reqs-peer": "255", "max-pending-imports": "10000",
		},
	},
	v1alpha1.ExecutionGeth: {
		defaultCommand: []string{"geth"},
		ownedFlags: map[string]string{
			"config": identityDir + "/" + fileGeth, "networkid": "$(" + variableChainID + ")", "syncmode": "full",
			"http": "", "http.addr": "0.0.0.0", "http.port": strconv.Itoa(PortHTTP), "http.api": jsonRPC, "http.vhosts": "*",
			"ws": "", "ws.addr": "0.0.0.0", "ws.port": strconv.Itoa(portWebSocket), "ws.api": jsonRPC, "ws.origins": "*",
			"authrpc.addr": "127.0.0.1", "authrpc.port": strconv.Itoa(PortEngine), "authrpc.jwtsecret": NetworkDir + "/" + FileJWT,
			"port": strconv.Itoa(portPeers), "nodiscover": "", "nat": "none", "nodekey": identityDir + "/" + fileNodeKey,
			"metrics": "", "metrics.addr": "0.0.0.0", "metrics.port": strconv.Itoa(portMetrics),
			"miner.gaslimit": "$(" + variableGasLimit + ")",
		},
		// The equivalent of Reth's profile in geth's flags. At its default verbosity, geth logs a line for
		// each transaction.
		profileFlags: map[string]string{
			"txpool.globalslots": "50000", "txpool.globalqueue": "50000", "txpool.accountslots": "100000", "txpool.accountqueue": "50000",
			"txpool.pricelimit": "1", "verbosity": "2", "rpc.batch-request-limit": "0", "rpc.batch-response-max-size": "0", "maxpeers": "100",
		},
		initializes: true,
	},
}

// clientCommand returns the command of the client with its arguments in a network of the given number of members.
func (l *Layer) clientCommand(members int32) []string {
	if l.Client.Client == v1alpha1.ExecutionCustom {
		return slices.Concat(l.Client.Command, l.Client.Arguments)
	}
	start := l.clientProgram()
	if l.Client.Client == v1alpha1.ExecutionReth {
		start = append(start, "node")
	}
	return append(start, formatFlags(l.clientFlags(members))...)
}

// initCommand returns the command of the client's first run, or nil.
func (l *Layer) initCommand() []string {
	arguments := l.Client.InitArguments
	if clientCommandLines[l.Client.Client].initializes {
		arguments = []string{"init", "--datadir", l.executionDir()}
		if scheme := l.clientFlags(1)[flagStateScheme]; scheme != "" {
			arguments = append(arguments, "--"+flagStateScheme+"="+scheme)
		}
		arguments = append(arguments, NetworkDir+"/"+FileGenesis)
	}
	if len(arguments) == 0 {
		return nil
	}
	return append(l.clientProgram(), arguments...)
}

func (l *Layer) executionDir() string { return l.DataDir + "/execution" }

func (l *Layer) clientProgram() []string {
	if len(l.Client.Command) > 0 {
		return slices.Clone(l.Client.Command)
	}
	return slices.Clone(clientCommandLines[l.Client.Client].defaultCommand)
}

// clientFlags returns the client's profile, overridden by the flags of the spec and then by the owned flags.
func (l *Layer) clientFlags(members int32) map[string]string {
	c := clientCommandLines[l.Client.Client]
	all := maps.Clone(c.profileFlags)
	maps.Copy(all, l.ProfileFlags)
	for name, value := range l.Client.Flags {
		all[name] = pods.EscapeExpansions(string(value))[0]
	}
	maps.Copy(all, c.ownedFlags)
	maps.Copy(all, l.OwnedFlags)
	all["datadir"] = l.executionDir()
	if members > 1 {
		maps.Copy(all, c.peerFlags)
	}
	return all
}

// tunableFlags returns the flags that do not follow from the spec.
func (l *Layer) tunableFlags() map[string]string {
	all := l.clientFlags(1)
	for name := range all {
		if l.isOwnedFlag(name) {
			delete(all, name)
		}
	}
	return all
}

// formatFlags returns flags as arguments, sorted by name.
func formatFlags(flags map[string]string) []string {
	all := make([]string, 0, len(flags))
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		argument := "--" + name
		if flags[name] != "" {
			argument += "=" + flags[name]
		}
		all = append(all, argument)
	}
	return all
}

// isOwnedFlag reports whether a flag follows from the spec.
func (l *Layer) isOwnedFlag(flag string) bool {
	c := clientCommandLines[l.Client.Client]
	_, owned := c.ownedFlags[flag]
	_, platform := l.OwnedFlags[flag]
	_, peers := c.peerFlags[flag]
	return owned || platform || peers || flag == "datadir"
}

// clientEnv returns the variables that the arguments of a client may reference.
func (l *Layer) clientEnv(network *v1alpha1.BenchmarkNetwork, member string) []corev1.EnvVar {
	return []corev1.EnvVar{
		{Name: variableGenesis, Value: NetworkDir + "/" + FileGenesis},
		{Name: variableJWT, Value: NetworkDir + "/" + FileJWT},
		{Name: variableNodeKey, Value: identityDir + "/" + fileNodeKey},
		{Name: variableData, Value: l.executionDir()},
		{Name: variableChainID, Value: strconv.FormatInt(l.ChainID, 10)},
		{Name: variableGasLimit, Value: strconv.FormatInt(l.GasLimit, 10)},
		pods.EnvFromSecret(variablePeers, naming.IdentitySecret(network.Name, member), filePeers),
		{Name: "HOME", Value: "/tmp"},
	}
}
