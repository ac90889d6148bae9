package corda

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/network/database"
	"github.com/benchnet/benchnet/internal/platform/members"
	"github.com/benchnet/benchnet/internal/platform/sizing"
)

// Validate rejects what CEL cannot express. The path is that of the spec.
func (Corda) Validate(spec *v1alpha1.BenchmarkNetworkSpec, path *field.Path) field.ErrorList {
	corda := path.Child("platform", "corda")
	if spec.Platform.Corda == nil {
		return field.ErrorList{field.Required(corda, "must be set when platform.type is Corda")}
	}
	pools := derivePoolSizes(spec)
	errs := validateCount(spec.Members.Count, path.Child("members", "count"))
	errs = append(errs, validateVersion(spec, corda)...)
	errs = append(errs, validateLegalNames(spec, corda.Child("legalNames"))...)
	errs = append(errs, sizing.MachineOf(&spec.Members).Validate(pools.nodeOverhead(), path.Child("members"))...)
	errs = append(errs, pools.validateConnections(path.Child("database", "connectionsPerMember"))...)
	if isEnterprise(spec) {
		errs = append(errs, pools.validateThreads(corda.Child("tuning"))...)
	}
	errs = append(errs, validateNotaryType(spec, corda.Child("notary", "type"))...)
	errs = append(errs, validateNotaryDatabase(spec, corda.Child("notary"))...)
	errs = append(errs, validateNotaryStorage(spec, corda.Child("notary", "type"))...)
	errs = append(errs, validateOverrides(spec, path)...)
	errs = append(errs, validateEdition(spec, corda)...)
	errs = append(errs, validateTuning(spec, corda.Child("tuning"))...)
	errs = append(errs, validateStorage(spec, path.Child("members", "storage", "size"))...)
	errs = append(errs, validateServerVersion(spec, path.Child("database", "managed", "version"))...)
	errs = append(errs, database.ValidateSettings(spec.DatabaseOrDefault().ManagedOrDefault().Settings, path.Child("database", "managed", "settings"))...)
	return append(errs, validateSpread(spec, path.Child("members", "spread"))...)
}

// maxMembers is the maximum number of members. The node infos and certificates of all nodes must fit into one
// Secret, which holds 1 MiB.
const maxMembers = 100

func validateCount(count int32, path *field.Path) field.ErrorList {
	if count <= maxMembers {
		return nil
	}
	return field.ErrorList{field.Invalid(path, count, fmt.Sprintf("must be at most %d: the node infos of all nodes share one Secret", maxMembers))}
}

func validateVersion(spec *v1alpha1.BenchmarkNetworkSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	corda := spec.Platform.Corda
	switch {
	case corda.Image != "":
	case isEnterprise(spec):
		errs = append(errs, field.Required(path.Child("image"), "Corda Enterprise is licensed software that you supply as an image (see docs/corda.md)"))
	case !projectImages.contains(corda.Version):
		errs = append(errs, field.Required(path.Child("image"), fmt.Sprintf(
			"the project has images of Corda %s, so you supply that of %s (see docs/corda.md)", projectImages, corda.Version)))
	}
	return append(errs, validateCorDapps(corda, path.Child("cordapps"))...)
}

// validateCorDapps rejects an image of CorDapps that is not pinned, and the project's CorDapps on a version that cannot run them.
func validateCorDapps(corda *v1alpha1.CordaPlatform, path *field.Path) field.ErrorList {
	switch source := corda.CorDapps; {
	case source.Type == v1alpha1.CordAppsImage && !isPinned(source.Image):
		return field.ErrorList{field.Invalid(path.Child("image"), source.Image,
			"must carry a tag other than latest, or a digest, so that a run can be repeated; the project's CorDapps are type Samples")}
	case source.Type == v1alpha1.CordAppsSamples && !projectCorDapps.contains(corda.Version):
		return field.ErrorList{field.Invalid(path.Child("type"), source.Type, fmt.Sprintf(
			"needs platform.corda.version %s, not %s: the project's CorDapps are compiled for Java 8", projectCorDapps, corda.Version))}
	}
	return nil
}

