package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/network/plan"
	"github.com/benchnet/benchnet/internal/platform/registry"
)

// Placeholders for names in manifests.
const (
	namePlaceholder      = "networkname"
	namespacePlaceholder = "namespacename"
)

// measureBaselines creates the objects of networks with plain create and apply requests, kubectl, Helm, and a client that has the
// waits of a real network. The operator does not run yet.
func measureBaselines(ctx context.Context, o options, p *controlPlane, report *resultTable) error {
	stages, err := p.renderStages(ctx, o.members)
	if err != nil {
		return err
	}
	var manifests []string
	for _, stage := range stages {
		manifests = append(manifests, stage.manifests...)
	}
	inOrder := func(ctx context.Context, _ options, p *controlPlane, w networkBatch, _ []string) error {
		return applyInOrder(ctx, p, w, stages)
	}
	baselines := []struct {
		name string
		make func(context.Context, options, *controlPlane, networkBatch, []string) error
	}{{"creates", createInParallel}, {"applies", applyInParallel}, {"kubectl", applyWithKubectl}, {"helm", installWithHelm}, {"ordered", inOrder}}
	for _, baseline := range baselines {
		w := networkBatch{prefix: baseline.name, networks: o.comparedNetworks, members: o.members, perNamespace: o.perNamespace}
		if err := p.createNamespaces(ctx, w); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%d networks of %d members by %s\n", w.networks, w.members, baseline.name)
		before, err := readCPUTimes()
		if err != nil {
			return err
		}
		started := time.Now()
		if err := baseline.make(ctx, o, p, w, manifests); err != nil {
			return err
		}
		applied := time.Since(started)
		if err := p.waitUntil(ctx, "the StatefulSets of "+baseline.name+" are ready", func() (bool, error) { return p.allMembersReady(ctx, w) }); err != nil {
			return err
		}
		took := time.Since(started)
		sent, _, err := p.countRequests(baseline.name)
		if err != nil {
			return err
		}
		after, err := readCPUTimes()
		if err != nil {
			return err
		}
		report.addBaseline(baseline.name, w, len(manifests), applied, took, sent, after.subtractEarlier(before))
		if err := p.deleteNamespaces(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// stageManifests are objects as YAML, with placeholders for names, and the Secrets that must be filled before the next ones. Those of a
// stage that create pods follow its others.
type stageManifests struct{ manifests, secrets []string }

// renderStages returns the objects that the operator creates for a network until it is Ready.
func (p *controlPlane) renderStages(ctx context.Context, members int) ([]stageManifests, error) {
	if err := p.client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespacePlaceholder}}); err != nil {
		return nil, fmt.Errorf("create namespace %s: %w", namespacePlaceholder, err)
	}
	network := networkBatch{members: members, perNamespace: 1}.buildNetwork(0)
	network.Name, network.Namespace = namePlaceholder, namespacePlaceholder
	if err := p.client.Create(ctx, network); err != nil {
		return nil, fmt.Errorf("create network %s: %w", namePlaceholder, err)
	}
	platform, err := registry.New().Get(network.Spec.Platform.Type)
	if err != nil {
		return nil, err
	}
	built, err := plan.Build(plan.Input{Network: network, Platform: platform, GenesisSecretFilled: func(string) bool { return false },
		Images: naming.ImageCatalogue{Registry: naming.DefaultImageRegistry, Version: "0"}})
	if err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	}
	var stages []stageManifests
	for _, stage := range built.Stages {
		var others stageManifests
		withPods := stageManifests{secrets: stage.RequiredSecrets}
		for _, object := range stage.Objects {
			text, err := p.renderManifest(object)
			if err != nil {
				return nil, err
			}
			switch object.(type) {
			case *batchv1.Job, *appsv1.StatefulSet:
				withPods.manifests = append(withPods.manifests, text)
			default:
				others.manifests = append(others.manifests, text)
			}
		}
		stages = append(stages, others, withPods)
	}
	if err := p.client.Delete(ctx, network); err != nil {
		return nil, fmt.Errorf("delete network %s: %w", namePlaceholder, err)
	}
	return stages, nil
}

func (p *controlPlane) renderManifest(object client.Object) (string, error) {
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
	u.SetNamespace(namespacePlaceholder)
	unstructured.RemoveNestedField(content, "status")
	unstructured.RemoveNestedField(content, "metadata", "creationTimestamp")
	text, err := yaml.Marshal(content)
	if err != nil {
		return "", fmt.Errorf("write %s: %w", object.GetName(), err)
	}
	return string(text), nil
}

