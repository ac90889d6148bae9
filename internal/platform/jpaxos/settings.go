package jpaxos

import (
	"fmt"
	"strings"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/members"
	"github.com/benchnet/benchnet/internal/platform/sizing"
)

// processBaseBytes is the memory of a replica besides heap and the buffers of its cores: code, threads,
// connections, and the agent. Measured with 3000 clients on three replicas: 93Mi. The value is doubled for the
// parts that grow with the load.
const processBaseBytes = int64(192) << 20

func replicaOverhead() sizing.ProcessOverhead { return sizing.ProcessOverhead{Base: processBaseBytes} }

// DerivedSettings returns the settings of every replica, each with its source. The content of paxos.properties
// is not listed because the spec has it.
func (JPaxos) DerivedSettings(spec *v1alpha1.BenchmarkNetworkSpec) []v1alpha1.DerivedSetting {
	machine := sizing.MachineOf(&spec.Members)
	offHeap := machine.OffHeapMemory(replicaOverhead())
	return append(members.MachineSettings(&spec.Members, ""), []v1alpha1.DerivedSetting{
		{Name: "memoryBesidesHeap", Value: offHeap.String(), Source: "192Mi (twice what was measured) + 16Mi of network buffers per core"},
		{Name: "jvmArgs", Value: strings.Join(jvmArgs(spec), " "), Source: "the published runs' -server and a fixed heap; then spec.platform.jpaxos.jvmArgs"},
		{Name: "majority", Value: fmt.Sprint(spec.Members.Count/2 + 1), Source: "of spec.members.count replicas"},
		storageSetting(spec),
	}...)
}

func storageSetting(spec *v1alpha1.BenchmarkNetworkSpec) v1alpha1.DerivedSetting {
	p := spec.Platform.JPaxos
	if !persistsLog(p) {
		return v1alpha1.DerivedSetting{Name: platform.SettingMemberStorage, Value: "a volume of the pod", Source: fmt.Sprintf(
			"crash model %s recovers over the network and would wait indefinitely for the log of an earlier incarnation", p.CrashModel)}
	}
	size := volumeSize(spec)
	return v1alpha1.DerivedSetting{Name: platform.SettingMemberStorage, Value: size.String(), Source: platform.SettingSource(
		spec.Members.Storage.Size != nil, "spec.members.storage.size", "2Gi for the log since the last snapshot, and the pool of Pmem")}
}
