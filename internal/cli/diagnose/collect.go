package diagnose

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/cli/cluster"
	"github.com/benchnet/benchnet/internal/kube/kinds"
	"github.com/benchnet/benchnet/internal/run/boundedjson"
)

// subjectKinds returns the kinds of the objects that belong to networks, runs and experiments. Secrets are not among them.
func subjectKinds() []schema.GroupVersionKind {
	all := []schema.GroupVersionKind{v1alpha1.GroupVersion.WithKind("BenchmarkExperiment"), v1alpha1.GroupVersion.WithKind("BenchmarkNetwork"),
		{Version: "v1", Kind: "Pod"}}
	for _, kind := range kinds.Owned() {
		if gvk := kind.GroupVersionKind(); gvk.Kind != "Secret" {
			all = append(all, gvk)
		}
	}
	return all
}

// surroundingKinds are the kinds of which objects of the namespace, or of the cluster, are collected: all but others' events.
var surroundingKinds = []schema.GroupVersionKind{
	{Version: "v1", Kind: "Event"},
	{Version: "v1", Kind: "LimitRange"},
	{Version: "v1", Kind: "Node"},
	{Version: "v1", Kind: "ResourceQuota"},
}

// Subject is what a bug report is about: the networks, runs and experiments of a namespace, by name.
type Subject struct {
	Namespace                   string
	Networks, Runs, Experiments []string
}

// includesObject reports whether an object is one of the subject's networks, runs and experiments, or belongs to one.
func (s Subject) includesObject(object *unstructured.Unstructured) bool {
	name, labels := object.GetName(), object.GetLabels()
	switch object.GetKind() {
	case "BenchmarkNetwork":
		return slices.Contains(s.Networks, name)
	case "BenchmarkRun":
		return slices.Contains(s.Runs, name)
	case "BenchmarkExperiment":
		return slices.Contains(s.Experiments, name)
	}
	return slices.Contains(s.Networks, labels[v1alpha1.LabelNetwork]) || slices.Contains(s.Runs, labels[v1alpha1.LabelRun]) ||
		slices.Contains(s.Experiments, labels[v1alpha1.LabelExperiment])
}

// Collector collects the content of an archive.
type Collector struct {
	Reader  client.Reader
	OpenLog func(ctx context.Context, namespace, pod string, options *corev1.PodLogOptions) (io.ReadCloser, error)
	// Versions describes the plugin and the API server.
	Versions string
	Now      time.Time

	archive *archive
	// collected holds KIND/NAME of the objects of the subject.
	collected map[string]bool
	// problems are what could not be collected, one per line.
	problems []string
}

// Collect writes an archive for the subject and returns what could not be collected, such as kinds that the user may not
// read. It fails only if the archive cannot be written or ctx ends.
func (c *Collector) Collect(ctx context.Context, subject Subject, directory string, w io.Writer) (problems []string, err error) {
	var secrets corev1.SecretList
	if err := c.Reader.List(ctx, &secrets, client.InNamespace(subject.Namespace)); err != nil {
		c.addProblem("Secrets, so logs and objects were not searched for their content", err)
	}
	c.archive = newArchive(w, directory, c.Now, newSecretReplacer(secrets.Items))
	c.collected = map[string]bool{}
	for _, collect := range []func(context.Context, Subject) error{c.collectObjects, c.collectSurroundings, c.collectOperators} {
		if err := collect(ctx, subject); err != nil {
			return nil, err
		}
	}
	if err := c.archive.addFile("problems.txt", strings.Join(c.problems, "\n")+"\n"); err != nil {
		return nil, err
	}
	if err := c.archive.writeEnd(); err != nil {
		return nil, err
	}
	return c.problems, ctx.Err()
}

func (c *Collector) addProblem(what string, err error) {
	c.problems = append(c.problems, fmt.Sprintf("cannot read %s: %s", what, err))
}

