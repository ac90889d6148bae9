package database

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

const (
	userService = `
apiVersion: v1
kind: Service
metadata: {name: {{ .Values.fullnameOverride }}, labels: {app.kubernetes.io/name: mine}}
spec: {selector: {app: mine}, ports: [{port: 5432}]}
`
	userServer = `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: {{ .Values.fullnameOverride }}}
spec:
  serviceName: {{ .Values.fullnameOverride }}
  selector: {matchLabels: {app: mine}}
  template:
    metadata: {labels: {app: mine}}
    spec:
      automountServiceAccountToken: false
      securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}
      containers:
      - name: postgres
        image: "{{ .Values.image }}"
        securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
`
)

// withChart returns a network with a user's chart of these files.
func withChart(t *testing.T, files map[string]string) Input {
	t.Helper()
	in := newInput()
	if _, ok := files["Chart.yaml"]; !ok {
		files["Chart.yaml"] = "{apiVersion: v2, name: mine, version: 1.0.0}"
	}
	in.Chart = newUserChart(packChart(t, files))
	in.Chart.Values = map[string]any{"image": "example.org/mine:1"}
	return in
}

// newUserChart returns a chart that is rendered within the test process.
func newUserChart(archive []byte) *UserChart {
	return &UserChart{Render: func(r RenderRequest) ([][]*unstructured.Unstructured, error) { return RenderChart(archive, r) }}
}

