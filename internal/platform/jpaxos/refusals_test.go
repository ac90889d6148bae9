package jpaxos_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform/jpaxos"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
)

const good = `
apiVersion: benchnet.dev/v1alpha1
kind: BenchmarkNetwork
metadata: {name: net}
spec:
  platform: {type: JPaxos, jpaxos: {image: "example.com/jpaxos:1"}}
  members: {count: 3}
  workloads:
  - name: echo
    jpaxos: {requestBytes: 128}
    load: {clients: 10}
`

type spec = v1alpha1.BenchmarkNetworkSpec

func extra(key, value string) func(*spec) {
	return func(s *spec) { s.Platform.JPaxos.ExtraProperties = map[string]string{key: value} }
}

func jvmArg(arg string) func(*spec) {
	return func(s *spec) { s.Platform.JPaxos.JVMArgs = []string{arg} }
}

func tuning(change func(*v1alpha1.JPaxosTuning)) func(*spec) {
	return func(s *spec) { change(&s.Platform.JPaxos.Tuning) }
}

func TestRefuses(t *testing.T) {
	own := "platform.jpaxos."
	network := platformtest.NetworkAdmission(t).Network(t, []byte(good))
	for _, r := range []struct {
		Name   string
		Change func(*spec)
		Field  string
		Says   []string
	}{
		{"no image", func(s *spec) { s.Platform.JPaxos.Image = "" }, own + "image", []string{"no registry", "docs/jpaxos.md"}},
		{"an even number of replicas", func(s *spec) { s.Members.Count = 4 }, "members.count",
			[]string{"4", "3, 5, 7 or 9", "(n+1)/2", "of 4 replicas is 2", "need not meet"}},
		{"too few replicas", func(s *spec) { s.Members.Count = 1 }, "members.count", []string{"3, 5, 7 or 9"}},
		{"too many replicas", func(s *spec) { s.Members.Count = 11 }, "members.count", []string{"3, 5, 7 or 9"}},
		{"no room besides the heap", func(s *spec) { s.Members.Memory = resource.NewQuantity(1100<<20, resource.BinarySI) },
			"members.memory", []string{"1100Mi", "heap 1Gi"}},
		{"heap as an argument", jvmArg("-Xmx2g"), own + "jvmArgs[0]", []string{"members.heap"}},
		{"no argument", jvmArg("UseG1GC"), own + "jvmArgs[0]", []string{"dash"}},
		{"two arguments in one", jvmArg("-Da=b -Dc=d"), own + "jvmArgs[0]", []string{"no spaces"}},
		{"a leader always suspected", tuning(func(t *v1alpha1.JPaxosTuning) { t.FailureSendMilliseconds = 1000 }),
			own + "tuning.failureSendMilliseconds", []string{"below failureSuspectMilliseconds (1000)"}},
		{"no selector", tuning(func(t *v1alpha1.JPaxosTuning) { t.SelectorThreads = 0 }), own + "tuning.selectorThreads", []string{"-1"}},
		{"forced before it is asked for", tuning(func(t *v1alpha1.JPaxosTuning) { t.SnapshotForceRatio = resource.MustParse("500m") }),
			own + "tuning.snapshotForceRatio", []string{"500m", "snapshotAskRatio (1)"}},
		{"no ratio", tuning(func(t *v1alpha1.JPaxosTuning) { t.SnapshotAskRatio = resource.MustParse("0") }),
			own + "tuning.snapshotAskRatio", []string{"greater than 0"}},
		{"a property that has a field", extra("WindowSize", "5"), own + "extraProperties[WindowSize]", []string{"platform.jpaxos.tuning.windowSize"}},
		{"the transport as a property", extra("Network", "NIO"), own + "extraProperties[Network]", []string{"platform.jpaxos.transport"}},
		{"a replica of one's own", extra("process.7", "x:1:2"), own + "extraProperties[process.7]", []string{"set by the operator"}},
		{"the log's place", extra("LogPath", "/tmp"), own + "extraProperties[LogPath]", []string{"set by the operator"}},
		{"a second line", extra("Key", "1\nWindowSize = 5"), own + "extraProperties[Key]", []string{"one line"}},
		{"no key", extra("a b", "1"), own + "extraProperties[a b]", []string{"no spaces"}},
		{"a workload of another platform", func(s *spec) {
			s.Workloads[0].JPaxos, s.Workloads[0].Corda = nil, &v1alpha1.CordaWorkload{Flow: "Issue"}
		}, "workloads[0].jpaxos", []string{"needs jpaxos"}},
		{"more threads than a worker has", func(s *spec) { s.Workloads[0].Load.Clients = 6001 }, "workloads[0].workers.count",
			[]string{"load.clients 6001", "at most 2000", "4 workers"}},
	} {
		platformtest.Refuses(t, jpaxos.New(), network, platformtest.Refusal(r))
	}
}
