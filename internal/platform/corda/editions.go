package corda

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// validateEdition rejects tuning fields and extraConfig keys that the edition or the version does not support.
func validateEdition(spec *v1alpha1.BenchmarkNetworkSpec, path *field.Path) field.ErrorList {
	tuning, path := tuningOf(spec), path.Child("tuning")
	errs := validateEnterpriseFields(spec, tuning, path)
	if tuning.FlowExternalOperationThreads != nil {
		errs = append(errs, validateKeyVersion(spec, "flowExternalOperationThreadPoolSize", path.Child("flowExternalOperationThreads"))...)
	}
	for _, key := range slices.Sorted(maps.Keys(tuning.ExtraConfig)) {
		errs = append(errs, validateExtraEntry(spec, key, string(tuning.ExtraConfig[key]), path.Child("extraConfig").Key(key))...)
	}
	return errs
}

func validateEnterpriseFields(spec *v1alpha1.BenchmarkNetworkSpec, t v1alpha1.CordaTuning, path *field.Path) field.ErrorList {
	if isEnterprise(spec) {
		return nil
	}
	var errs field.ErrorList
	for _, f := range []struct {
		set       bool
		name, key string
	}{
		{t.FlowThreads != nil, "flowThreads", "enterpriseConfiguration.tuning.flowThreadPoolSize"},
		{t.RPCThreads != nil, "rpcThreads", "enterpriseConfiguration.tuning.rpcThreadPoolSize"},
		{t.P2PCompression != nil, "p2pCompression", "enableP2PCompression"},
		{t.OpenSSL != nil, "openSSL", "useOpenSsl"},
		{t.JournalBufferTimeout != nil, "journalBufferTimeout", "enterpriseConfiguration.tuning.journalBufferTimeout"},
		{t.BrokerConnectionTTLCheckInterval != nil, "brokerConnectionTTLCheckInterval",
			"enterpriseConfiguration.tuning.brokerConnectionTtlCheckIntervalMs"},
	} {
		if f.set {
			errs = append(errs, enterpriseOnlyError(path.Child(f.name), f.key))
		}
	}
	return errs
}

func enterpriseOnlyError(path *field.Path, key string) *field.Error {
	return field.Forbidden(path, fmt.Sprintf("%s exists only in Corda Enterprise: set platform.corda.distribution to Enterprise", key))
}

// validateKeyVersion rejects a key that the version does not support.
func validateKeyVersion(spec *v1alpha1.BenchmarkNetworkSpec, key string, path *field.Path) field.ErrorList {
	version := spec.Platform.Corda.Version
	for _, root := range slices.Sorted(maps.Keys(keyVersions)) {
		if isKeyWithin(key, root) && !keyVersions[root].contains(version) {
			return field.ErrorList{field.Forbidden(path, fmt.Sprintf("%s needs Corda %s, not %s", key, keyVersions[root], version))}
		}
	}
	return nil
}