func packChart(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	archive := tar.NewWriter(zip)
	for name, content := range files {
		header := &tar.Header{Name: "mine/" + name, Mode: 0o644, Size: int64(len(content)), Typeflag: tar.TypeReg}
		if err := archive.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestUserChart(t *testing.T) {
	in := withChart(t, map[string]string{"templates/service.yaml": userService, "templates/server.yaml": userServer})
	in.Network = newPerHostInput().Network
	plan := mustBuild(t, in)
	second := plan.Instances[1]
	if len(second.ServerObjects) != 2 || second.ServerObjects[0].GetName() != "two-banks-db-1" {
		t.Fatalf("objects of the second instance: %v", second.ServerObjects)
	}
	set := second.ServerObjects[1].(*unstructured.Unstructured)
	labels, _, _ := unstructured.NestedStringMap(set.Object, "spec", "template", "metadata", "labels")
	if labels[InstanceLabel] != "two-banks-db-1" || labels["app"] != "mine" || labels[v1alpha1.LabelNetwork] != "two-banks" || len(labels) != 3 {
		t.Errorf("pod labels %v: want the chart's, the instance's and the network's", labels)
	}
	if set.GetLabels()["app.kubernetes.io/managed-by"] != "benchnet" || set.GetNamespace() != "bench" {
		t.Errorf("labels %v, namespace %s", set.GetLabels(), set.GetNamespace())
	}
	if s := second.Status(); s.MaxConnections != 0 || s.Storage != "" {
		t.Errorf("status %+v describes a user's server", s)
	}
	if _, changed := in.Chart.Values["fullnameOverride"]; changed {
		t.Error("Build changed the user's values")
	}
}

// replaceInChart returns the text with the first occurrence of a place replaced.
func replaceInChart(text, place, with string) map[string]string {
	if !strings.Contains(text, place) {
		panic("the chart has no " + place)
	}
	return map[string]string{"templates/a.yaml": strings.Replace(text, place, with, 1)}
}

// withPodField returns a server with one more pod field.
func withPodField(field string) map[string]string {
	return replaceInChart(userServer, "      containers:", "      "+field+"\n      containers:")
}

// withPodVolume returns a server with one pod volume.
func withPodVolume(source string) map[string]string {
	return withPodField("volumes: [{name: v, " + source + "}]")
}

// withMetadataField returns a Service with one more metadata field.
func withMetadataField(field string) map[string]string {
	return replaceInChart(userService, "metadata: {", "metadata: {"+field+", ")
}

// withPodMetadata returns a server with other pod metadata.
func withPodMetadata(metadata string) map[string]string {
	return replaceInChart(userServer, "metadata: {labels: {app: mine}}", "metadata: {"+metadata+"}")
}

const userObject = "apiVersion: v1\nkind: %s\nmetadata: {name: two-banks-db-x}\n"

func TestUserChartRefused(t *testing.T) {
	object := func(kind, rest string) map[string]string {
		return map[string]string{"templates/a.yaml": strings.Replace(userObject, "%s", kind, 1) + rest}
	}
	for name, tc := range map[string]struct {
		files map[string]string
		want  string
	}{
		"no service": {map[string]string{"templates/a.yaml": userServer},
			"creates no Service named two-banks-db with port 5432"},
		"other port": {map[string]string{"templates/a.yaml": strings.ReplaceAll(userService, "5432", "5433")},
			"creates no Service named two-banks-db with port 5432"},
		"hook": {map[string]string{"templates/a.yaml": strings.ReplaceAll(userService, "labels:", "annotations: {helm.sh/hook: pre-install}, labels:")},
			"Service two-banks-db is a Helm hook"},
		"changes": {map[string]string{"templates/a.yaml": userService, "templates/b.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: two-banks-db-s}\nstringData: {address: '{{ printf \"%p\" .Values }}'}"},
			"Secret two-banks-db-s: stringData.address differs at each rendering"},
		"cluster-wide": {map[string]string{"templates/a.yaml": "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: c}"},
			"ClusterRole c (rbac.authorization.k8s.io/v1) is not allowed"},
		"other namespace": {map[string]string{"templates/a.yaml": strings.ReplaceAll(userService, "labels:", "namespace: kube-system, labels:")},
			"Service two-banks-db is in namespace kube-system, not in the network's bench"},
		"another group's kind": {map[string]string{"templates/a.yaml": strings.Replace(userService, "apiVersion: v1", "apiVersion: serving.knative.dev/v1", 1)},
			"Service two-banks-db (serving.knative.dev/v1) is not allowed"},
		"a foreign object": {map[string]string{"templates/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kube-root-ca.crt}"},
			"ConfigMap kube-root-ca.crt must be named two-banks-db, or begin with two-banks-db-"},
		"a token": {map[string]string{"templates/a.yaml": "apiVersion: v1\nkind: Secret\ntype: kubernetes.io/service-account-token\nmetadata: {name: two-banks-db-t, annotations: {kubernetes.io/service-account.name: admin}}"},
			"Secret two-banks-db-t: type kubernetes.io/service-account-token is not allowed"},
		"a foreign address": {map[string]string{"templates/a.yaml": strings.Replace(userService, "spec: {", "spec: {externalIPs: [10.0.0.1], ", 1)}, "Service two-banks-db: spec.externalIPs is not allowed"},
		"a load balancer":   {map[string]string{"templates/a.yaml": strings.Replace(userService, "spec: {", "spec: {type: LoadBalancer, ", 1)}, "spec.type LoadBalancer is not allowed, only ClusterIP"},
		"privileged": {map[string]string{"templates/a.yaml": strings.Replace(userServer, "{allowPrivilegeEscalation: false", "{privileged: true, allowPrivilegeEscalation: false", 1)},
			"StatefulSet two-banks-db: its pods must meet the pod security level restricted: privileged"},
		"files of the host": {map[string]string{"templates/a.yaml": strings.Replace(userServer, "      containers:", "      volumes: [{name: root, hostPath: {path: /}}]\n      containers:", 1)},
			"restricted volume type \"hostPath\""},
		"a token in its pods": {map[string]string{"templates/a.yaml": strings.Replace(userServer, "automountServiceAccountToken: false", "hostname: a", 1)}, "automountServiceAccountToken must be false"},
		"another's account": {map[string]string{"templates/a.yaml": strings.Replace(userServer, "automountServiceAccountToken: false", "serviceAccountName: admin", 1)},
			"automountServiceAccountToken must be false"},
		"definitions": {map[string]string{"crds/a.yaml": "kind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1\nmetadata: {name: a}"},
			"has CustomResourceDefinitions"},
		"library":    {map[string]string{"Chart.yaml": "{apiVersion: v2, name: mine, version: 1.0.0, type: library}"}, "library chart"},
		"dependency": {map[string]string{"Chart.yaml": "{apiVersion: v2, name: mine, version: 1.0.0, dependencies: [{name: base, version: 1.0.0, repository: 'https://example.org'}]}"}, "dependency base is not packed into it"},
		"old cluster": {map[string]string{"Chart.yaml": "{apiVersion: v2, name: mine, version: 1.0.0, kubeVersion: '>=1.99.0'}"},
			"needs Kubernetes >=1.99.0, this is v1.34.4"},
		"template":    {map[string]string{"templates/a.yaml": "{{ .Values.a.b.c }}"}, "nil pointer evaluating"},
		"schema":      {map[string]string{"values.schema.json": `{"properties": {"image": {"type": "integer"}}}`}, "got string, want integer"},
		"not YAML":    {map[string]string{"templates/a.yaml": "kind: [Service"}, "templates/a.yaml"},
		"no metadata": {map[string]string{"Chart.yaml": "{apiVersion: v2, name: mine}"}, "chart.metadata.version is required"},

		"a foreign kind":              {object("NetworkPolicy", ""), "NetworkPolicy two-banks-db-x (v1) is not allowed; a database may consist of ConfigMap, "},
		"a policy":                    {replaceInChart(strings.Replace(userObject, "%s", "NetworkPolicy", 1)+"spec: {podSelector: {}, egress: [{}]}", "apiVersion: v1", "apiVersion: networking.k8s.io/v1"), "NetworkPolicy two-banks-db-x (networking.k8s.io/v1) is not allowed"},
		"an unknown field":            {object("ConfigMap", "date: {a: b}"), `ConfigMap two-banks-db-x: strict decoding error: unknown field "date"`},
		"an item that is no object":   {replaceInChart(userService, "{port: 5432}", "5432"), "Service two-banks-db: "},
		"a token of an account":       {withPodVolume("projected: {sources: [{serviceAccountToken: {path: token}}]}"), "StatefulSet two-banks-db: spec.template.spec.volumes[0].projected.sources[0].serviceAccountToken is not allowed"},
		"a certificate of the pod":    {withPodVolume("projected: {sources: [{clusterTrustBundle: {path: a, name: b}}]}"), "spec.template.spec.volumes[0].projected.sources[0].clusterTrustBundle is not allowed"},
		"a volume of a driver":        {withPodVolume("csi: {driver: secrets-store.csi.k8s.io}"), "spec.template.spec.volumes[0].csi is not allowed"},
		"an ephemeral volume's claim": {withPodVolume("ephemeral: {volumeClaimTemplate: {spec: {volumeName: pv-1}}}"), "spec.template.spec.volumes[0].ephemeral.volumeClaimTemplate.spec.volumeName is not allowed"},
		"an existing account":         {withPodField("serviceAccountName: two-banks-db-admin"), "StatefulSet two-banks-db: spec.template.spec.serviceAccountName two-banks-db-admin is not allowed, only default or one that the chart creates"},
		"an account by its old name":  {withPodField("serviceAccount: admin"), "spec.template.spec.serviceAccount admin is not allowed"},
		"a token, mounted":            {replaceInChart(userServer, "automountServiceAccountToken: false", "automountServiceAccountToken: true"), "StatefulSet two-banks-db: spec.template.spec.automountServiceAccountToken must be false"},
		"secrets of an account":       {object("ServiceAccount", "secrets: [{name: a}]"), "ServiceAccount two-banks-db-x: secrets is not allowed"},
		"a node":                      {withPodField("nodeName: node-1"), "StatefulSet two-banks-db: spec.template.spec.nodeName is not allowed"},
		"a priority":                  {withPodField("priorityClassName: system-cluster-critical"), "StatefulSet two-banks-db: spec.template.spec.priorityClassName is not allowed"},
		"pods of others kept away":    {withPodField("affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/os, namespaceSelector: {}}]}}"), "spec.template.spec.affinity: namespaces and namespaceSelector are not allowed"},
		"pods of others, preferred":   {withPodField("affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, podAffinityTerm: {topologyKey: a, namespaces: [other]}}]}}"), "spec.template.spec.affinity: namespaces and namespaceSelector are not allowed"},
		"a scheduler":                 {withPodField("schedulerName: mine"), "spec.template.spec.schedulerName is not allowed"},
		"a runtime":                   {withPodField("runtimeClassName: mine"), "spec.template.spec.runtimeClassName is not allowed"},
		"pods that do not end": {withPodField("terminationGracePeriodSeconds: 601"),
			"spec.template.spec.terminationGracePeriodSeconds 601 is not allowed: it must be between 0 and 600"},
		"containers that do not end": {replaceInChart(userServer, "        image:", "        livenessProbe: {terminationGracePeriodSeconds: 1000000}\n        image:"),
			"spec.template.spec.containers[0].livenessProbe.terminationGracePeriodSeconds 1000000 is not allowed"},
		"the host's network":           {withPodField("hostNetwork: true"), "host namespaces"},
		"root by a user namespace":     {replaceInChart(userServer, "securityContext: {runAsNonRoot: true, seccompProfile", "hostUsers: false\n      securityContext: {seccompProfile"), "must meet the pod security level restricted: runAsNonRoot"},
		"capabilities by another os":   {replaceInChart(strings.Replace(userServer, "{allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}", "{}", 1), "      containers:", "      os: {name: windows}\n      containers:"), "must meet the pod security level restricted: allowPrivilegeEscalation"},
		"too many pods":                {replaceInChart(userServer, "spec:\n", "spec:\n  replicas: 2000000000\n"), "StatefulSet two-banks-db: spec.replicas 2000000000 is not allowed, at most 16"},
		"an endless quantity":          {object("PersistentVolumeClaim", "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1e20000000}}}"), "must be at most 8Ei"},
		"a volume":                     {object("PersistentVolumeClaim", "spec: {accessModes: [ReadWriteOnce], volumeName: pv-1}"), "PersistentVolumeClaim two-banks-db-x: spec.volumeName is not allowed"},
		"a volume by its labels":       {object("PersistentVolumeClaim", "spec: {accessModes: [ReadWriteOnce], selector: {matchLabels: {a: b}}}"), "PersistentVolumeClaim two-banks-db-x: spec.selector is not allowed"},
		"the data of a volume":         {object("PersistentVolumeClaim", "spec: {accessModes: [ReadWriteOnce], dataSource: {kind: PersistentVolumeClaim, name: other}}"), "PersistentVolumeClaim two-banks-db-x: spec.dataSource is not allowed"},
		"a volume of the server":       {replaceInChart(userServer, "spec:\n", "spec:\n  volumeClaimTemplates: [{metadata: {name: data}, spec: {volumeName: pv-1}}]\n"), "StatefulSet two-banks-db: spec.volumeClaimTemplates[0].spec.volumeName is not allowed"},
		"an address":                   {replaceInChart(userService, "spec: {", "spec: {clusterIP: 10.0.0.1, "), "spec.clusterIP 10.0.0.1 is not allowed, only None"},
		"a port of nodes":              {replaceInChart(userService, "{port: 5432}", "{port: 5432, nodePort: 30000}"), "spec.ports[0].nodePort is not allowed"},
		"a role in a cloud":            {withMetadataField("annotations: {eks.amazonaws.com/role-arn: 'arn:aws:iam::1:role/admin'}"), "Service two-banks-db: metadata.annotations[eks.amazonaws.com/role-arn] is not allowed"},
		"an account in a cloud":        {replaceInChart(strings.Replace(userObject, "%s", "ServiceAccount", 1), "x}", "x, annotations: {iam.gke.io/gcp-service-account: a@b}}"), "ServiceAccount two-banks-db-x: metadata.annotations[iam.gke.io/gcp-service-account] is not allowed"},
		"a pod's role in a cloud":      {withPodMetadata("annotations: {iam.amazonaws.com/role: admin}"), "StatefulSet two-banks-db: spec.template.metadata.annotations[iam.amazonaws.com/role] is not allowed"},
		"a pod's further networks":     {withPodMetadata("annotations: {k8s.v1.cni.cncf.io/networks: host}"), "spec.template.metadata.annotations[k8s.v1.cni.cncf.io/networks] is not allowed"},
		"a reserved annotation":        {withMetadataField("annotations: {benchnet.dev/applied-hash: a}"), "metadata.annotations[benchnet.dev/applied-hash] is not allowed"},
		"an identity by a label":       {withPodMetadata("labels: {azure.workload.identity/use: 'true'}"), "StatefulSet two-banks-db: spec.template.metadata.labels[azure.workload.identity/use] is not allowed"},
		"an identity by a plain label": {withPodMetadata("labels: {app: mine, aadpodidbinding: admin}"), "StatefulSet two-banks-db: spec.template.metadata.labels[aadpodidbinding] is not allowed"},
		"a reserved label":             {withPodMetadata("labels: {benchnet.dev/member: member-0}"), "spec.template.metadata.labels[benchnet.dev/member] is not allowed"},
		"a worker":                     {withPodMetadata("labels: {app.kubernetes.io/component: worker}"), "spec.template.metadata.labels[app.kubernetes.io/component]: worker is the operator's"},
		"managed by the operator":      {withPodMetadata("labels: {app.kubernetes.io/managed-by: benchnet}"), "spec.template.metadata.labels[app.kubernetes.io/managed-by]: benchnet is the operator's"},
		"the same name twice":          {map[string]string{"templates/a.yaml": userService + "---" + userService}, "Service two-banks-db exists twice"},
		"the superuser's Secret":       {map[string]string{"templates/a.yaml": userService, "templates/b.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: two-banks-db-superuser}"}, "Secret two-banks-db-superuser exists twice"},
		"no name":                      {map[string]string{"templates/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: two-banks-db-}"}, "must be named two-banks-db"},
		"too many objects":             {map[string]string{"templates/a.yaml": "{{ range until 65 }}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: two-banks-db-{{ . }}}\n{{ end }}"}, "the chart has 65 objects, at most 64 are allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			in := withChart(t, tc.files)
			in.KubeVersion = "v1.34.4"
			_, err := Build(in)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want …%s…", err, tc.want)
			}
		})
	}
	in := newInput()
	in.Chart = newUserChart([]byte("not an archive"))
	if _, err := Build(in); err == nil || !strings.Contains(err.Error(), "read the chart's archive") {
		t.Errorf("got %v", err)
	}
}

