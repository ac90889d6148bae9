package controllers_test

import (
	"testing"
)

// validJPaxosNetwork is the network that each case of TestBadInputJPaxos makes invalid.
const validJPaxosNetwork = `
apiVersion: benchnet.dev/v1alpha1
kind: BenchmarkNetwork
metadata: {name: replicas}
spec:
  platform: {type: JPaxos, jpaxos: {image: "example.com/jpaxos:1"}}
  members: {count: 3}
  workloads:
  - name: echo
    type: JPaxos
    jpaxos: {requestBytes: 128}
    load: {clients: 10}
`

func TestBadInputJPaxos(t *testing.T) {
	const image = `image: "example.com/jpaxos:1"`
	expectRejections(t, validJPaxosNetwork, []badInputCase{
		{"no image", `{` + image + `}`, `{transport: NIO}`, []string{"platform.jpaxos.image", "Required value"}},
		{"image with a floating tag", "jpaxos:1", "jpaxos:latest", []string{"platform.jpaxos.image", "latest"}},
		{"image without a tag", "jpaxos:1", "jpaxos", []string{"platform.jpaxos.image", "tag"}},
		{"unknown transport", image, image + `, transport: QUIC`, []string{"platform.jpaxos.transport", "QUIC", "TCPNIO"}},
		{"unknown crash model", image, image + `, crashModel: None`, []string{"platform.jpaxos.crashModel", "None", "EpochSS"}},
		{"pause of replicas without a log", "members:", "pause: Now\n  members:", []string{"spec.pause must be Never", "crashModel FullSS or Pmem"}},
		{"own service without a class", image, image + `, service: Own`, []string{"platform.jpaxos.serviceClass", "Own"}},
		{"class without an own service", image, image + `, serviceClass: a.B`, []string{"platform.jpaxos.serviceClass", "Own"}},
		{"invalid class name", image, image + `, service: Own, serviceClass: "my service"`, []string{"platform.jpaxos.serviceClass must be", "com.example.Service"}},
		{"relative class path", image, image + `, classPath: "lib/*"`, []string{"platform.jpaxos.classPath must be absolute"}},
		{"even number of replicas", "count: 3", "count: 4", []string{"spec.members.count", "4", "3, 5, 7 or 9", "majority"}},
		{"too many replicas", "count: 3", "count: 11", []string{"spec.members.count", "11", "3, 5, 7 or 9"}},
		{"window of zero instances", image, image + `, tuning: {windowSize: 0}`, []string{"platform.jpaxos.tuning.windowSize", "0"}},
		{"leader that is always suspected", image, image + `, tuning: {failureSendInterval: 2s}`,
			[]string{"tuning.failureSendInterval", "2s", "failureSuspectTimeout (1s)"}},
		{"delay without a unit", image, image + `, tuning: {maxBatchDelay: "10"}`, []string{"tuning.maxBatchDelay", "must be whole milliseconds", "such as 500ms"}},
		{"timeout too short", image, image + `, tuning: {retransmitTimeout: 0s}`, []string{"jpaxos.tuning", "retransmitTimeout", "from 1ms to 10m"}},
		{"timeout in parts of a millisecond", image, image + `, tuning: {fetchBatchTimeout: 1.0005s}`, []string{"jpaxos.tuning", "fetchBatchTimeout must be whole milliseconds"}},
		{"address that is not multicast", image, image + `, tuning: {multicastAddress: "10.0.0.1"}`, []string{"tuning.multicastAddress must be", "224.0.0.0"}},
		{"property that has a field", image, image + `, extraProperties: {BatchSize: "1"}`, []string{"extraProperties[BatchSize]", "tuning.batchSizeBytes"}},
		{"heap set twice", image, image + `, jvmArgs: ["-Xmx2g"]`, []string{"jvmArgs[0]", "members.heap"}},
		{"database", "members: {count: 3}", "members: {count: 3}\n  database: {engine: H2}", []string{"spec.database belongs to platform Corda"}},
		{"request of zero bytes", "requestBytes: 128", "requestBytes: 0", []string{"jpaxos.requestBytes", "0"}},
		{"sizes of a mix and a plain one", "requestBytes: 128", "requestBytes: 128, mix: [{name: a, weight: 1, requestBytes: 1}, {name: b, weight: 1, requestBytes: 2}]",
			[]string{"jpaxos.requestBytes", "128", "must not be set with mix"}},
		{"an entry without a size", "requestBytes: 128", "mix: [{name: a, weight: 1}, {name: b, weight: 1, requestBytes: 2}]",
			[]string{"jpaxos.mix[0].requestBytes", "Required"}},
		{"an entry of zero bytes", "requestBytes: 128", "mix: [{name: a, weight: 1, requestBytes: 0}, {name: b, weight: 1, requestBytes: 2}]",
			[]string{"jpaxos.mix[0].requestBytes", "0"}},
		{"two entries of one name", "requestBytes: 128", "mix: [{name: a, weight: 1, requestBytes: 1}, {name: a, weight: 1, requestBytes: 2}]",
			[]string{"jpaxos.mix[1]", "Duplicate"}},
		{"workload of another platform", "type: JPaxos\n    jpaxos: {requestBytes: 128}", "type: Corda\n    corda: {finance: {operation: Issue}}", []string{"workloads[0].jpaxos", "needs jpaxos"}},
		{"no load", "    load: {clients: 10}\n", "", []string{"load must be set"}},
		{"too many clients for a worker", "clients: 10", "clients: 5000", []string{"workers.count", "5000", "3 workers"}},
	})
}