// maxDumpVersion is the version of PostgreSQL whose pg_dump is in the project's node images. It refuses later servers.
const maxDumpVersion = 15

// validateServerVersion rejects a server whose schema template the project's node image would have to dump, but cannot.
func validateServerVersion(spec *v1alpha1.BenchmarkNetworkSpec, path *field.Path) field.ErrorList {
	version := spec.DatabaseOrDefault().ManagedOrDefault().Version
	if version <= maxDumpVersion || spec.Platform.Corda.Image != "" || !bringsCorDapps(spec) && !usesRaft(spec) {
		return nil
	}
	return field.ErrorList{field.Invalid(path, version, fmt.Sprintf("must be at most %d with CorDapps of your own or a Raft notary, "+
		"unless platform.corda.image has a later pg_dump: that of the project's image cannot copy the schema of a later server", maxDumpVersion))}
}

// validateNotaryType rejects a notary type that the edition or the version does not support.
func validateNotaryType(spec *v1alpha1.BenchmarkNetworkSpec, path *field.Path) field.ErrorList {
	corda := spec.Platform.Corda
	if !isNotaryCluster(spec) {
		return nil
	}
	var errs field.ErrorList
	if isEnterprise(spec) {
		errs = append(errs, field.Invalid(path, corda.Notary.Type,
			"needs platform.corda.distribution OpenSource: Corda Enterprise configures notary services with notary.jpa; use Single"))
	}
	if !notaryServices.contains(corda.Version) {
		errs = append(errs, field.Invalid(path, corda.Notary.Type, fmt.Sprintf(
			"needs platform.corda.version %s, not %s, which creates its tables only when it starts", notaryServices, corda.Version)))
	}
	return errs
}

// validateNotaryDatabase rejects a database of the notary that the network does not provide, and a place of the notary that its
// database decides.
func validateNotaryDatabase(spec *v1alpha1.BenchmarkNetworkSpec, path *field.Path) field.ErrorList {
	notary, db := &spec.Platform.Corda.Notary, spec.DatabaseOrDefault()
	perHost := db.Topology == v1alpha1.TopologyPerHost
	var errs field.ErrorList
	switch own := notary.Database; {
	case own == nil && perHost && notary.Scheduling != nil:
		errs = append(errs, field.Forbidden(path.Child("scheduling"), "must not be set when spec.database.topology is PerHost: the notary runs on the host "+
			"of its database; set spec.members.scheduling or spec.platform.corda.notary.database"))
	case own == nil:
	case db.Engine != v1alpha1.EnginePostgreSQL || db.Provider == v1alpha1.ProviderExternal:
		errs = append(errs, field.Forbidden(path.Child("database"), fmt.Sprintf(
			"needs spec.database.engine PostgreSQL with provider Managed or Chart, not %s with provider %s", db.Engine, db.Provider)))
	case db.Chart != nil && !equality.Semantic.DeepEqual(own, &v1alpha1.DatabaseOverride{}):
		errs = append(errs, field.Forbidden(path.Child("database"), "must be {} with spec.database.chart, whose values have the size, settings and place "+
			"of all instances"))
	}
	if notary.Type == v1alpha1.CordaNotarySharedDatabase && (db.Engine != v1alpha1.EnginePostgreSQL || perHost && notary.Database == nil) {
		errs = append(errs, field.Invalid(path.Child("type"), notary.Type, "needs spec.database.engine PostgreSQL with topology Shared or PerMember, or with "+
			"spec.platform.corda.notary.database: its replicas share tables, which H2 does not allow, and run on different hosts"))
	}
	return errs
}