// collectObjects adds the objects of the subject and the logs of its pods.
func (c *Collector) collectObjects(ctx context.Context, subject Subject) error {
	for _, kind := range subjectKinds() {
		objects := c.listObjects(ctx, kind, client.InNamespace(subject.Namespace))
		for i := range objects {
			object := &objects[i]
			if !subject.includesObject(object) {
				continue
			}
			c.collected[kind.Kind+"/"+object.GetName()] = true
			if err := c.addObject("objects", object); err != nil {
				return err
			}
			if kind.Kind != "Pod" {
				continue
			}
			if err := c.addPodLogs(ctx, "logs", object); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *Collector) collectSurroundings(ctx context.Context, subject Subject) error {
	for _, kind := range surroundingKinds {
		var options []client.ListOption
		if kind.Kind != "Node" {
			options = append(options, client.InNamespace(subject.Namespace))
		}
		objects := c.listObjects(ctx, kind, options...)
		for i := range objects {
			if kind.Kind == "Event" && !c.isOfCollected(&objects[i]) {
				continue
			}
			if err := c.addObject("objects", &objects[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// isOfCollected reports whether an event is of a collected object, or of a deleted pod of a collected StatefulSet or Job.
func (c *Collector) isOfCollected(event *unstructured.Unstructured) bool {
	kind, _, _ := unstructured.NestedString(event.Object, "involvedObject", "kind")
	name, _, _ := unstructured.NestedString(event.Object, "involvedObject", "name")
	controller := name[:max(0, strings.LastIndex(name, "-"))]
	return c.collected[kind+"/"+name] || kind == "Pod" && (c.collected["StatefulSet/"+controller] || c.collected["Job/"+controller])
}

// collectOperators adds the Deployments, pods and logs of the operators, and all versions.
func (c *Collector) collectOperators(ctx context.Context, _ Subject) error {
	operators, err := cluster.ListOperators(ctx, c.Reader)
	if err != nil {
		c.addProblem("the operator's Deployment", err)
	}
	versions := c.Versions
	for _, operator := range operators {
		versions += fmt.Sprintf("operator   %s (Deployment %s/%s)\n", operator.Version, operator.Namespace, operator.Name)
		for _, kind := range []schema.GroupVersionKind{{Group: "apps", Version: "v1", Kind: "Deployment"}, {Version: "v1", Kind: "Pod"}} {
			objects := c.listObjects(ctx, kind, client.InNamespace(operator.Namespace), cluster.OperatorLabels)
			for i := range objects {
				if err := c.addObject("operator", &objects[i]); err != nil {
					return err
				}
				if kind.Kind != "Pod" {
					continue
				}
				if err := c.addPodLogs(ctx, "operator/logs", &objects[i]); err != nil {
					return err
				}
			}
		}
	}
	return c.archive.addFile("versions.txt", versions)
}

func (c *Collector) listObjects(ctx context.Context, kind schema.GroupVersionKind, options ...client.ListOption) []unstructured.Unstructured {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(schema.GroupVersionKind{Group: kind.Group, Version: kind.Version, Kind: kind.Kind + "List"})
	if err := c.Reader.List(ctx, list, options...); err != nil {
		c.addProblem(kind.Kind+" objects", err)
	}
	return list.Items
}

// addObject adds an object as YAML, and the gzipped values of a ConfigMap as text, because Secrets cannot be recognised
// in compressed data.
func (c *Collector) addObject(directory string, object *unstructured.Unstructured) error {
	object.SetManagedFields(nil)
	unstructured.RemoveNestedField(object.Object, "metadata", "annotations", corev1.LastAppliedConfigAnnotation)
	name := directory + "/" + strings.ToLower(object.GetKind()) + "/" + object.GetName()
	if object.GetKind() == "ConfigMap" {
		if err := c.addBinaryData(name, object); err != nil {
			return err
		}
	}
	text, err := yaml.Marshal(redactStrings(object.Object, c.archive.secrets))
	if err != nil {
		return fmt.Errorf("encode %s %s: %w", object.GetKind(), object.GetName(), err)
	}
	return c.archive.addFile(name+".yaml", string(text))
}

// addBinaryData adds the values of binaryData as files and removes them from the ConfigMap.
func (c *Collector) addBinaryData(name string, object *unstructured.Unstructured) error {
	text, err := json.Marshal(object.Object)
	if err != nil {
		return fmt.Errorf("encode ConfigMap %s: %w", object.GetName(), err)
	}
	var cm corev1.ConfigMap
	if err := json.Unmarshal(text, &cm); err != nil {
		return fmt.Errorf("decode ConfigMap %s: %w", object.GetName(), err)
	}
	unstructured.RemoveNestedField(object.Object, "binaryData")
	for _, key := range slices.Sorted(maps.Keys(cm.BinaryData)) {
		value := cm.BinaryData[key]
		if bytes.HasPrefix(value, boundedjson.GzipMagic) {
			if value, err = boundedjson.Unpack(value); err != nil {
				c.addProblem(fmt.Sprintf("%s of ConfigMap %s", key, cm.Name), err)
				continue
			}
		}
		if err := c.archive.addFile(name+"/"+strings.TrimSuffix(key, ".gz"), string(value)); err != nil {
			return err
		}
	}
	return nil
}

// maxLogLines is the number of lines of each container's log that are collected, the latest ones.
const maxLogLines int64 = 10_000

// addPodLogs adds the logs of all started containers of a pod, and those before their last restarts.
func (c *Collector) addPodLogs(ctx context.Context, directory string, object *unstructured.Unstructured) error {
	var pod corev1.Pod
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &pod); err != nil {
		return fmt.Errorf("decode pod %s: %w", object.GetName(), err)
	}
	for _, container := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if container.ContainerID == "" {
			continue
		}
		name := directory + "/" + pod.Name + "/" + container.Name
		if err := c.addLog(ctx, &pod, container.Name, name+".log", false); err != nil {
			return err
		}
		if container.RestartCount == 0 {
			continue
		}
		if err := c.addLog(ctx, &pod, container.Name, name+".previous.log", true); err != nil {
			return err
		}
	}
	return nil
}

func (c *Collector) addLog(ctx context.Context, pod *corev1.Pod, container, file string, previous bool) error {
	log, err := c.OpenLog(ctx, pod.Namespace, pod.Name, &corev1.PodLogOptions{
		Container: container, Previous: previous, Timestamps: true, TailLines: new(maxLogLines),
	})
	if err != nil {
		c.addProblem("log "+file, err)
		return ctx.Err()
	}
	defer log.Close()
	content, err := io.ReadAll(log)
	if err != nil {
		c.addProblem("the end of log "+file, err)
	}
	return c.archive.addFile(file, string(content))
}
