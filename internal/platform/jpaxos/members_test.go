package jpaxos_test

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform/jpaxos"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
)

// buildMembers returns the members' objects of the valid network after a change.
func buildMembers(t *testing.T, change func(*v1alpha1.JPaxosPlatform)) []client.Object {
	t.Helper()
	network := platformtest.NewNetworkAdmission(t).AdmitNetwork(t, []byte(validManifest))
	change(network.Spec.Platform.JPaxos)
	return platformtest.Build(t, jpaxos.New(), network).Members
}

// findObject returns the object of type T with the given name.
func findObject[T client.Object](t *testing.T, objects []client.Object, name string) T {
	t.Helper()
	for _, o := range objects {
		if o, ok := o.(T); ok && o.GetName() == name {
			return o
		}
	}
	var none T
	t.Fatalf("no %T is called %s", none, name)
	return none
}

// TestPeersAreServices checks that each replica has a name and an address that outlive its pod, because a
// replica exits when a peer's name does not resolve.
func TestPeersAreServices(t *testing.T) {
	objects := buildMembers(t, func(*v1alpha1.JPaxosPlatform) {})
	service := findObject[*corev1.Service](t, objects, "net-member-1")
	if service.Spec.ClusterIP == corev1.ClusterIPNone || !service.Spec.PublishNotReadyAddresses {
		t.Errorf("the Service of a replica must have an address of its own, from the start: %+v", service.Spec)
	}
	properties := findObject[*corev1.ConfigMap](t, objects, "net-member-0").Data["paxos.properties"]
	if !strings.Contains(properties, "process.1 = net-member-1.bench.svc:2021:3001\n") {
		t.Errorf("replica 1 should be addressed by its Service:\n%s", properties)
	}
}

func TestUDPTransportsHaveTheirPort(t *testing.T) {
	for transport, wanted := range map[v1alpha1.JPaxosTransport]bool{
		v1alpha1.JPaxosTCP: false, v1alpha1.JPaxosNIO: false, v1alpha1.JPaxosTCPNIO: false,
		v1alpha1.JPaxosUDP: true, v1alpha1.JPaxosMulticast: true, v1alpha1.JPaxosGeneric: true,
	} {
		objects := buildMembers(t, func(p *v1alpha1.JPaxosPlatform) { p.Transport = transport })
		open := false
		for _, port := range findObject[*corev1.Service](t, objects, "net-member-0").Spec.Ports {
			open = open || port.Protocol == corev1.ProtocolUDP
		}
		if open != wanted {
			t.Errorf("transport %s: a port for UDP is %v, want %v", transport, open, wanted)
		}
	}
}

// TestStorageFollowsTheCrashModel checks that the models that recover from their own log keep it. The others
// must not find a log of an earlier network.
func TestStorageFollowsTheCrashModel(t *testing.T) {
	for model, kept := range map[v1alpha1.JPaxosCrashModel]bool{
		v1alpha1.JPaxosCrashStop: false, v1alpha1.JPaxosEpochSS: false, v1alpha1.JPaxosViewSS: false,
		v1alpha1.JPaxosFullSS: true, v1alpha1.JPaxosPmem: true,
	} {
		objects := buildMembers(t, func(p *v1alpha1.JPaxosPlatform) { p.CrashModel = model })
		set := findObject[*appsv1.StatefulSet](t, objects, "net-member-2")
		if got := len(set.Spec.VolumeClaimTemplates) == 1; got != kept {
			t.Errorf("crash model %s: a claim is %v, want %v", model, got, kept)
		}
	}
}

func TestExtraProperties(t *testing.T) {
	objects := buildMembers(t, func(p *v1alpha1.JPaxosPlatform) {
		p.Service, p.ServiceClass = v1alpha1.JPaxosOwn, "com.example.Service"
		p.Tuning.IndirectConsensus = v1alpha1.SwitchEnabled
		p.ExtraProperties = map[string]v1alpha1.Text{"service.B": "2", "lsr.A": "1"}
	})
	properties := findObject[*corev1.ConfigMap](t, objects, "net-member-0").Data["paxos.properties"]
	if !strings.HasSuffix(properties, "\nlsr.A = 1\nservice.B = 2\n") || !strings.Contains(properties, "\nIndirectConsensus = true\n") {
		t.Errorf("the properties lack what the spec has:\n%s", properties)
	}
	command := findObject[*appsv1.StatefulSet](t, objects, "net-member-1").Spec.Template.Spec.Containers[0].Command
	if line := strings.Join(command, " "); !strings.HasSuffix(line, " com.example.Service 1") {
		t.Errorf("replica 1 should run the class: %s", line)
	}
}

// TestNumbersWithoutQuotes checks that a property may be a number without quotes.
func TestNumbersWithoutQuotes(t *testing.T) {
	manifest := strings.Replace(validManifest, `jpaxos:1"`, `jpaxos:1", extraProperties: {A: 1, B: "2"}`, 1)
	properties := platformtest.NewNetworkAdmission(t).AdmitNetwork(t, []byte(manifest)).Spec.Platform.JPaxos.ExtraProperties
	if properties["A"] != "1" || properties["B"] != "2" {
		t.Errorf("the properties are %v", properties)
	}
}

// TestWrittenPropertiesAreRefused checks that extraProperties cannot set what the operator writes into
// paxos.properties.
func TestWrittenPropertiesAreRefused(t *testing.T) {
	network := platformtest.NewNetworkAdmission(t).AdmitNetwork(t, []byte(validManifest))
	written := findObject[*corev1.ConfigMap](t, platformtest.Build(t, jpaxos.New(), network).Members, "net-member-0").Data["paxos.properties"]
	for line := range strings.Lines(written) {
		key, _, assigned := strings.Cut(line, " = ")
		if !assigned {
			continue
		}
		network.Spec.Platform.JPaxos.ExtraProperties = map[string]v1alpha1.Text{key: "1"}
		if errs := jpaxos.New().Validate(&network.Spec, field.NewPath("spec")); len(errs) != 1 {
			t.Errorf("%s should be refused as an extra property, but: %v", key, errs)
		}
	}
}
