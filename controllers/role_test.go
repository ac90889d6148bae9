package controllers

import (
	"os"
	"slices"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/internal/kube/kinds"
)

// TestRoleCoversOwnedKinds checks that the markers of the controllers permit all that the operator does with the
// kinds that it creates.
func TestRoleCoversOwnedKinds(t *testing.T) {
	text, err := os.ReadFile("../config/rbac/role.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var role rbacv1.ClusterRole
	if err := yaml.Unmarshal(text, &role); err != nil {
		t.Fatal(err)
	}
	for _, kind := range kinds.Owned() {
		t.Run(kind.GroupKind().Kind, func(t *testing.T) {
			plural, _ := meta.UnsafeGuessKindToResource(kind.GroupKind().WithVersion("v1"))
			for _, verb := range []string{"get", "list", "watch", "create", "patch", "delete"} {
				if !slices.ContainsFunc(role.Rules, func(r rbacv1.PolicyRule) bool {
					return slices.Contains(r.APIGroups, kind.Group) && slices.Contains(r.Resources, plural.Resource) && slices.Contains(r.Verbs, verb)
				}) {
					t.Errorf("no rule permits to %s %s", verb, plural.Resource)
				}
			}
		})
	}
}
