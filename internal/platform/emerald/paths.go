package emerald

// Paths in the containers. Those below /etc/benchnet are read-only. docs/emerald.md documents them as the
// contract of images.
const (
	dataDir      = "/var/lib/emerald"
	validatorDir = dataDir + "/validator"
	executionDir = dataDir + "/execution"
	runDir       = "/run/benchnet"
	readyFile    = runDir + "/ready"
	configDir    = "/etc/benchnet/config"
	// homeConfigDir holds the content of the config folder in Emerald's home.
	homeConfigDir = "/etc/benchnet/validator"
	networkDir    = "/etc/benchnet/network"
	identityDir   = "/etc/benchnet/identity"
	accountsDir   = "/etc/benchnet/accounts"

	programShell = "/bin/sh"
	programEVM   = "/evm"
)

// File names, which are also the keys in Secrets and ConfigMaps.
const (
	fileConfig           = "config.toml"
	fileEmerald          = "emerald.toml"
	fileStart            = "start.sh"
	fileTestnet          = "testnet.toml"
	fileGenesisScript    = "genesis.sh"
	fileGenesis          = "genesis.json"
	fileValidatorGenesis = "emerald-genesis.json"
	fileValidatorKey     = "priv_validator_key.json"
	fileNodeKey          = "nodekey"
	filePeers            = "peers"
	fileGeth             = "geth.toml"
	fileJWT              = "jwt"
	fileSeed             = "seed"
)

// Volume names.
const (
	volumeData     = "data"
	volumeRun      = "run"
	volumeTmp      = "tmp"
	volumeConfig   = "config"
	volumeHome     = "validator"
	volumeNetwork  = "network"
	volumeIdentity = "identity"
	volumeAccounts = "accounts"
)
