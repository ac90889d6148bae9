package corda_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform/corda"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
)

func TestGolden(t *testing.T) {
	platformtest.CheckGolden(t, corda.New(), "corda_two_banks")
}

// TestProjectCorDapps checks that members and load workers use the same version of the project's CorDapps,
// even if a newer operator creates the workers.
func TestProjectCorDapps(t *testing.T) {
	network := platformtest.NewNetworkAdmission(t).AdmitNetwork(t, platformtest.ReadSampleFile(t, "corda_iou.yaml"))
	in := platformtest.NewInput(corda.New(), network)
	topology := corda.New().Topology(network)
	for _, test := range []struct{ name, networkVersion, want string }{
		{"a network of this operator version", "", "registry.test/benchnet/cordapps:0.0.1"},
		{"a network of an older operator version", "0.0.0", "registry.test/benchnet/cordapps:0.0.0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			in.NetworkImageVersion = test.networkVersion
			load, err := corda.New().BuildDriver(in, topology, &network.Spec.Workloads[0].Workload)
			if err != nil {
				t.Fatal(err)
			}
			if len(load.Init) != 1 || load.Init[0].Image != test.want {
				t.Errorf("the worker's init containers are %+v, want one of image %s", load.Init, test.want)
			}
			if want := "registry.test/benchnet/jmeter-corda:0.0.1-4.10"; load.Image != want {
				t.Errorf("the worker's image is %s, want %s", load.Image, want)
			}
		})
	}
}

// TestPlanHasDataBesideIt checks that a user's plan finds every key of its ConfigMap, and that the agent, which knows the
// worker's share, adds all of its properties.
func TestPlanHasDataBesideIt(t *testing.T) {
	network := platformtest.NewNetworkAdmission(t).AdmitNetwork(t, platformtest.ReadSampleFile(t, "corda_own_cordapp.yaml"))
	load, err := corda.New().BuildDriver(platformtest.NewInput(corda.New(), network), corda.New().Topology(network), &network.Spec.Workloads[1].Workload)
	if err != nil {
		t.Fatal(err)
	}
	volume, mount := load.Volumes[len(load.Volumes)-1], load.Mounts[len(load.Mounts)-1]
	if volume.ConfigMap == nil || volume.ConfigMap.Name != "my-plan" || len(volume.ConfigMap.Items) > 0 ||
		volume.Name != mount.Name || load.Plan != mount.MountPath+"/plan.jmx" || !mount.ReadOnly {
		t.Errorf("the volume is %+v, the mount %+v, the plan %s", volume, mount, load.Plan)
	}
	if len(load.Command) != 1 {
		t.Errorf("the command %v has arguments", load.Command)
	}
}

// TestDataIsMounted checks that workers get the CSV file of the arguments, and the seed.
func TestDataIsMounted(t *testing.T) {
	network := platformtest.NewNetworkAdmission(t).AdmitNetwork(t, platformtest.ReadSampleFile(t, "corda_data.yaml"))
	workload := &network.Spec.Workloads[0].Workload
	load, err := corda.New().BuildDriver(platformtest.NewInput(corda.New(), network), corda.New().Topology(network), workload)
	if err != nil {
		t.Fatal(err)
	}
	volume, mount := load.Volumes[len(load.Volumes)-1], load.Mounts[len(load.Mounts)-1]
	if volume.ConfigMap == nil || volume.ConfigMap.Name != workload.Corda.Flow.Data.ConfigMapName ||
		volume.Name != mount.Name || mount.MountPath != "/etc/benchnet/data" || !mount.ReadOnly {
		t.Errorf("the volume is %+v, the mount %+v", volume, mount)
	}
	text, err := json.Marshal(load.Workload.Operation)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"data":"/etc/benchnet/data/data.csv"`, `"seed":0`, `"value":"${csv:lender}"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("workload.json lacks %s: %s", want, text)
		}
	}
}

