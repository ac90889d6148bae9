package corda

import "strings"

// tunableKeys are the keys of node.conf that extraConfig may set: those that tune a node and have no field in the spec. Those
// that end with a dot stand for all keys below. Others would open ports, replace what the operator sets, or load classes.
// Sources: R3's pages "Configuration fields" of 4.3 to 4.12, HikariCP and pgJDBC.
var tunableKeys = []string{
	"additionalNodeInfoPollingFrequencyMsec",
	"database.exportHibernateJMXStatistics", "database.mappedSchemaCacheSize",
	"dataSourceProperties.connectionTimeout", "dataSourceProperties.idleTimeout", "dataSourceProperties.keepaliveTime",
	"dataSourceProperties.leakDetectionThreshold", "dataSourceProperties.maxLifetime", "dataSourceProperties.minimumIdle",
	"dataSourceProperties.validationTimeout",
	"dataSourceProperties.dataSource.binaryTransfer", "dataSourceProperties.dataSource.defaultRowFetchSize",
	"dataSourceProperties.dataSource.preparedStatementCacheQueries", "dataSourceProperties.dataSource.preparedStatementCacheSizeMiB",
	"dataSourceProperties.dataSource.prepareThreshold", "dataSourceProperties.dataSource.receiveBufferSize",
	"dataSourceProperties.dataSource.reWriteBatchedInserts", "dataSourceProperties.dataSource.sendBufferSize",
	"dataSourceProperties.dataSource.sendStringParametersAsUnicode", "dataSourceProperties.dataSource.socketTimeout",
	"dataSourceProperties.dataSource.tcpKeepAlive",
	"enterpriseConfiguration.metricsConfiguration.", "enterpriseConfiguration.processedMessageCleanup.", "enterpriseConfiguration.tuning.",
	"flowMonitorPeriodMillis", "flowMonitorSuspensionLoggingThresholdMillis",
	"flowTimeout.backoffBase", "flowTimeout.maxRestartCount", "flowTimeout.timeout",
	"notary.etaMessageThresholdSeconds", "notary.extraConfig.",
	"p2pConfirmationWindowSize",
	"quasarExcludePackages",
	"telemetry.",
}

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
	byMigrator = "was removed in Corda 4.6: schemas are migrated before a node starts"
	byMode     = "is set by the operator: a measured network runs with devMode=false"
	byDatabase = "follows from spec.database"
	byNotary   = "follows from spec.platform.corda.notary"
	byTuning   = "is spec.platform.corda.tuning."
)

// ownedKeys maps keys that follow from the spec, each with its subtree, to the field that sets them. It only explains the
// refusal of keys that are not tunable, except for those of enterpriseConfiguration.tuning.
var ownedKeys = map[string]string{
	"myLegalName":        "is spec.platform.corda.legalNames",
	"devMode":            byMode,
	"devModeOptions":     byMode,
	"cordappDirectories": "follows from spec.platform.corda.cordapps",
	"custom":             "follows from spec.members.heap and spec.platform.corda.tuning.jvmArgs",

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

// isTunableKey reports whether a key is the tunable one, or lies below it if that ends with a dot.
func isTunableKey(key, tunable string) bool {
	return key == tunable || strings.HasSuffix(tunable, ".") && strings.HasPrefix(key, tunable)
}

// isNotaryKey reports whether a key applies only to the notary.
func isNotaryKey(key string) bool { return isKeyWithin(key, "notary") }
