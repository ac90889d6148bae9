package registry_test

import (
	"reflect"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/registry"
)

const (
	corda   = "{platform: {type: Corda, corda: {version: '4.10', "
	jpaxos  = "{platform: {type: JPaxos, jpaxos: {image: a/b:1, "
	emerald = "{platform: {type: Emerald, emerald: {image: a/b:1, execution: {client: Reth, image: a/c:1, "
	free    = "free: "
)

// freeFields are the fields of the specs whose keys or items users choose, each with a spec of a network that must be refused, or
// after "free: " with the reason why every value is harmless.
var freeFields = map[string]string{
	"PodMetadata.labels":           "{platform: {type: Corda, corda: {}}, podTemplate: {metadata: {labels: {appmesh.k8s.aws/virtualNode: a}}}}",
	"PodMetadata.annotations":      "{platform: {type: Corda, corda: {}}, podTemplate: {metadata: {annotations: {io.kubernetes.cri-o.Devices: /dev/sda}}}}",
	"NetworkTemplate.commonLabels": "{platform: {type: Corda, corda: {}}, commonLabels: {kueue.x-k8s.io/queue-name: a}}",
	"Scheduling.affinity": "{platform: {type: Corda, corda: {}}, members: {scheduling: {affinity: {podAntiAffinity: " +
		"{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: a, namespaces: [b]}]}}}}}",
	"Scheduling.topologySpreadConstraints": "{platform: {type: Corda, corda: {}}, members: {scheduling: {topologySpreadConstraints: [{a: b}]}}}",
	"Scheduling.nodeSelector":              "{platform: {type: Corda, corda: {}}, members: {scheduling: {nodeSelector: {'a b': c}}}}",

	"CordaPlatform.legalNames":       corda + `legalNames: ['O=A"a,L=London,C=GB']}}}`,
	"CordaTuning.extraConfig":        corda + "tuning: {extraConfig: {jarDirs: '[\"/tmp\"]'}}}}}",
	"CordaTuning.jvmArgs":            corda + "tuning: {jvmArgs: ['-XX:OnError=kill']}}}}",
	"ManagedDatabase.settings":       corda + "notary: {type: Single}}}, database: {engine: PostgreSQL, managed: {settings: {archive_command: a}}}}",
	"DatabaseOverride.settings":      corda + "notary: {type: Single, database: {settings: {ssl_passphrase_command: a}}}}}, database: {engine: PostgreSQL}}",
	"JPaxosPlatform.extraProperties": jpaxos + "extraProperties: {windowsize: 5}}}}",
	"JPaxosPlatform.jvmArgs":         jpaxos + "jvmArgs: ['@/tmp/a']}}}",
	"EmeraldExecution.flags":         emerald + "flags: {ipcpath: a}}}}}",
	"MalachiteEVMExecution.flags":    "{platform: {type: MalachiteEVM, malachiteEVM: {execution: {flags: {ipcpath: a}}}}, members: {memory: 4Gi}}",

	"EmeraldExecution.command":         free + "the command line of the user's own image",
	"EmeraldExecution.arguments":       free + "the command line of the user's own image",
	"EmeraldExecution.initArguments":   free + "the command line of the user's own image",
	"DatabaseChart.values":             free + "input of the user's own chart, whose rendered objects are checked",
	"Axis.values":                      free + "the networks and workloads that they give are checked",
	"Variant.patch":                    free + "the networks and workloads that it gives are checked",
	"NetworkTemplate.imagePullSecrets": free + "names of Secrets in the namespace, which only the kubelet reads",
	"Region.members":                   free + "names, which have to be those of members",
	"MemberOverride.members":           free + "names, which have to be those of members",
	"CordaOverride.members":            free + "names, which have to be those of members",
	"PowerOverride.members":            free + "names, which have to be those of members",
	"CordaWorkload.initiators":         free + "names, which have to be those of members",
	"Batches.members":                  free + "names, which have to be those of members",
	"FaultTarget.members":              free + "names, which have to be those of members or of their containers",
	"Fault.from":                       free + "names, which have to be those of members",
	"FaultTarget.databases":            free + "names, which have to be those of databases of the network",
	"Comparison.scopes":                free + "names, which have to be those of segments",
	"Region.workloads":                 free + "names, which have to be those of workloads",
	"RoundTrip.between":                free + "names, which have to be those of regions",
}

func TestFreeFieldsHaveRules(t *testing.T) {
	found := map[string]bool{}
	for _, spec := range []any{v1alpha1.BenchmarkNetworkSpec{}, v1alpha1.BenchmarkRunSpec{}, v1alpha1.BenchmarkExperimentSpec{}} {
		findFields(reflect.TypeOf(spec), isFreeField, found, map[reflect.Type]bool{})
	}
	for name := range found {
		if freeFields[name] == "" {
			t.Errorf("users choose the keys or items of %s, and no rule is tested: add an allow-list and a case here", name)
		}
	}
	for name, text := range freeFields {
		if !found[name] {
			t.Errorf("%s is no field whose keys or items users choose", name)
		}
		if !strings.HasPrefix(text, free) {
			t.Run(name, func(t *testing.T) { checkRefused(t, name, text) })
		}
	}
}

// findFields adds the fields below a type for which isWanted, given a field and its name in JSON, returns true.
func findFields(of reflect.Type, isWanted func(f reflect.StructField, name string) bool, found map[string]bool, seen map[reflect.Type]bool) {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Map {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || seen[of] || !strings.HasSuffix(of.PkgPath(), "api/v1alpha1") {
		return
	}
	seen[of] = true
	for i := range of.NumField() {
		f := of.Field(i)
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); isWanted(f, name) {
			found[of.Name()+"."+name] = true
		}
		findFields(f.Type, isWanted, found, seen)
	}
}

// isFreeField reports whether a field is a map, a list of texts, or JSON.
func isFreeField(f reflect.StructField, _ string) bool {
	item, list := f.Type, false
	for item.Kind() == reflect.Pointer || item.Kind() == reflect.Slice {
		item, list = item.Elem(), list || item.Kind() == reflect.Slice
	}
	isText := item == reflect.TypeFor[string]() || item == reflect.TypeFor[v1alpha1.Text]()
	return item.Kind() == reflect.Map || item == reflect.TypeFor[apiextensionsv1.JSON]() || list && isText
}

// checkRefused checks that the spec is refused because of the field.
func checkRefused(t *testing.T, name, text string) {
	t.Helper()
	spec := &v1alpha1.BenchmarkNetworkSpec{}
	if err := yaml.UnmarshalStrict([]byte(text), spec); err != nil {
		t.Fatal(err)
	}
	p, err := registry.New().Get(spec.Platform.Type)
	if err != nil {
		t.Fatal(err)
	}
	problems := append(platform.ValidateNetwork(p, spec, field.NewPath("spec")), pods.ValidateNetworkMetadata(&spec.NetworkTemplate, nil, field.NewPath("spec"))...)
	_, last, _ := strings.Cut(name, ".")
	for _, problem := range problems {
		if strings.Contains(problem.Field, "."+last) {
			return
		}
	}
	t.Errorf("not refused: %v", problems)
}
