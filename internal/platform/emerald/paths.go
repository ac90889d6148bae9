package emerald

// Paths in the containers. Those below /etc/benchnet are read-only. docs/emerald.md documents them as the
// contract of images.
const (
	dataDir      = "/var/lib/emerald"
	validatorDir = dataDir + "/validator"
	runDir       = "/run/benchnet"
	readyFile    = runDir + "/ready"
	configDir    = "/etc/benchnet/config"
	// homeConfigDir holds the content of the config folder in Emerald's home.
	homeConfigDir = "/etc/benchnet/validator"

	programShell = "/bin/sh"
)

// File names, which are also the keys in Secrets and ConfigMaps.
const (
	fileConfig           = "config.toml"
	fileEmerald          = "emerald.toml"
	fileStart            = "start.sh"
	fileTestnet          = "testnet.toml"
	fileGenesisScript    = "genesis.sh"
	fileValidatorGenesis = "emerald-genesis.json"
	fileValidatorKey     = "priv_validator_key.json"
)

// Volume names.
const (
	volumeRun    = "run"
	volumeConfig = "config"
	volumeHome   = "validator"
)
