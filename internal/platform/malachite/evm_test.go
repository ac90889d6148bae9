package malachite_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform/execution"
	"github.com/benchnet/benchnet/internal/platform/malachite"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
	"github.com/benchnet/benchnet/internal/platform/validators"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

const validEVMManifest = `
apiVersion: benchnet.dev/v1alpha1
kind: BenchmarkNetwork
metadata: {name: net}
spec:
  platform: {type: MalachiteEVM, malachiteEVM: {}}
  members: {count: 4, memory: 4Gi}
  workloads:
  - name: transfers
    type: EVM
    evm: {}
    load: {model: Open, ratePerSecond: "400", clients: 10}
`

// newEVMMeasurement returns a window of four seconds with a block every half second; the fifth is empty.
func newEVMMeasurement(series ...measurement.NamedSeries) *measurement.Measurement {
	m := &measurement.Measurement{WindowSeconds: 4, Histogram: measurement.NewHistogram(), Unit: "transactions", Series: series}
	for i := range int64(8) {
		b := measurement.Block{Height: 10 + i, Micros: i * 500_000, Transactions: 5, Proposer: fmt.Sprintf("0x%040x", 0xbe9c_0000_0000+i%4+1)}
		if i == 4 {
			b.Transactions = 0
		}
		m.Blocks = append(m.Blocks, b)
	}
	return m
}

func interpretEVM(t *testing.T, m *measurement.Measurement) verdict.Interpretation {
	t.Helper()
	network := platformtest.NewNetworkAdmission(t).AdmitNetwork(t, []byte(validEVMManifest))
	return malachite.NewEVM().Interpret(&network.Spec, &network.Spec.Workloads[0].Workload, m)
}

func TestInterpretEVM(t *testing.T) {
	none := measurement.Missing
	i := interpretEVM(t, newEVMMeasurement(
		measurement.NamedSeries{Subject: "member-0/consensus", Name: "buildTime", Values: measurement.Series{0.1, none, 0.1, 0.1}},
		measurement.NamedSeries{Subject: "member-0/consensus", Name: "builds", Values: measurement.Series{1, 1, 1, 1}},
		measurement.NamedSeries{Subject: "member-1/consensus", Name: "buildTime", Values: measurement.Series{0.4, 0.4, none, none}},
		measurement.NamedSeries{Subject: "member-1/consensus", Name: "builds", Values: measurement.Series{1, none, 1, 1}},
		measurement.NamedSeries{Subject: "member-0/consensus", Name: "laterRounds", Values: measurement.Series{0, 1, none, 0.4}},
		measurement.NamedSeries{Subject: "member-1/consensus", Name: "laterRounds", Values: measurement.Series{0, 1, 1, none}},
		measurement.NamedSeries{Subject: "member-0/consensus", Name: "executionErrors", Values: measurement.Series{0, 0, 0, 0}},
		measurement.NamedSeries{Subject: "member-1/consensus", Name: "executionErrors", Values: measurement.Series{0, 1, none, 1}},
	))
	for _, measure := range i.Measures {
		if measure.Name == "buildMean" && math.Abs(measure.Value-175) > 1e-9 {
			t.Errorf("buildMean is %v, want the mean of 100, 100, 100 and 400", measure.Value)
		}
		if measure.Name == "executeMean" {
			t.Error("executeMean without a series")
		}
	}
	if len(i.Notes) != 2 || i.Notes[0].Code != validators.RoundsAboveZero || i.Notes[0].Value != 2 ||
		i.Notes[1].Code != malachite.ExecutionErrors || i.Notes[1].Subject != "member-1" || i.Notes[1].Value != 2 {
		t.Errorf("notes %+v, want two blocks of later rounds, as member-1 saw them, and its two failed requests", i.Notes)
	}
}

func TestEmptyBlocks(t *testing.T) {
	pool := func(member string, values ...float64) measurement.NamedSeries {
		return measurement.NamedSeries{Subject: member, Name: "pendingTransactions", Values: values}
	}
	for name, test := range map[string]struct {
		pools []measurement.NamedSeries
		want  bool
	}{
		"all pools had some":             {[]measurement.NamedSeries{pool("member-0", 1, 1, 1, 0), pool("member-1", 0, 2, 2, 0)}, true},
		"one pool had none":              {[]measurement.NamedSeries{pool("member-0", 1, 1, 1, 1), pool("member-1", 1, 1, 0, 1)}, false},
		"a pool had none a second ago":   {[]measurement.NamedSeries{pool("member-0", 1, 0, 1, 1)}, false},
		"a pool was not read":            {[]measurement.NamedSeries{pool("member-0", 1, measurement.Missing, 1, 1)}, false},
		"a series of another resolution": {[]measurement.NamedSeries{pool("member-0", 1, 1)}, false},
		"no pools":                       {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			i := interpretEVM(t, newEVMMeasurement(test.pools...))
			found := slices.ContainsFunc(i.Notes, func(r verdict.Reason) bool { return r.Code == malachite.EmptyBlocks && r.Value == 1 })
			if found != test.want {
				t.Errorf("notes %+v", i.Notes)
			}
		})
	}
}