// TestSchemaLoadsNothing checks that schemas that refer to documents on a server or in a file load nothing.
func TestSchemaLoadsNothing(t *testing.T) {
	requested := false
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requested = true }))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "schema.json")
	if err := os.WriteFile(file, []byte("false"), 0o600); err != nil { // This schema would reject all values.
		t.Fatal(err)
	}
	escaped := strings.ReplaceAll(file, "s", "%73")
	for name, schema := range map[string]string{
		"reference":         `{"$ref": "` + server.URL + `/schema.json"}`,
		"escaped reference": `{"\u0024ref": "` + server.URL + `/schema.json"}`,
		"meta schema":       `{"$schema": "` + server.URL + `/schema.json"}`,
		"by identifier":     `{"$id": "` + server.URL + `/a/", "properties": {"image": {"$ref": "schema.json"}}}`,
		"file":              `{"$ref": "file://` + file + `"}`,
		"escaped file":      `{"properties": {"image": {"$ref": "file://` + escaped + `"}}}`,
		"neighbour":         `{"properties": {"image": {"$ref": ".` + file + `#/x"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			mustBuild(t, withChart(t, map[string]string{"templates/a.yaml": userService, "values.schema.json": schema}))
			if requested {
				t.Error("the server was asked")
			}
		})
	}
}

// TestSchemaOfDependency checks that values are validated against the schema of a packed dependency.
func TestSchemaOfDependency(t *testing.T) {
	in := withChart(t, map[string]string{"templates/a.yaml": userService,
		"charts/base/Chart.yaml":         "{apiVersion: v2, name: base, version: 1.0.0}",
		"charts/base/values.schema.json": `{"properties": {"size": {"type": "integer"}}}`})
	in.Chart.Values["base"] = map[string]any{"size": "large"}
	if _, err := Build(in); err == nil || !strings.Contains(err.Error(), "values of base: - at '/size': got string, want integer") {
		t.Errorf("got %v", err)
	}
}

// TestRandomValuesMustNotReachTheObjects calls each function with results that change at each rendering. A chart may
// call it, as charts do that generate a password before they look whether a Secret exists, but not use the result.
func TestRandomValuesMustNotReachTheObjects(t *testing.T) {
	calls := map[string]string{"now": "now | unixEpoch", "uuidv4": "uuidv4", "randInt": "randInt 1 9", "shuffle": `shuffle "abc"`}
	for _, name := range randomTextFunctions {
		calls[name] = name + " 10 | b64enc"
	}
	for _, name := range otherTextFunctions {
		calls[name] = name + ` "a" "b"`
	}
	for _, name := range certificateFunctions {
		calls[name] = "(" + name + ` "a" 365).Key`
	}
	const secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: two-banks-db-s}\nstringData: {kept: a, password: {{ $generated | quote }}}"
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			generate := "{{ $generated := " + call + " }}\n"
			_, err := Build(withChart(t, map[string]string{"templates/a.yaml": userService, "templates/b.yaml": generate + secret}))
			want := "Secret two-banks-db-s: stringData.password differs at each rendering; the chart calls " + name + ": set the value, or name an existing Secret"
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want …%s…", err, want)
			}
			unused := generate + "{{ if not .Values.existingSecret }}" + secret + "{{ end }}"
			in := withChart(t, map[string]string{"templates/a.yaml": userService, "templates/b.yaml": unused})
			in.Chart.Values["existingSecret"] = "mine"
			mustBuild(t, in)
		})
	}
}

// TestTemplateFunctionsAreDeterministic checks that functions that read a map return a sorted result, and that
// functions that look elsewhere find nothing.
func TestTemplateFunctionsAreDeterministic(t *testing.T) {
	in := withChart(t, map[string]string{"templates/a.yaml": userService + `---