func replacePlaceholders(text, name, namespace string) string {
	return strings.NewReplacer(namePlaceholder, name, namespacePlaceholder, namespace).Replace(text)
}

// parallelRequests is the number of requests of sendInParallel at one time.
const parallelRequests = 16

// createInParallel creates all objects with one request each, which is the least that any tool has to do.
func createInParallel(ctx context.Context, _ options, p *controlPlane, w networkBatch, manifests []string) error {
	return sendInParallel(ctx, p, "creates", w, manifests, func(ctx context.Context, c client.Client, object *unstructured.Unstructured) error {
		return c.Create(ctx, object)
	})
}

// applyInParallel applies all objects with one server-side apply each, the requests that the operator sends.
func applyInParallel(ctx context.Context, _ options, p *controlPlane, w networkBatch, manifests []string) error {
	return sendInParallel(ctx, p, "applies", w, manifests, applyObject)
}

// applyObject sends the request by which the operator writes an object.
func applyObject(ctx context.Context, c client.Client, object *unstructured.Unstructured) error {
	return c.Apply(ctx, client.ApplyConfigurationFromUnstructured(object), client.FieldOwner("benchnet"), client.ForceOwnership)
}

// sendInParallel sends one request for each object of all networks, as a user with the name of the baseline.
func sendInParallel(
	ctx context.Context, p *controlPlane, baseline string, w networkBatch, manifests []string,
	send func(context.Context, client.Client, *unstructured.Unstructured) error,
) error {
	direct, err := p.newClientAs(baseline)
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallelRequests)
	for i := range w.networks {
		for _, manifest := range manifests {
			group.Go(func() error {
				object, err := w.decodeManifest(manifest, i)
				if err != nil {
					return err
				}
				if err := send(ctx, direct, object); err != nil {
					return fmt.Errorf("send %s %s: %w", object.GetKind(), object.GetName(), err)
				}
				return nil
			})
		}
	}
	return group.Wait()
}

func (p *controlPlane) newClientAs(user string) (client.WithWatch, error) {
	path, err := p.writeKubeconfig(user)
	if err != nil {
		return nil, err
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return newClient(config)
}

// decodeManifest returns the object of a manifest for the i-th network.
func (w networkBatch) decodeManifest(manifest string, i int) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(replacePlaceholders(manifest, w.networkName(i), w.namespaceName(i))), object); err != nil {
		return nil, fmt.Errorf("decode an object of %s: %w", w.networkName(i), err)
	}
	return object, nil
}

// applyInOrder applies the same objects as the operator, with the same requests and waits: a network's members after its genesis. It
// knows everything beforehand, reads nothing but the Secrets that genesis fills, and writes no status. All networks share
// parallelRequests connections.
func applyInOrder(ctx context.Context, p *controlPlane, w networkBatch, stages []stageManifests) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := startGenesisStub(ctx, p); err != nil {
		return err
	}
	direct, err := p.newClientAs("ordered")
	if err != nil {
		return err
	}
	filled, err := watchFilledSecrets(ctx, direct)
	if err != nil {
		return err
	}
	connections := make(chan struct{}, parallelRequests)
	networks, ctx := errgroup.WithContext(ctx)
	for i := range w.networks {
		networks.Go(func() error {
			for _, stage := range stages {
				if err := w.applyManifests(ctx, direct, connections, stage.manifests, i); err != nil {
					return fmt.Errorf("apply objects of %s: %w", w.networkName(i), err)
				}
				for _, secret := range stage.secrets {
					select {
					case <-filled.channelOf(w.namespaceName(i), replacePlaceholders(secret, w.networkName(i), "")):
					case <-ctx.Done():
						return ctx.Err()
					}
				}
			}
			return nil
		})
	}
	return networks.Wait()
}

// applyManifests applies manifests for the i-th network, as many at one time as connections has places.
func (w networkBatch) applyManifests(ctx context.Context, c client.Client, connections chan struct{}, manifests []string, i int) error {
	requests, ctx := errgroup.WithContext(ctx)
	for _, manifest := range manifests {
		requests.Go(func() error {
			object, err := w.decodeManifest(manifest, i)
			if err != nil {
				return err
			}
			connections <- struct{}{}
			defer func() { <-connections }()
			return applyObject(ctx, c, object)
		})
	}
	return requests.Wait()
}

// filledSecrets has a channel for each Secret, which is closed when genesis has filled the Secret.
type filledSecrets struct{ channels sync.Map }

func (f *filledSecrets) channelOf(namespace, name string) chan struct{} {
	channel, _ := f.channels.LoadOrStore(client.ObjectKey{Namespace: namespace, Name: name}, make(chan struct{}))
	return channel.(chan struct{})
}

