package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/internal/images"
	"github.com/benchnet/benchnet/internal/plan"
	"github.com/benchnet/benchnet/internal/platform/all"
)

// The words in a manifest for which names are put.
const (
	anyName      = "networkname"
	anyNamespace = "namespacename"
)

// measureRivals makes the objects of networks, all at once, by kubectl and by Helm. No operator is there yet.
func measureRivals(ctx context.Context, o options, p *plane, report *report) error {
	manifests, err := p.manifests(ctx, o.members)
	if err != nil {
		return err
	}
	rivals := []struct {
		name string
		make func(context.Context, options, *plane, workload, []string) error
	}{{"kubectl", byKubectl}, {"helm", byHelm}}
	for _, rival := range rivals {
		w := workload{prefix: rival.name, networks: o.compared, members: o.members, perNamespace: o.perNamespace}
		if err := p.addNamespaces(ctx, w); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%d networks of %d members by %s\n", w.networks, w.members, rival.name)
		started := time.Now()
		if err := rival.make(ctx, o, p, w, manifests); err != nil {
			return err
		}
		applied := time.Since(started)
		if err := p.await(ctx, "the StatefulSets of "+rival.name+" are ready", func() (bool, error) { return p.setsReady(ctx, w) }); err != nil {
			return err
		}
		took := time.Since(started)
		sent, _, err := p.requestsOf(rival.name)
		if err != nil {
			return err
		}
		report.rival(rival.name, w, len(manifests), applied, took, sent)
		if err := p.removeNamespaces(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// manifests are what the operator would make of a network from nothing to Ready, as YAML with words for its names.
func (p *plane) manifests(ctx context.Context, members int) ([]string, error) {
	if err := p.client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: anyNamespace}}); err != nil {
		return nil, fmt.Errorf("make namespace %s: %w", anyNamespace, err)
	}
	network := workload{members: members, perNamespace: 1}.network(0)
	network.Name, network.Namespace = anyName, anyNamespace
	if err := p.client.Create(ctx, network); err != nil {
		return nil, fmt.Errorf("make network %s: %w", anyName, err)
	}
	platform, err := all.Registry().Get(network.Spec.Platform.Type)
	if err != nil {
		return nil, err
	}
	built, err := plan.Build(plan.Input{Network: network, Platform: platform, MaterialComplete: func(string) bool { return false },
		Images: images.Catalogue{Registry: images.DefaultRegistry, Version: "0"}})
	if err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	}
	var texts []string
	for _, object := range built.Objects() {
		text, err := p.manifest(object)
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	if err := p.client.Delete(ctx, network); err != nil {
		return nil, fmt.Errorf("delete network %s: %w", anyName, err)
	}
	return texts, nil
}

func (p *plane) manifest(object client.Object) (string, error) {
	gvk, err := apiutil.GVKForObject(object, p.client.Scheme())
	if err != nil {
		return "", fmt.Errorf("kind of %s: %w", object.GetName(), err)
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return "", fmt.Errorf("convert %s: %w", object.GetName(), err)
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(gvk)
	u.SetNamespace(anyNamespace)
	unstructured.RemoveNestedField(content, "status")
	unstructured.RemoveNestedField(content, "metadata", "creationTimestamp")
	text, err := yaml.Marshal(content)
	if err != nil {
		return "", fmt.Errorf("write %s: %w", object.GetName(), err)
	}
	return string(text), nil
}

func named(text, name, namespace string) string {
	return strings.NewReplacer(anyName, name, anyNamespace, namespace).Replace(text)
}

// byKubectl applies all manifests of all networks in one command.
func byKubectl(ctx context.Context, o options, p *plane, w workload, manifests []string) error {
	folder := filepath.Join(p.out, "kubectl")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("make %s: %w", folder, err)
	}
	for i := range w.networks {
		text := named(strings.Join(manifests, "---\n"), w.name(i), w.namespace(i))
		if err := os.WriteFile(filepath.Join(folder, w.name(i)+".yaml"), []byte(text), 0o644); err != nil {
			return fmt.Errorf("write manifests: %w", err)
		}
	}
	config, err := p.kubeconfig("kubectl")
	if err != nil {
		return err
	}
	return command(ctx, filepath.Join(o.assets, "kubectl"), "--kubeconfig", config, "apply", "--server-side", "--filename", folder)
}

// byHelm installs a release for each network, one after the other, as a script would.
func byHelm(ctx context.Context, o options, p *plane, w workload, manifests []string) error {
	chart := filepath.Join(p.out, "chart")
	if err := os.MkdirAll(filepath.Join(chart, "templates"), 0o755); err != nil {
		return fmt.Errorf("make %s: %w", chart, err)
	}
	text := named(strings.Join(manifests, "---\n"), "{{ .Release.Name }}", "{{ .Release.Namespace }}")
	err := errors.Join(
		os.WriteFile(filepath.Join(chart, "Chart.yaml"), []byte("apiVersion: v2\nname: network\nversion: 0.1.0\n"), 0o644),
		os.WriteFile(filepath.Join(chart, "templates", "network.yaml"), []byte(text), 0o644))
	if err != nil {
		return fmt.Errorf("write the chart: %w", err)
	}
	config, err := p.kubeconfig("helm")
	if err != nil {
		return err
	}
	for i := range w.networks {
		if err := command(ctx, o.helm, "--kubeconfig", config, "--namespace", w.namespace(i), "install", w.name(i), chart); err != nil {
			return err
		}
	}
	return nil
}

func command(ctx context.Context, name string, arguments ...string) error {
	if output, err := exec.CommandContext(ctx, name, arguments...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(arguments, " "), err, output[max(0, len(output)-2000):])
	}
	return nil
}

// setsReady tells whether every member of every network has its pod ready.
func (p *plane) setsReady(ctx context.Context, w workload) (bool, error) {
	ready := 0
	for i := range w.namespaces() {
		var sets appsv1.StatefulSetList
		if err := p.client.List(ctx, &sets, client.InNamespace(w.namespace(i*w.perNamespace))); err != nil {
			return false, err
		}
		for _, set := range sets.Items {
			ready += int(set.Status.ReadyReplicas)
		}
	}
	return ready == w.networks*w.members, nil
}

func (p *plane) removeNamespaces(ctx context.Context, w workload) error {
	for i := range w.namespaces() {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.namespace(i * w.perNamespace)}}
		if err := p.client.Delete(ctx, namespace); err != nil {
			return fmt.Errorf("delete namespace %s: %w", namespace.Name, err)
		}
	}
	return p.await(ctx, "the namespaces of "+w.prefix+" are gone", func() (bool, error) {
		err := p.client.Get(ctx, client.ObjectKey{Name: w.namespace(w.networks - 1)}, &corev1.Namespace{})
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	})
}