// validateNotaryStorage rejects replicas that lose what they have agreed on with their pod.
func validateNotaryStorage(spec *v1alpha1.BenchmarkNetworkSpec, path *field.Path) field.ErrorList {
	notary, storage := &spec.Platform.Corda.Notary, &spec.Members.Storage
	if notary.Storage != nil {
		storage = notary.Storage
	}
	if !usesRaft(spec) && !usesBFT(spec) || spec.StorageTypeOrDefault(storage) == v1alpha1.StoragePersistent {
		return nil
	}
	return field.ErrorList{field.Invalid(path, notary.Type, "needs spec.platform.corda.notary.storage.type Persistent (default: spec.members.storage, which is "+
		"Ephemeral with spec.purpose Trial): a replica that loses its state with its pod may accept a second spend")}
}

// validateOverrides rejects overrides of members whose database decides what they would change.
func validateOverrides(spec *v1alpha1.BenchmarkNetworkSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	db := spec.DatabaseOrDefault()
	if len(spec.Platform.Corda.Overrides) > 0 && db.Engine != v1alpha1.EngineH2 {
		errs = append(errs, field.Forbidden(path.Child("platform", "corda", "overrides"),
			"needs spec.database.engine H2: schemas in PostgreSQL are copies of one template"))
	}
	for i := range spec.Members.Overrides {
		if spec.Members.Overrides[i].Scheduling != nil && db.Topology == v1alpha1.TopologyPerHost {
			errs = append(errs, field.Forbidden(path.Child("members", "overrides").Index(i).Child("scheduling"), "must not be set when "+
				"spec.database.topology is PerHost: the members of an instance share a host, so set spec.members.scheduling"))
		}
	}
	return errs
}

// isPinned reports whether an image reference has a digest or a tag other than latest.
func isPinned(image string) bool {
	if strings.Contains(image, "@sha256:") {
		return true
	}
	_, tag, tagged := strings.Cut(image[strings.LastIndex(image, "/")+1:], ":")
	return tagged && tag != "" && tag != "latest"
}

// jvmProperties are the beginnings of the system properties of a node that tune it. Those that begin with corda replace keys of
// node.conf.
var jvmProperties = []string{"co.paralleluniverse.fibers.", "log4j2.asyncLogger"}

func validateTuning(spec *v1alpha1.BenchmarkNetworkSpec, path *field.Path) field.ErrorList {
	tuning := tuningOf(spec)
	heap := sizing.MachineOf(&spec.Members).Heap
	errs := validateCache(tuning.TransactionCacheSize, heap, path.Child("transactionCacheSize"))
	errs = append(errs, validateCache(tuning.AttachmentCacheSize, heap, path.Child("attachmentCacheSize"))...)
	return append(errs, members.ValidateJVMArgs(tuning.JVMArgs, path.Child("jvmArgs"), jvmProperties...)...)
}

// validateCache rejects a cache larger than half of the heap; the flows need the rest.
func validateCache(size *resource.Quantity, heap resource.Quantity, path *field.Path) field.ErrorList {
	if size == nil || size.Sign() > 0 && size.Value() <= heap.Value()/2 {
		return nil
	}
	return field.ErrorList{field.Invalid(path, size.String(), fmt.Sprintf(
		"must be greater than 0 and at most half of the heap (%s), which contains the cache", heap.String()))}
}

func validateStorage(spec *v1alpha1.BenchmarkNetworkSpec, path *field.Path) field.ErrorList {
	size := spec.Members.Storage.Size
	if size == nil || size.Value() >= 512<<20 {
		return nil
	}
	return field.ErrorList{field.Invalid(path, size.String(), "must be at least 512Mi for journal, logs and CorDapps")}
}

// validateSpread rejects a required spread if the members of a database instance must share a host.
func validateSpread(spec *v1alpha1.BenchmarkNetworkSpec, path *field.Path) field.ErrorList {
	db := spec.DatabaseOrDefault()
	if spec.Members.Spread != v1alpha1.SpreadRequired || db.Topology != v1alpha1.TopologyPerHost ||
		db.MembersPerInstance == nil || *db.MembersPerInstance == 1 {
		return nil
	}
	return field.ErrorList{field.Invalid(path, spec.Members.Spread,
		"cannot be Required when database.topology is PerHost with more than one member per instance: such members share a host")}
}
