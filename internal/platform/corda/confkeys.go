package corda

import "strings"

// enterpriseKeys lists the keys that exist only in Corda Enterprise's node.conf, each with its subtree. An
// open-source node refuses to start with them, as checked with its own parser on 4.8 and 4.10. If it is
// configured to ignore them, it silently runs without the tuning.
var enterpriseKeys = []string{
	"enterpriseConfiguration",
	"enableP2PCompression",
	"useOpenSsl",
	"p2pConfirmationWindowSize",
	"graphiteOptions",
	"database.schema",
	"database.hibernateDialect",
	"notary.jpa",
	"notary.mysql",
}

// Reasons why extraConfig may not set a key.
const (
	byOperator = "is set by the operator"
	byMigrator = "was removed in Corda 4.6: schemas are migrated before a node starts"
	byMode     = "is set by the operator: a measured network runs with devMode=false"
	bySecret   = "is set by the operator, from a Secret"
	byDatabase = "follows from spec.database"
	byCorDapps = "follows from spec.platform.corda.cordapps"
	byNotary   = "follows from spec.platform.corda.notary"
	byJVM      = "follows from spec.members.heap and spec.platform.corda.tuning.jvmArgs"
	byTuning   = "is spec.platform.corda.tuning."
)

// ownedKeys maps the keys that follow from the spec, each with its subtree, to the reason.
var ownedKeys = map[string]string{
	"myLegalName":                          "is spec.platform.corda.legalNames",
	"p2pAddress":                           byOperator,
	"additionalP2PAddresses":               byOperator,
	"messagingServerAddress":               byOperator,
	"messagingServerExternal":              byOperator,
	"rpcSettings":                          byOperator,
	"rpcUsers":                             bySecret,
	"security":                             bySecret,
	"keyStorePassword":                     bySecret,
	"trustStorePassword":                   bySecret,
	"devMode":                              byMode,
	"devModeOptions":                       byMode,
	"cordappSignerKeyFingerprintBlacklist": byOperator,
	"baseDirectory":                        byOperator,
	"jarDirs":                              byOperator,
	"networkServices":                      byOperator,
	"compatibilityZoneURL":                 byOperator,
	"networkParametersPath":                byOperator,
	"jmxMonitoringHttpPort":                byOperator,
	"jmxReporterType":                      byOperator,
	"cordappDirectories":                   byCorDapps,
	"custom.jvmArgs":                       byJVM,

	"dataSourceProperties.dataSourceClassName": byDatabase,
	"dataSourceProperties.dataSource.url":      byDatabase,
	"dataSourceProperties.dataSource.user":     byDatabase,
	"dataSourceProperties.dataSource.password": byDatabase,
	"dataSourceProperties.jdbcUrl":             byDatabase,
	"dataSourceProperties.username":            byDatabase,
	"dataSourceProperties.password":            byDatabase,
	"dataSourceProperties.maximumPoolSize":     "is spec.database.connectionsPerMember",
	"database.runMigration":                    byMigrator,
	"database.initialiseSchema":                byMigrator,
	"database.transactionIsolationLevel":       "was removed in Corda 4.6: the isolation level is READ_COMMITTED",

	"notary.validating":       byNotary,
	"notary.serviceLegalName": byNotary,
	"notary.className":        byNotary,
	"notary.raft":             byNotary,
	"notary.bftSMaRt":         byNotary,

	"transactionCacheSizeMegaBytes":       byTuning + "transactionCacheSize",
	"attachmentContentCacheSizeMegaBytes": byTuning + "attachmentCacheSize",
	"flowExternalOperationThreadPoolSize": byTuning + "flowExternalOperationThreads",

	"enableP2PCompression": byTuning + "p2pCompression",
	"useOpenSsl":           byTuning + "openSSL",

	"enterpriseConfiguration.tuning.flowThreadPoolSize":                 byTuning + "flowThreads",
	"enterpriseConfiguration.tuning.rpcThreadPoolSize":                  byTuning + "rpcThreads",
	"enterpriseConfiguration.tuning.journalBufferTimeout":               byTuning + "journalBufferTimeout",
	"enterpriseConfiguration.tuning.brokerConnectionTtlCheckIntervalMs": byTuning + "brokerConnectionTTLCheckInterval",
}

// isKeyWithin reports whether a dotted key equals root or lies below it.
func isKeyWithin(key, root string) bool {
	return key == root || strings.HasPrefix(key, root+".")
}

// isNotaryKey reports whether a key applies only to the notary.
func isNotaryKey(key string) bool { return isKeyWithin(key, "notary") }
