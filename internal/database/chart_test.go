package database

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

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

// withChart is a network on a user's chart of these files.
func withChart(t *testing.T, files map[string]string) Input {
	t.Helper()
	in := network()
	if _, ok := files["Chart.yaml"]; !ok {
		files["Chart.yaml"] = "{apiVersion: v2, name: mine, version: 1.0.0}"
	}
	in.Chart = &Chart{Archive: pack(t, files), Values: map[string]any{"image": "example.org/mine:1"}}
	return in
}

func pack(t *testing.T, files map[string]string) []byte {
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
	in.Topology, in.MembersPerInstance = v1alpha1.TopologyPerHost, 2
	plan := mustBuild(t, in)
	second := plan.Instances[1]
	if len(second.Server) != 2 || second.Server[0].GetName() != "two-banks-db-1" {
		t.Fatalf("objects of the second instance: %v", second.Server)
	}
	set := second.Server[1].(*unstructured.Unstructured)
	labels, _, _ := unstructured.NestedStringMap(set.Object, "spec", "template", "metadata", "labels")
	if labels[InstanceLabel] != "two-banks-db-1" || labels["app"] != "mine" || labels[v1alpha1.LabelNetwork] != "two-banks" || len(labels) != 3 {
		t.Errorf("pod labels %v: want the chart's, the instance's and the network's", labels)
	}
	if set.GetLabels()["app.kubernetes.io/managed-by"] != "benchnet" || set.GetNamespace() != "bench" {
		t.Errorf("labels %v, namespace %s", set.GetLabels(), set.GetNamespace())
	}
	if s := second.Status(); s.MaxConnections != 0 || s.Storage != "" {
		t.Errorf("status %+v claims to know a user's server", s)
	}
	if _, changed := in.Chart.Values["fullnameOverride"]; changed {
		t.Error("Build changed the user's values")
	}
}

func TestUserChartRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		files map[string]string
		want  string
	}{
		"no service": {map[string]string{"templates/a.yaml": userServer},
			"makes no Service named two-banks-db with port 5432"},
		"other port": {map[string]string{"templates/a.yaml": strings.ReplaceAll(userService, "5432", "5433")},
			"makes no Service named two-banks-db with port 5432"},
		"hook": {map[string]string{"templates/a.yaml": strings.ReplaceAll(userService, "labels:", "annotations: {helm.sh/hook: pre-install}, labels:")},
			"Service two-banks-db is a Helm hook"},
		"random": {map[string]string{"templates/a.yaml": userService, "templates/b.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: two-banks-db-s}\nstringData: {password: {{ randAlphaNum 20 }}}"},
			"Secret two-banks-db-s differs at each rendering"},
		"cluster-wide": {map[string]string{"templates/a.yaml": "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: c}"},
			"ClusterRole c (rbac.authorization.k8s.io/v1) is not allowed"},
		"other namespace": {map[string]string{"templates/a.yaml": strings.ReplaceAll(userService, "labels:", "namespace: kube-system, labels:")},
			"Service two-banks-db is in namespace kube-system, not in the network's bench"},
		"another group's kind": {map[string]string{"templates/a.yaml": strings.Replace(userService, "apiVersion: v1", "apiVersion: serving.knative.dev/v1", 1)},
			"Service two-banks-db (serving.knative.dev/v1) is not allowed"},
		"somebody else's": {map[string]string{"templates/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kube-root-ca.crt}"},
			"ConfigMap kube-root-ca.crt must be named two-banks-db, or begin with two-banks-db-"},
		"a token": {map[string]string{"templates/a.yaml": "apiVersion: v1\nkind: Secret\ntype: kubernetes.io/service-account-token\nmetadata: {name: two-banks-db-t, annotations: {kubernetes.io/service-account.name: admin}}"},
			"Secret two-banks-db-t: type kubernetes.io/service-account-token is not allowed"},
		"an address of others": {map[string]string{"templates/a.yaml": strings.Replace(userService, "spec: {", "spec: {externalIPs: [10.0.0.1], ", 1)}, "spec.externalIPs is not allowed"},
		"a load balancer":      {map[string]string{"templates/a.yaml": strings.Replace(userService, "spec: {", "spec: {type: LoadBalancer, ", 1)}, "spec.type LoadBalancer is not allowed, only ClusterIP"},
		"privileged": {map[string]string{"templates/a.yaml": strings.Replace(userServer, "{allowPrivilegeEscalation: false", "{privileged: true, allowPrivilegeEscalation: false", 1)},
			"StatefulSet two-banks-db: its pods must keep the pod security level restricted: privileged"},
		"files of the host": {map[string]string{"templates/a.yaml": strings.Replace(userServer, "      containers:", "      volumes: [{name: root, hostPath: {path: /}}]\n      containers:", 1)},
			"restricted volume type \"hostPath\""},
		"a token in its pods": {map[string]string{"templates/a.yaml": strings.Replace(userServer, "automountServiceAccountToken: false", "hostname: a", 1)}, "automountServiceAccountToken must be false"},
		"another's account": {map[string]string{"templates/a.yaml": strings.Replace(userServer, "automountServiceAccountToken: false", "serviceAccountName: admin", 1)},
			"serviceAccountName admin is not one that the chart makes"},
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
	in := network()
	in.Chart = &Chart{Archive: []byte("not an archive")}
	if _, err := Build(in); err == nil || !strings.Contains(err.Error(), "read the chart's archive") {
		t.Errorf("got %v", err)
	}
}

// The schema of a chart may point elsewhere; checking it would mean I/O inside a reconcile.
func TestRemoteSchemaIsNotFetched(t *testing.T) {
	in := withChart(t, map[string]string{
		"templates/a.yaml":   userService,
		"values.schema.json": `{"$ref": "http://127.0.0.1:1/schema.json"}`,
	})
	mustBuild(t, in)
}

// What a chart says of pods must hold for its own alone: policies of a namespace add up, and a budget stops evictions.
func TestUserChartSelectsItsOwnPods(t *testing.T) {
	in := withChart(t, map[string]string{"templates/a.yaml": userService + "---" + `
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: {{ .Values.fullnameOverride }}}
spec: {podSelector: {}, ingress: [{}]}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: {{ .Values.fullnameOverride }}}
spec: {minAvailable: 1, selector: {matchLabels: {app: other}}}
`})
	found := 0
	for _, object := range mustBuild(t, in).Instances[0].Server {
		o := object.(*unstructured.Unstructured)
		for _, selector := range [][]string{{"spec", "podSelector", "matchLabels"}, {"spec", "selector", "matchLabels"}} {
			if labels, _, _ := unstructured.NestedStringMap(o.Object, selector...); labels[InstanceLabel] == "two-banks-db" {
				found++
			}
		}
	}
	if found != 2 {
		t.Errorf("%d of a policy and a budget select the instance's pods", found)
	}
}