// TestSilentProposer has 40 blocks, none of them of the last of four members. With a power of 1 of 31 one block was due to it, and with
// one of 3 of 33 three were.
func TestSilentProposer(t *testing.T) {
	admission := platformtest.NewNetworkAdmission(t)
	for powers, want := range map[string]bool{"": true, "overrides: [{members: [member-3], power: 1}]": false, "overrides: [{members: [member-3], power: 3}]": true} {
		t.Run(powers, func(t *testing.T) {
			manifest := strings.Replace(validEVMManifest, "malachiteEVM: {}", "malachiteEVM: {powers: {"+powers+"}}", 1)
			network := admission.AdmitNetwork(t, []byte(manifest))
			m := &measurement.Measurement{WindowSeconds: 4, Histogram: measurement.NewHistogram(), Unit: "transactions"}
			for i := range 40 {
				m.Blocks = append(m.Blocks, measurement.Block{Height: int64(i), Micros: int64(i) * 100_000, Transactions: 1, Proposer: execution.FeeRecipient(i % 3)})
			}
			notes := malachite.NewEVM().Interpret(&network.Spec, &network.Spec.Workloads[0].Workload, m).Notes
			found := slices.ContainsFunc(notes, func(r verdict.Reason) bool { return r.Code == "SilentProposer" && r.Subject == "member-3" })
			if found != want || len(notes) > 1 {
				t.Errorf("notes %+v", notes)
			}
		})
	}
}

// TestVersions checks that results name both programs, how blocks are built and what their timestamps are.
func TestVersions(t *testing.T) {
	admission := platformtest.NewNetworkAdmission(t)
	for fields, want := range map[string]string{
		"":                                 "Malachite 0.8.2 + geth 1.17.4 (blocks built by testing_buildBlockV1, logical timestamps)",
		"execution: {image: \"x/geth:2\"}": "Malachite 0.8.2 + geth, x/geth:2 (blocks built by testing_buildBlockV1, logical timestamps)",
		"image: \"x/bench:1\"":             "Malachite, x/bench:1 + geth 1.17.4 (blocks built by testing_buildBlockV1, logical timestamps)",
	} {
		t.Run(fields, func(t *testing.T) {
			manifest := strings.Replace(validEVMManifest, "malachiteEVM: {}", "malachiteEVM: {"+fields+"}", 1)
			network := admission.AdmitNetwork(t, []byte(manifest))
			if got := malachite.NewEVM().Version(&network.Spec); got != want {
				t.Errorf("version %q, want %q", got, want)
			}
		})
	}
}

// TestGethKeepsItsChain checks that the first run of geth writes the layout of the state that later runs have, also where the user
// chooses it, and that the API at the socket is at no port.
func TestGethKeepsItsChain(t *testing.T) {
	for scheme, flags := range map[string]map[string]v1alpha1.Text{"hash": nil, "path": {"state.scheme": "path", "gcmode": "full"}} {
		t.Run(scheme, func(t *testing.T) {
			network := platformtest.NewNetworkAdmission(t).AdmitNetwork(t, []byte(validEVMManifest))
			network.Spec.Platform.MalachiteEVM.Execution.Flags = flags
			pod := firstStatefulSet(t, network).Spec.Template.Spec
			flag := "--state.scheme=" + scheme
			for _, c := range []corev1.Container{pod.InitContainers[len(pod.InitContainers)-1], pod.Containers[1]} {
				if !slices.Contains(c.Command, flag) {
					t.Errorf("container %s lacks %s: %v", c.Name, flag, c.Command)
				}
			}
			geth := pod.Containers[1].Command
			if !slices.Contains(geth, "--ipcpath=/run/execution/geth.ipc") || !slices.Contains(geth, "--authrpc.addr=127.0.0.1") {
				t.Errorf("geth serves its socket or the Engine API elsewhere: %v", geth)
			}
			for _, argument := range geth {
				if api, ok := strings.CutPrefix(argument, "--http.api="); ok && api != "eth,net,web3,txpool" {
					t.Errorf("the load reaches the APIs %s", api)
				}
			}
		})
	}
}

// TestEVMPeers checks that the graph is that of the validators.
func TestEVMPeers(t *testing.T) {
	manifest := strings.Replace(validEVMManifest, "malachiteEVM: {}", "malachiteEVM: {peers: {type: Ring, degree: 2}}", 1)
	config := firstConfig(t, malachite.NewEVM(), platformtest.NewNetworkAdmission(t).AdmitNetwork(t, []byte(manifest)))
	first, second := strings.Index(config, "/dns4/net-member-1"), strings.Index(config, "/dns4/net-member-2")
	if first < 0 || second < first || strings.Count(config, "/dns4/") != 2 {
		t.Errorf("want member-1 and member-2 as peers in\n%s", config)
	}
}

func firstStatefulSet(t *testing.T, network *v1alpha1.BenchmarkNetwork) *appsv1.StatefulSet {
	t.Helper()
	for _, o := range platformtest.Build(t, malachite.NewEVM(), network).Members {
		if set, ok := o.(*appsv1.StatefulSet); ok {
			return set
		}
	}
	t.Fatal("no member")
	return nil
}
