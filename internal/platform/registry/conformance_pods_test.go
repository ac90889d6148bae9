package registry_test

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
)

// checkPods checks every pod template of the platform and of the runs.
func checkPods(t *testing.T, b platformtest.BuildOutput, in platform.Input) {
	t.Helper()
	network := in.Network
	own := podTemplatesOf(platformObjects(b))
	if len(own) == 0 {
		t.Error("the platform runs nothing")
	}
	secrets := declaredSecrets(b, in)
	for _, w := range append(own, podTemplatesOf(b.Runs)...) {
		checkRestricted(t, w)
		checkVolumes(t, w)
		checkSecrets(t, w, secrets)
		for _, c := range allContainers(w.template.Spec) {
			checkContainer(t, w.id, c)
		}
		if w.template.Labels[v1alpha1.LabelNetwork] != network.Name {
			t.Errorf("%s: its pods are not labelled with the network", w.id)
		}
	}
	for _, c := range b.DatabaseRequirements.Template {
		checkContainer(t, "database template", c)
	}
}

func allContainers(spec corev1.PodSpec) []corev1.Container {
	return slices.Concat(spec.InitContainers, spec.Containers)
}

// checkRestricted uses the code with which API servers enforce the restricted level.
func checkRestricted(t *testing.T, w podTemplate) {
	t.Helper()
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatalf("make the evaluator of pod security: %v", err)
	}
	level := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	result := policy.AggregateCheckResults(evaluator.EvaluatePod(level, &w.template.ObjectMeta, &w.template.Spec))
	if !result.Allowed {
		t.Errorf("%s breaks pod security level restricted: %s", w.id, result.ForbiddenDetail())
	}
	if w.template.Spec.EnableServiceLinks == nil || *w.template.Spec.EnableServiceLinks {
		t.Errorf("%s gets the addresses of unrelated Services as environment", w.id)
	}
}

func checkContainer(t *testing.T, id string, c corev1.Container) {
	t.Helper()
	id += ", container " + c.Name
	if s := c.SecurityContext; s == nil || s.ReadOnlyRootFilesystem == nil || !*s.ReadOnlyRootFilesystem {
		t.Errorf("%s can write its root file system", id)
	}
	if _, tag, ok := strings.Cut(c.Image[strings.LastIndex(c.Image, "/")+1:], ":"); !ok || tag == "latest" {
		t.Errorf("%s: image %q is not pinned", id, c.Image)
	}
	for _, r := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		limit, limited := c.Resources.Limits[r]
		request, requested := c.Resources.Requests[r]
		if !limited || !requested {
			t.Errorf("%s has no limit or no request of %s", id, r)
		}
		if request.Cmp(limit) > 0 {
			t.Errorf("%s requests more %s (%s) than its limit (%s)", id, r, request.String(), limit.String())
		}
	}
	for _, e := range c.Env {
		if e.Value != "" && strings.Contains(strings.ToLower(e.Name), "password") {
			t.Errorf("%s has a password in its environment %s", id, e.Name)
		}
	}
}

// checkVolumes checks that every mount has a volume and every volume a mount.
func checkVolumes(t *testing.T, w podTemplate) {
	t.Helper()
	mounted := map[string]bool{}
	for _, c := range allContainers(w.template.Spec) {
		places := map[string]bool{}
		for _, m := range c.VolumeMounts {
			mounted[m.Name] = true
			if places[m.MountPath] {
				t.Errorf("%s, container %s mounts twice at %s", w.id, c.Name, m.MountPath)
			}
			places[m.MountPath] = true
		}
	}
	volumes := map[string]bool{}
	for _, v := range w.template.Spec.Volumes {
		if volumes[v.Name] {
			t.Errorf("%s has two volumes %s", w.id, v.Name)
		}
		volumes[v.Name] = true
	}
	for _, c := range w.claims {
		volumes[c.Name] = true
	}
	for name := range volumes {
		if !mounted[name] {
			t.Errorf("%s: volume %s is mounted nowhere", w.id, name)
		}
	}
	for name := range mounted {
		if !volumes[name] {
			t.Errorf("%s mounts volume %s, which it does not have", w.id, name)
		}
	}
}

// checkSecrets checks that a pod reads only declared Secrets.
func checkSecrets(t *testing.T, w podTemplate, declared map[string]bool) {
	t.Helper()
	var read []string
	for _, v := range w.template.Spec.Volumes {
		if v.Secret != nil {
			read = append(read, v.Secret.SecretName)
		}
		if v.Projected != nil {
			for _, s := range v.Projected.Sources {
				if s.Secret != nil {
					read = append(read, s.Secret.Name)
				}
			}
		}
	}
	for _, c := range allContainers(w.template.Spec) {
		for _, e := range c.Env {
			if e.ValueFrom != nil && e.ValueFrom.SecretKeyRef != nil {
				read = append(read, e.ValueFrom.SecretKeyRef.Name)
			}
		}
	}
	for _, name := range read {
		if !declared[name] {
			t.Errorf("%s reads Secret %s, which no object provides", w.id, name)
		}
	}
}
