package benchnet_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// forbiddenRights must not be granted to any part of the project: they lead to more rights, into other pods, or
// to mass deletion.
var forbiddenRights = map[string][]string{
	"verbs": {"*", "escalate", "bind", "impersonate", "approve", "sign"},
	"resources": {"*", "pods/exec", "pods/attach", "pods/portforward", "pods/ephemeralcontainers", "nodes/proxy", "serviceaccounts/token",
		"certificatesigningrequests", "mutatingwebhookconfigurations", "validatingwebhookconfigurations", "namespaces", "clusterroles", "clusterrolebindings"},
	"apiGroups": {"*"},
}

// decodeRoles returns the rules of all Roles and ClusterRoles among the objects, by kind and name.
func decodeRoles(t *testing.T, all objectSet) map[string][]rbacv1.PolicyRule {
	t.Helper()
	found := map[string][]rbacv1.PolicyRule{}
	for name, object := range all {
		if object.GetKind() != "Role" && object.GetKind() != "ClusterRole" {
			continue
		}
		var role rbacv1.ClusterRole
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &role); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		found[name] = role.Rules
	}
	if len(found) == 0 {
		t.Fatal("there are no roles")
	}
	return found
}

// renderInstallations returns the objects of each way to install the project.
func renderInstallations(t *testing.T) map[string]objectSet {
	t.Helper()
	return map[string]objectSet{
		"kustomize":                  buildKustomization(t, "../../config/default"),
		"chart":                      renderRelease(t, "benchnet", "benchnet-system", nil),
		"chart, of two namespaces":   renderRelease(t, "benchnet", "benchnet-system", map[string]any{"watchNamespaces": []any{"team-a", "team-b"}}),
		"chart, with Kueue":          renderRelease(t, "benchnet", "benchnet-system", map[string]any{"kueue": "Honor"}),
		"chart, with faults of pods": renderRelease(t, "benchnet", "benchnet-system", map[string]any{"faults": map[string]any{"pods": true}}),
	}
}

func TestNoForbiddenRights(t *testing.T) {
	for installation, all := range renderInstallations(t) {
		for name, rules := range decodeRoles(t, all) {
			for _, rule := range rules {
				for what, have := range map[string][]string{"verbs": rule.Verbs, "resources": rule.Resources, "apiGroups": rule.APIGroups} {
					for _, value := range have {
						if slices.Contains(forbiddenRights[what], value) {
							t.Errorf("%s: %s has %s among its %s", installation, name, value, what)
						}
					}
				}
			}
		}
	}
}

// grantedVerbs maps group and resource to verbs.
type grantedVerbs map[string]string

func (g grantedVerbs) addVerbs(group, resource string, verbs []string) {
	key := strings.TrimPrefix(group+"/"+resource, "/")
	all := append(strings.Fields(g[key]), verbs...)
	slices.Sort(all)
	g[key] = strings.Join(slices.Compact(all), " ")
}

// operatorRights returns the rules of all roles that are bound to the operator's service account in any
// namespace.
func operatorRights(t *testing.T, all objectSet) grantedVerbs {
	t.Helper()
	have, known := grantedVerbs{}, decodeRoles(t, all)
	for name, object := range all {
		if object.GetKind() != "RoleBinding" && object.GetKind() != "ClusterRoleBinding" {
			continue
		}
		kind, _, _ := unstructured.NestedString(object.Object, "roleRef", "kind")
		role, _, _ := unstructured.NestedString(object.Object, "roleRef", "name")
		if strings.Contains(role, "leader-election") || strings.Contains(role, "metrics-auth") || !strings.Contains(role, "operator") {
			continue
		}
		key := kind + " " + role
		if kind == "Role" {
			key += " in " + object.GetNamespace()
		}
		rules, ok := known[key]
		if !ok {
			t.Errorf("%s binds %s %s, which is not there", name, kind, role)
		}
		for _, rule := range rules {
			for _, group := range rule.APIGroups {
				for _, resource := range rule.Resources {
					have.addVerbs(group, resource, rule.Verbs)
				}
			}
		}
	}
	return have
}

// TestRightsAreDocumented compares the operator's rights with the table in docs/security.md, for all ways to
// install it.
func TestRightsAreDocumented(t *testing.T) {
	for installation, all := range renderInstallations(t) {
		want := readDocumentedRights(t)
		if !strings.Contains(installation, "Kueue") {
			maps.DeleteFunc(want, func(resource, _ string) bool { return strings.HasPrefix(resource, "kueue.x-k8s.io/") })
		}
		if !strings.Contains(installation, "faults") {
			delete(want, "pods/eviction")
			want["pods"] = "get list watch"
		}
		if strings.Contains(installation, "namespaces") {
			delete(want, "nodes") // They are cluster-scoped.
		}
		if diff := cmp.Diff(want, operatorRights(t, all)); diff != "" {
			t.Errorf("%s: docs/security.md (-) and the operator's rights (+) differ:\n%s", installation, diff)
		}
	}
}

func readDocumentedRights(t *testing.T) grantedVerbs {
	t.Helper()
	page, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## What the operator may do\n")
	section, _, _ = strings.Cut(section, "\n## ")
	table := grantedVerbs{}
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 4 || !strings.Contains(cells[1], "`") {
			continue
		}
		if strings.TrimSpace(cells[3]) == "" {
			t.Errorf("no reason is given for %s", cells[1])
		}
		for resource := range strings.SplitSeq(cells[1], ",") {
			verbs := strings.Split(strings.NewReplacer(" ", "", "manage", "get,list,watch,create,patch,delete").Replace(cells[2]), ",")
			table.addVerbs(strings.Trim(cells[0], " `"), strings.Trim(resource, " `"), verbs)
		}
	}
	if len(table) == 0 {
		t.Fatal("docs/security.md has no table of rights")
	}
	return table
}

// TestUpdateOnlyFinalizers checks that the operator updates only finalizers. It patches everything else, so
// that it cannot overwrite the changes of others.
func TestUpdateOnlyFinalizers(t *testing.T) {
	rights := operatorRights(t, renderRelease(t, "benchnet", "benchnet-system", nil))
	for _, resource := range slices.Sorted(maps.Keys(rights)) {
		verbs := strings.Fields(rights[resource])
		if slices.Contains(verbs, "deletecollection") || slices.Contains(verbs, "update") && !strings.HasSuffix(resource, "/finalizers") {
			t.Errorf("the operator may %s %s", rights[resource], resource)
		}
	}
}