// TestNumbersWithoutQuotes checks that values which may be numbers need no quotes.
func TestNumbersWithoutQuotes(t *testing.T) {
	const manifest = `
apiVersion: benchnet.dev/v1alpha1
kind: BenchmarkNetwork
metadata: {name: net}
spec:
  platform: {type: Corda, corda: {tuning: {extraConfig: {flowTimeout.maxRestartCount: 5, flowTimeout.backoffBase: "1.8"}}}}
  members: {count: 2}
  workloads:
  - name: exit
    type: Corda
    corda:
      flow:
        class: net.corda.finance.flows.CashExitFlow
        arguments: [{type: Long, value: 5000000000}, {type: Int, value: "7"}]
    load: {clients: 1}
`
	admission := platformtest.NewNetworkAdmission(t)
	spec := admission.AdmitNetwork(t, []byte(manifest)).Spec
	extra, arguments := spec.Platform.Corda.Tuning.ExtraConfig, spec.Workloads[0].Corda.Flow.Arguments
	if extra["flowTimeout.maxRestartCount"] != "5" || extra["flowTimeout.backoffBase"] != "1.8" ||
		arguments[0].Value != "5000000000" || arguments[1].Value != "7" {
		t.Errorf("extraConfig is %v and the arguments are %v", extra, arguments)
	}
	if errs := corda.New().Validate(&spec, field.NewPath("spec")); len(errs) > 0 {
		t.Errorf("refused: %v", errs)
	}
	object := strings.Replace(manifest, `"7"`, "{seven: 7}", 1)
	if err := admission.Admit([]byte(object), &v1alpha1.BenchmarkNetwork{}); err == nil || !strings.Contains(err.Error(), "arguments[1].value") {
		t.Errorf("an object should be rejected as a value, but: %v", err)
	}
}

// TestSampleRun checks that the sample run is admitted and that the network that it names can serve it.
func TestSampleRun(t *testing.T) {
	var run v1alpha1.BenchmarkRun
	admission := platformtest.NewAdmission(t, "../../../config/crd/bases/benchnet.dev_benchmarkruns.yaml")
	if err := admission.Admit(platformtest.ReadSampleFile(t, "corda_run.yaml"), &run); err != nil {
		t.Fatalf("admit: %v", err)
	}
	for _, s := range platformtest.LoadSamples(t, corda.New()) {
		if s.Network.Name != run.Spec.NetworkName {
			continue
		}
		if errs := corda.New().ValidateWorkload(&s.Network.Spec, &run.Spec.Workload, field.NewPath("spec", "workload")); len(errs) > 0 {
			t.Errorf("refused: %v", errs)
		}
		return
	}
	t.Errorf("no sample makes network %s", run.Spec.NetworkName)
}

// TestWithoutObservation checks that a node starts with neither the JMX exporter nor its own JMX server.
func TestWithoutObservation(t *testing.T) {
	sample := string(platformtest.ReadSampleFile(t, "corda_one_h2.yaml"))
	for observation, metrics := range map[string]bool{"Full": true, "None": false} {
		t.Run(observation, func(t *testing.T) {
			manifest := strings.Replace(sample, "  members:\n", "  observation: "+observation+"\n  members:\n", 1)
			network := platformtest.NewNetworkAdmission(t).AdmitNetwork(t, []byte(manifest))
			objects, err := corda.New().BuildMembers(platformtest.NewInput(corda.New(), network), corda.New().Topology(network))
			if err != nil {
				t.Fatal(err)
			}
			nodes := 0
			for _, o := range objects {
				switch o := o.(type) {
				case *corev1.ConfigMap:
					if got := strings.Contains(o.Data["node.conf"], "jmxMonitoringHttpPort"); got != metrics {
						t.Errorf("node.conf of %s has a JMX port: %v", o.Name, got)
					}
				case *appsv1.StatefulSet:
					nodes++
					disabled := corev1.EnvVar{Name: "BENCHNET_JMX_EXPORTER", Value: "Disabled"}
					if got := !slices.Contains(o.Spec.Template.Spec.Containers[0].Env, disabled); got != metrics {
						t.Errorf("%s runs the JMX exporter: %v", o.Name, got)
					}
				}
			}
			if nodes != 2 {
				t.Errorf("got %d nodes, want a party and a notary", nodes)
			}
		})
	}
}
