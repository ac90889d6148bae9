package cluster

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"io"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// CollectExposedTexts returns, by source, all texts that can be read without the right to read Secrets.
func (n *Namespace) CollectExposedTexts() map[string]string {
	n.Helper()
	texts := map[string]string{}
	for kind := range strings.FieldsSeq(n.RunKubectl("api-resources", "--namespaced", "--verbs=list", "--output=name")) {
		// Pod metrics come from a different API server, which the cluster may lack.
		if kind == "secrets" || strings.HasSuffix(kind, "metrics.k8s.io") {
			continue
		}
		objects := n.RunKubectl("get", kind, "--output=yaml", "--show-managed-fields", "--ignore-not-found")
		texts["objects: "+kind] = objects + unpackBinaryData(objects)
	}
	operator := n.OperatorPod()
	texts["log of the operator"], _ = runKubectl(n.Context(), "", "--namespace", OperatorNamespace, "logs", operator.Name, "--all-containers")
	texts["the operator's pod"], _ = runKubectl(n.Context(), "", "--namespace", OperatorNamespace, "get", "pod", operator.Name, "--output=yaml")
	var pods corev1.PodList
	if err := n.Client.List(n.Context(), &pods, client.InNamespace(n.Name)); err != nil {
		n.Fatal(err)
	}
	for i := range pods.Items {
		n.addPodTexts(&pods.Items[i], texts)
	}
	return texts
}

// addPodTexts adds the logs of a pod and, if it runs, its containers' command lines and metrics.
func (n *Namespace) addPodTexts(pod *corev1.Pod, texts map[string]string) {
	n.Helper()
	texts["log of "+pod.Name] = n.RunKubectl("logs", pod.Name, "--all-containers")
	if pod.Status.Phase != corev1.PodRunning {
		return
	}
	for _, c := range pod.Spec.Containers {
		lines, err := runKubectl(n.Context(), "", "--namespace", n.Name, "exec", pod.Name, "--container", c.Name, "--",
			"sh", "-c", "cat /proc/[0-9]*/cmdline")
		if err == nil {
			texts["command lines of "+pod.Name+", "+c.Name] = strings.ReplaceAll(lines, "\x00", " ")
		}
		for _, p := range c.Ports {
			if p.Name == "agent" || p.Name == "metrics" || p.Name == "jmx" {
				texts["metrics of "+pod.Name+", "+p.Name] = n.ScrapePod(n.Name, pod.Name, int(p.ContainerPort))
			}
		}
	}
}

// unpackBinaryData returns all gzipped content of the objects' binary data: results and reports.
func unpackBinaryData(list string) string {
	var objects unstructured.UnstructuredList
	if yaml.Unmarshal([]byte(list), &objects) != nil {
		return ""
	}
	var text strings.Builder
	for _, object := range objects.Items {
		data, _, _ := unstructured.NestedStringMap(object.Object, "binaryData")
		for _, value := range data {
			packed, err := base64.StdEncoding.DecodeString(value)
			if err != nil {
				continue
			}
			if zip, err := gzip.NewReader(bytes.NewReader(packed)); err == nil {
				_, _ = io.Copy(&text, zip)
			}
		}
	}
	return text.String()
}

// ListSecrets returns the Secrets of the namespace.
func (n *Namespace) ListSecrets(ctx context.Context) []corev1.Secret {
	n.Helper()
	var secrets corev1.SecretList
	if err := n.Client.List(ctx, &secrets, client.InNamespace(n.Name)); err != nil {
		n.Fatal(err)
	}
	return secrets.Items
}