apiVersion: v1
kind: ConfigMap
metadata: {name: two-banks-db-c}
data:
  keys: {{ keys .Values.map | join "," }}
  values: {{ values .Values.map | join "," }}
  secret: {{ lookup "v1" "Secret" "default" "" | toJson | quote }}
  host: {{ getHostByName "localhost" | quote }}
`})
	numbers := map[string]any{}
	for _, letter := range "ihgfedcba" {
		numbers[string(letter)] = strings.ToUpper(string(letter))
	}
	in.Chart.Values["map"] = numbers
	config := mustBuild(t, in).Instances[0].ServerObjects[0].(*unstructured.Unstructured)
	data, _, _ := unstructured.NestedStringMap(config.Object, "data")
	want := map[string]string{"keys": "a,b,c,d,e,f,g,h,i", "values": "A,B,C,D,E,F,G,H,I", "secret": "{}", "host": ""}
	if diff := cmp.Diff(want, data); diff != "" {
		t.Error(diff)
	}
}

// TestUserChartMetadata checks that a chart's objects keep only name, labels and annotations of their metadata.
func TestUserChartMetadata(t *testing.T) {
	in := withChart(t, withMetadataField("resourceVersion: '7', uid: a, finalizers: [example.org/never], generateName: x, managedFields: [{manager: m}], "+
		"ownerReferences: [{apiVersion: v1, kind: Node, name: n, uid: u}], annotations: {helm.sh/resource-policy: keep, prometheus.io/port: '9187'}"))
	metadata := mustBuild(t, in).Instances[0].ServerObjects[0].(*unstructured.Unstructured).Object["metadata"].(map[string]any)
	if got := slices.Sorted(maps.Keys(metadata)); !slices.Equal(got, []string{"annotations", "labels", "name", "namespace"}) {
		t.Errorf("the metadata is %v", metadata)
	}
	if diff := cmp.Diff(map[string]any{"prometheus.io/port": "9187"}, metadata["annotations"]); diff != "" {
		t.Error(diff)
	}
}

// TestUserChartVolumesAreDeleted checks that the volumes of a chart's StatefulSet are deleted with it, even if
// the chart retains them.
func TestUserChartVolumesAreDeleted(t *testing.T) {
	in := withChart(t, map[string]string{"templates/a.yaml": userService + "---" + strings.Replace(userServer, "spec:\n",
		"spec:\n  persistentVolumeClaimRetentionPolicy: {whenDeleted: Retain}\n", 1)})
	set := mustBuild(t, in).Instances[0].ServerObjects[1].(*unstructured.Unstructured)
	policy, _, _ := unstructured.NestedStringMap(set.Object, "spec", "persistentVolumeClaimRetentionPolicy")
	if diff := cmp.Diff(map[string]string{"whenDeleted": "Delete", "whenScaled": "Retain"}, policy); diff != "" {
		t.Error(diff)
	}
}

// TestUserChartAccount checks that pods may use a service account that the chart creates, under a name that no account of
// somebody else has.
func TestUserChartAccount(t *testing.T) {
	files := withPodField("serviceAccountName: two-banks-db-own")
	files["templates/b.yaml"] = userService
	files["templates/c.yaml"] = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: two-banks-db-own}"
	var names []string
	for _, o := range mustBuild(t, withChart(t, files)).Instances[0].ServerObjects {
		if o.GetObjectKind().GroupVersionKind().Kind == "ServiceAccount" {
			names = append(names, o.GetName())
		}
		if used, found, _ := unstructured.NestedString(o.(*unstructured.Unstructured).Object, "spec", "template", "spec", "serviceAccountName"); found {
			names = append(names, used)
		}
	}
	if want := []string{"benchnet-database-two-banks-db-own", "benchnet-database-two-banks-db-own"}; !cmp.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
}

// TestUserChartSelectsItsOwnPods checks that a chart's PodDisruptionBudget applies only to the chart's pods,
// since a budget blocks evictions.
func TestUserChartSelectsItsOwnPods(t *testing.T) {
	in := withChart(t, map[string]string{"templates/a.yaml": userService + "---" + `
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: {{ .Values.fullnameOverride }}}
spec: {minAvailable: 1, selector: {matchLabels: {app: other}}}
`})
	budget := mustBuild(t, in).Instances[0].ServerObjects[0].(*unstructured.Unstructured)
	labels, _, _ := unstructured.NestedStringMap(budget.Object, "spec", "selector", "matchLabels")
	if budget.GetKind() != "PodDisruptionBudget" || labels[InstanceLabel] != "two-banks-db" {
		t.Errorf("%s selects pods by %v", budget.GetKind(), labels)
	}
}
