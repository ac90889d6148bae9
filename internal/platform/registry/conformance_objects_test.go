package registry_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	dns "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/component-helpers/auth/rbac/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/kinds"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
)

// operatorRoleFile holds the operator's ClusterRole.
const operatorRoleFile = "../../../config/rbac/role.yaml"

// platformObjects returns the objects that the platform itself builds.
func platformObjects(b platformtest.BuildOutput) []client.Object {
	return slices.Concat(b.Genesis.JobObjects, b.Members)
}

// checkObjects checks what all objects have in common: kind, name, labels, owner and content.
func checkObjects(t *testing.T, b platformtest.BuildOutput, network *v1alpha1.BenchmarkNetwork) {
	t.Helper()
	seen := map[string]bool{}
	for _, o := range b.Runs {
		checkContent(t, o.GetName(), o)
	}
	for _, o := range platformObjects(b) {
		gvk, err := apiutil.GVKForObject(o, scheme.Scheme)
		if err != nil {
			t.Errorf("%T %s cannot be applied: %v", o, o.GetName(), err)
			continue
		}
		if !slices.ContainsFunc(kinds.Owned(), func(kind kinds.Kind) bool { return kind.GroupKind() == gvk.GroupKind() }) {
			t.Errorf("%s %s is of a kind that the operator does not watch: add it to kinds.Owned", gvk.Kind, o.GetName())
		}
		id := gvk.Kind + " " + o.GetName()
		if seen[id] {
			t.Errorf("%s is created twice", id)
		}
		seen[id] = true
		checkName(t, id, o, network)
		checkLabels(t, id, o.GetLabels(), network)
		if len(o.GetOwnerReferences()) > 0 {
			t.Errorf("%s has an owner already", id)
		}
		checkContent(t, id, o)
	}
	checkNamesUnique(t, b)
}

func checkName(t *testing.T, id string, o client.Object, network *v1alpha1.BenchmarkNetwork) {
	t.Helper()
	for _, problem := range dns.IsDNS1123Label(o.GetName()) {
		t.Errorf("%s: %s", id, problem)
	}
	reserved := strings.HasPrefix(o.GetName(), naming.ReservedPrefix)
	if !strings.HasPrefix(o.GetName(), network.Name) && !(reserved && strings.HasSuffix(o.GetName(), network.Name)) {
		t.Errorf("%s is not named after its network %s", id, network.Name)
	}
	if o.GetNamespace() != network.Namespace {
		t.Errorf("%s is in namespace %q, its network in %q", id, o.GetNamespace(), network.Namespace)
	}
}

// checkNamesUnique checks the names of the Secrets that the operator creates on the platform's behalf.
func checkNamesUnique(t *testing.T, b platformtest.BuildOutput) {
	t.Helper()
	seen := map[string]bool{}
	all := append([]string{}, b.Genesis.Secrets...)
	for _, c := range b.Credentials {
		all = append(all, c.Name)
		if len(c.Keys) == 0 {
			t.Errorf("credentials %s have no keys", c.Name)
		}
	}
	for _, name := range all {
		if seen[name] {
			t.Errorf("Secret %s has two purposes", name)
		}
		seen[name] = true
		for _, problem := range dns.IsDNS1123Label(name) {
			t.Errorf("Secret %s: %s", name, problem)
		}
	}
}

func checkLabels(t *testing.T, id string, labels map[string]string, network *v1alpha1.BenchmarkNetwork) {
	t.Helper()
	for key, want := range map[string]string{
		"app.kubernetes.io/managed-by": v1alpha1.ManagedBy,
		"app.kubernetes.io/part-of":    "benchnet",
		"app.kubernetes.io/instance":   network.Name,
		v1alpha1.LabelNetwork:          network.Name,
	} {
		if labels[key] != want {
			t.Errorf("%s has label %s=%q, want %q", id, key, labels[key], want)
		}
	}
	for _, key := range []string{"app.kubernetes.io/name", "app.kubernetes.io/component"} {
		if labels[key] == "" {
			t.Errorf("%s lacks label %s", id, key)
		}
	}
}

// literalSecretPattern matches the assignment of a quoted or bare literal to a key such as password. A
// reference to the environment does not match.
var literalSecretPattern = regexp.MustCompile(`(?i)(password|passphrase|secret|private[-_]?key|token)"?\s*[:=]\s*("[^"$]+"|[^\s"$#{\[][^\s]*)`)

func checkContent(t *testing.T, id string, o client.Object) {
	t.Helper()
	switch o := o.(type) {
	case *corev1.Secret:
		t.Errorf("%s: a platform must declare Secrets instead of creating them", id)
	case *corev1.ConfigMap:
		for key, text := range o.Data {
			if found := literalSecretPattern.FindString(text); found != "" {
				t.Errorf("%s, key %s, holds a secret: %s", id, key, found)
			}
		}
	case *rbacv1.Role:
		checkRole(t, id, o)
	}
}

// roleVerbs are the verbs that a Role for pods may grant on named objects.
var roleVerbs = []string{"get", "list", "watch", "patch"}

// checkRole checks that a Role names its objects, grants only roleVerbs, and grants nothing that the operator
// lacks; otherwise the API server would reject the Role.
func checkRole(t *testing.T, id string, role *rbacv1.Role) {
	t.Helper()
	for _, rule := range role.Rules {
		if len(rule.ResourceNames) == 0 {
			t.Errorf("%s allows %v on all %v, not on named ones", id, rule.Verbs, rule.Resources)
		}
		for _, verb := range rule.Verbs {
			if !slices.Contains(roleVerbs, verb) {
				t.Errorf("%s allows to %s %v", id, verb, rule.Resources)
			}
		}
	}
	if covered, missing := validation.Covers(operatorRules(t), role.Rules); !covered {
		t.Errorf("%s grants rights that the operator lacks: %v", id, missing)
	}
}

// operatorRules returns the rules of the operator's own ClusterRole.
func operatorRules(t *testing.T) []rbacv1.PolicyRule {
	t.Helper()
	var role rbacv1.ClusterRole
	if err := yaml.UnmarshalStrict(readFile(t, operatorRoleFile), &role); err != nil {
		t.Fatalf("decode %s: %v", operatorRoleFile, err)
	}
	return role.Rules
}

// podTemplate is a pod template with the kind and name of its owner.
type podTemplate struct {
	id       string
	template corev1.PodTemplateSpec
	claims   []corev1.PersistentVolumeClaim
}

func podTemplatesOf(objects []client.Object) []podTemplate {
	var all []podTemplate
	for _, o := range objects {
		switch o := o.(type) {
		case *appsv1.StatefulSet:
			all = append(all, podTemplate{"StatefulSet " + o.Name, o.Spec.Template, o.Spec.VolumeClaimTemplates})
		case *appsv1.Deployment:
			all = append(all, podTemplate{"Deployment " + o.Name, o.Spec.Template, nil})
		case *batchv1.Job:
			all = append(all, podTemplate{"Job " + o.Name, o.Spec.Template, nil})
		}
	}
	return all
}

// declaredSecrets returns the Secrets that a pod may read.
func declaredSecrets(b platformtest.BuildOutput, in platform.Input) map[string]bool {
	declared := map[string]bool{naming.CommandsSecret(in.Network.Name): true}
	for _, name := range b.Genesis.Secrets {
		declared[name] = true
	}
	for _, c := range b.Credentials {
		declared[c.Name] = true
	}
	for _, db := range in.Databases {
		declared[db.PasswordSecret] = true
	}
	return declared
}
