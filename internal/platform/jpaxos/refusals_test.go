package jpaxos_test

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform/jpaxos"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
)

const validManifest = `
apiVersion: benchnet.dev/v1alpha1
kind: BenchmarkNetwork
metadata: {name: net}
spec:
  platform: {type: JPaxos, jpaxos: {image: "example.com/jpaxos:1"}}
  members: {count: 3}
  workloads:
  - name: echo
    type: JPaxos
    jpaxos: {requestBytes: 128}
    load: {clients: 10}
`

type networkSpec = v1alpha1.BenchmarkNetworkSpec

func withExtraProperty(key, value string) func(*networkSpec) {
	return func(s *networkSpec) {
		s.Platform.JPaxos.ExtraProperties = map[string]v1alpha1.Text{key: v1alpha1.Text(value)}
	}
}

func withJVMArg(arg string) func(*networkSpec) {
	return func(s *networkSpec) { s.Platform.JPaxos.JVMArgs = []string{arg} }
}

func withTuning(change func(*v1alpha1.JPaxosTuning)) func(*networkSpec) {
	return func(s *networkSpec) { change(&s.Platform.JPaxos.Tuning) }
}

func TestRefuses(t *testing.T) {
	own := "platform.jpaxos."
	network := platformtest.NewNetworkAdmission(t).AdmitNetwork(t, []byte(validManifest))
	for _, r := range []struct {
		Name   string
		Change func(*networkSpec)
		Field  string
		Says   []string
	}{
		{"no image", func(s *networkSpec) { s.Platform.JPaxos.Image = "" }, own + "image", []string{"not published in any registry", "docs/jpaxos.md"}},
		{"an even number of replicas", func(s *networkSpec) { s.Members.Count = 4 }, "members.count",
			[]string{"4", "3, 5, 7 or 9", "(n+1)/2", "of 4 replicas that is 2", "need not overlap"}},
		{"too few replicas", func(s *networkSpec) { s.Members.Count = 1 }, "members.count", []string{"3, 5, 7 or 9"}},
		{"too many replicas", func(s *networkSpec) { s.Members.Count = 11 }, "members.count", []string{"3, 5, 7 or 9"}},
		{"no room besides the heap", func(s *networkSpec) { s.Members.Memory = resource.NewQuantity(1100<<20, resource.BinarySI) },
			"members.memory", []string{"1100Mi", "heap 1Gi"}},
		{"heap as an argument", withJVMArg("-Xmx2g"), own + "jvmArgs[0]", []string{"members.heap"}},
		{"no argument", withJVMArg("UseG1GC"), own + "jvmArgs[0]", []string{"dash"}},
		{"two arguments in one", withJVMArg("-Da=b -Dc=d"), own + "jvmArgs[0]", []string{"no spaces"}},
		{"a leader always suspected", withTuning(func(t *v1alpha1.JPaxosTuning) { t.FailureSendInterval.Duration = time.Second }),
			own + "tuning.failureSendInterval", []string{"below failureSuspectTimeout (1s)"}},
		{"no selector", withTuning(func(t *v1alpha1.JPaxosTuning) { t.SelectorThreads = 0 }), own + "tuning.selectorThreads", []string{"-1"}},
		{"forced before it is requested", withTuning(func(t *v1alpha1.JPaxosTuning) { t.SnapshotForceRatio = resource.MustParse("500m") }),
			own + "tuning.snapshotForceRatio", []string{"500m", "snapshotAskRatio (1)"}},
		{"no ratio", withTuning(func(t *v1alpha1.JPaxosTuning) { t.SnapshotAskRatio = resource.MustParse("0") }),
			own + "tuning.snapshotAskRatio", []string{"greater than 0"}},
		{"a property that has a field", withExtraProperty("WindowSize", "5"), own + "extraProperties[WindowSize]", []string{"platform.jpaxos.tuning.windowSize"}},
		{"the transport as a property", withExtraProperty("Network", "NIO"), own + "extraProperties[Network]", []string{"platform.jpaxos.transport"}},
		{"a custom replica list", withExtraProperty("process.7", "x:1:2"), own + "extraProperties[process.7]", []string{"set by the operator"}},
		{"the log directory", withExtraProperty("LogPath", "/tmp"), own + "extraProperties[LogPath]", []string{"set by the operator"}},
		{"a second line", withExtraProperty("service.key", "1\nWindowSize = 5"), own + "extraProperties[service.key]", []string{"one line"}},
		{"a key with a typing error", withExtraProperty("windowSize", "5"), own + "extraProperties[windowSize]",
			[]string{"no key of JPaxos", "lsr. or service."}},
		{"a key that no code reads", withExtraProperty("BenchmarkRunReplica", "true"), own + "extraProperties[BenchmarkRunReplica]",
			[]string{"lsr. or service."}},
		{"a key that contains a prefix", withExtraProperty("my.service.a", "1"), own + "extraProperties[my.service.a]", []string{"lsr. or service."}},
		{"a comment", withExtraProperty("#Key", "1"), own + "extraProperties[#Key]", []string{"letters, digits"}},
		{"a continued line", withExtraProperty("service.key", `1\`), own + "extraProperties[service.key]", []string{"no backslash"}},
		{"no key", withExtraProperty("a b", "1"), own + "extraProperties[a b]", []string{"no spaces"}},
		{"a workload of another platform", func(s *networkSpec) {
			s.Workloads[0].JPaxos, s.Workloads[0].Corda = nil, &v1alpha1.CordaWorkload{}
		}, "workloads[0].jpaxos", []string{"needs jpaxos"}},
		{"sizes of a mix and a plain one", func(s *networkSpec) { s.Workloads[0].JPaxos.Mix = make([]v1alpha1.JPaxosMixEntry, 2) },
			"workloads[0].jpaxos.requestBytes", []string{"128", "must not be set with mix"}},
		{"more threads than a worker has", func(s *networkSpec) { s.Workloads[0].Load.Clients = 6001 }, "workloads[0].workers.count",
			[]string{"load.clients 6001", "at most 2000", "4 workers"}},
	} {
		platformtest.CheckRefusal(t, jpaxos.New(), network, platformtest.Refusal(r))
	}
}