func watchFilledSecrets(ctx context.Context, c client.WithWatch) (*filledSecrets, error) {
	watcher, err := c.Watch(ctx, &corev1.SecretList{}, client.HasLabels{v1alpha1.LabelNetwork})
	if err != nil {
		return nil, fmt.Errorf("watch Secrets: %w", err)
	}
	f := &filledSecrets{}
	go func() {
		defer watcher.Stop()
		closed := map[client.ObjectKey]bool{}
		for event := range watcher.ResultChan() {
			secret, ok := event.Object.(*corev1.Secret)
			if !ok || secret.Annotations[v1alpha1.AnnotationGenesisComplete] == "" {
				continue
			}
			if key := client.ObjectKeyFromObject(secret); !closed[key] {
				closed[key] = true
				close(f.channelOf(key.Namespace, key.Name))
			}
		}
	}()
	return f, nil
}

// applyWithKubectl applies all manifests of all networks with one command.
func applyWithKubectl(ctx context.Context, o options, p *controlPlane, w networkBatch, manifests []string) error {
	folder := filepath.Join(p.outputDir, "kubectl")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("create %s: %w", folder, err)
	}
	for i := range w.networks {
		text := replacePlaceholders(strings.Join(manifests, "---\n"), w.networkName(i), w.namespaceName(i))
		if err := os.WriteFile(filepath.Join(folder, w.networkName(i)+".yaml"), []byte(text), 0o644); err != nil {
			return fmt.Errorf("write manifests: %w", err)
		}
	}
	config, err := p.writeKubeconfig("kubectl")
	if err != nil {
		return err
	}
	return runCommand(ctx, filepath.Join(o.assets, "kubectl"), "--kubeconfig", config, "apply", "--server-side", "--filename", folder)
}

// installWithHelm installs one release for each network, one after the other, as a script would.
func installWithHelm(ctx context.Context, o options, p *controlPlane, w networkBatch, manifests []string) error {
	chart := filepath.Join(p.outputDir, "chart")
	if err := os.MkdirAll(filepath.Join(chart, "templates"), 0o755); err != nil {
		return fmt.Errorf("create %s: %w", chart, err)
	}
	text := replacePlaceholders(strings.Join(manifests, "---\n"), "{{ .Release.Name }}", "{{ .Release.Namespace }}")
	err := errors.Join(
		os.WriteFile(filepath.Join(chart, "Chart.yaml"), []byte("apiVersion: v2\nname: network\nversion: 0.1.0\n"), 0o644),
		os.WriteFile(filepath.Join(chart, "templates", "network.yaml"), []byte(text), 0o644))
	if err != nil {
		return fmt.Errorf("write the chart: %w", err)
	}
	config, err := p.writeKubeconfig("helm")
	if err != nil {
		return err
	}
	for i := range w.networks {
		if err := runCommand(ctx, o.helm, "--kubeconfig", config, "--namespace", w.namespaceName(i), "install", w.networkName(i), chart); err != nil {
			return err
		}
	}
	return nil
}

func runCommand(ctx context.Context, name string, arguments ...string) error {
	if output, err := exec.CommandContext(ctx, name, arguments...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(arguments, " "), err, output[max(0, len(output)-2000):])
	}
	return nil
}

// allMembersReady reports whether the pods of all members of all networks are ready.
func (p *controlPlane) allMembersReady(ctx context.Context, w networkBatch) (bool, error) {
	ready := 0
	for i := range w.namespaceCount() {
		var sets appsv1.StatefulSetList
		if err := p.client.List(ctx, &sets, client.InNamespace(w.namespaceName(i*w.perNamespace))); err != nil {
			return false, err
		}
		for _, set := range sets.Items {
			ready += int(set.Status.ReadyReplicas)
		}
	}
	return ready == w.networks*w.members, nil
}

func (p *controlPlane) deleteNamespaces(ctx context.Context, w networkBatch) error {
	for i := range w.namespaceCount() {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.namespaceName(i * w.perNamespace)}}
		if err := p.client.Delete(ctx, namespace); err != nil {
			return fmt.Errorf("delete namespace %s: %w", namespace.Name, err)
		}
	}
	return p.waitUntil(ctx, "the namespaces of "+w.prefix+" are gone", func() (bool, error) {
		for i := range w.namespaceCount() {
			err := p.client.Get(ctx, client.ObjectKey{Name: w.namespaceName(i * w.perNamespace)}, &corev1.Namespace{})
			if !apierrors.IsNotFound(err) {
				return false, err
			}
		}
		return true, nil
	})
}
