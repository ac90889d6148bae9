package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	operatorsv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	appsv1 "k8s.io/api/apps/v1"
	rbacv1 "k8s.io/api/rbac/v1"
)

// completeCSV completes the ClusterServiceVersion of config/manifests/bases from the other manifests.
func (m *bundleContents) completeCSV(r releaseOptions) error {
	if m.csv.Name == "" || len(m.deployments) == 0 || len(m.crds) == 0 {
		return fmt.Errorf("the manifests lack a ClusterServiceVersion, a Deployment or CRDs")
	}
	spec := &m.csv.Spec
	if err := spec.Version.UnmarshalJSON([]byte(strconv.Quote(r.version))); err != nil {
		return fmt.Errorf("version %q: %w", r.version, err)
	}
	m.csv.Name = "benchnet.v" + r.version
	icon, err := os.ReadFile(r.icon)
	if err != nil {
		return err
	}
	spec.Icon = []operatorsv1alpha1.Icon{{Data: base64.StdEncoding.EncodeToString(icon), MediaType: "image/svg+xml"}}
	examples, err := json.MarshalIndent(m.examples, "", "  ")
	if err != nil {
		return err
	}
	m.csv.Annotations["alm-examples"] = string(examples)
	m.csv.Annotations["containerImage"] = m.deployments[0].Spec.Template.Spec.Containers[0].Image
	for _, i := range r.images {
		spec.RelatedImages = append(spec.RelatedImages, operatorsv1alpha1.RelatedImage{Name: i.name, Image: i.reference})
	}
	spec.CustomResourceDefinitions.Owned = nil
	for i := range m.crds {
		owned, err := describeCRD(&m.crds[i])
		if err != nil {
			return fmt.Errorf("CRD %s: %w", m.crds[i].Name, err)
		}
		spec.CustomResourceDefinitions.Owned = append(spec.CustomResourceDefinitions.Owned, owned)
	}
	return m.setInstallStrategy()
}

// setInstallStrategy sets the deployments and the permissions of their service accounts. Rules for namespaced
// resources apply in the namespaces that the operator watches; OLM makes them cluster-wide if it watches all.
// The other rules are always cluster-wide.
func (m *bundleContents) setInstallStrategy() error {
	strategy := operatorsv1alpha1.StrategyDetailsDeployment{}
	for _, d := range m.deployments {
		strategy.DeploymentSpecs = append(strategy.DeploymentSpecs, operatorsv1alpha1.StrategyDeploymentSpec{Name: d.Name, Spec: d.Spec, Label: d.Labels})
		namespaced, clustered := m.accountRules(&d)
		if len(namespaced) == 0 {
			return fmt.Errorf("account %s of Deployment %s has no rights", d.Spec.Template.Spec.ServiceAccountName, d.Name)
		}
		account := d.Spec.Template.Spec.ServiceAccountName
		strategy.Permissions = append(strategy.Permissions, operatorsv1alpha1.StrategyDeploymentPermissions{ServiceAccountName: account, Rules: namespaced})
		strategy.ClusterPermissions = append(strategy.ClusterPermissions,
			operatorsv1alpha1.StrategyDeploymentPermissions{ServiceAccountName: account, Rules: clustered})
	}
	m.csv.Spec.InstallStrategy = operatorsv1alpha1.NamedInstallStrategy{StrategyName: "deployment", StrategySpec: strategy}
	m.addUnboundRoles()
	return nil
}

// addUnboundRoles adds the roles that are not bound to a service account of the bundle, those for users and for
// Prometheus, unchanged to the bundle.
func (m *bundleContents) addUnboundRoles() {
	for _, name := range slices.Sorted(maps.Keys(m.roles)) {
		bound := slices.ContainsFunc(m.bindings, func(b binding) bool { return b.role.Kind+"/"+b.role.Name == name })
		if !bound {
			m.otherObjects = append(m.otherObjects, m.roles[name].object)
		}
	}
}

// accountRules returns the rules of a deployment's service account.
func (m *bundleContents) accountRules(d *appsv1.Deployment) (namespaced, clustered []rbacv1.PolicyRule) {
	for _, b := range m.bindings {
		if !slices.ContainsFunc(b.subjects, func(s rbacv1.Subject) bool { return s.Name == d.Spec.Template.Spec.ServiceAccountName }) {
			continue
		}
		for _, rule := range m.roles[b.role.Kind+"/"+b.role.Name].rules {
			if b.clusterWide && isClusterScoped(rule) {
				clustered = append(clustered, rule)
			} else {
				namespaced = append(namespaced, rule)
			}
		}
	}
	return namespaced, clustered
}

// clusterScopedResources are the cluster-scoped resources that an operator of this project may access.
var clusterScopedResources = []string{"nodes", "namespaces", "tokenreviews", "subjectaccessreviews", "customresourcedefinitions",
	"priorityclasses", "storageclasses", "persistentvolumes", "workloadpriorityclasses"}

func isClusterScoped(rule rbacv1.PolicyRule) bool {
	return len(rule.NonResourceURLs) > 0 || slices.ContainsFunc(rule.Resources, func(r string) bool {
		plain, _, _ := strings.Cut(r, "/")
		return slices.Contains(clusterScopedResources, plain)
	})
}
