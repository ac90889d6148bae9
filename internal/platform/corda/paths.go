package corda

// Paths in the containers. Those below /etc/benchnet are read-only. docs/corda.md documents them as the
// contract of images.
const (
	baseDir       = "/var/lib/corda"
	runDir        = "/run/benchnet"
	readyFile     = runDir + "/ready"
	configDir     = "/etc/benchnet/config"
	identityDir   = "/etc/benchnet/identity"
	networkMapDir = "/etc/benchnet/network-map"
	cordappsDir   = "/etc/benchnet/cordapps"
	schemaDir     = "/etc/benchnet/schema"
	rpcDir        = "/etc/benchnet/rpc"
	planDir       = "/etc/benchnet/plan"
	dataDir       = "/etc/benchnet/data"
	templateDir   = "/template"

	// bundledCorDapps is the path of the CorDapps in the node's image.
	bundledCorDapps = "/opt/corda/cordapps"
	// imageCorDapps is the path of the jars in an image of CorDapps.
	imageCorDapps = "/cordapps"

	programPrepare = "/opt/corda/bin/prepare"
	programNode    = "/opt/corda/bin/node"
	programSchema  = "/opt/corda/bin/schema"
	programDrive   = "/opt/driver/bin/drive"

	fileNodeConf = "node.conf"
	fileGenesis  = "genesis.json"
)

// Volume names.
const (
	volumeBase       = "base"
	volumeRun        = "run"
	volumeTmp        = "tmp"
	volumeConfig     = "config"
	volumeIdentity   = "identity"
	volumeNetworkMap = "network-map"
	volumeCorDapps   = "cordapps"
	volumeSchema     = "schema"
	volumeRPC        = "rpc"
	volumePlan       = "plan"
	volumeData       = "data"
)
