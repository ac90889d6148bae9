package plan

import (
	"slices"
	"testing"

	networkingv1 "k8s.io/api/networking/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
)

// withUserSchemas gives the members of a network schemas of the user's on SQL Server.
func withUserSchemas(in *Input) {
	spec := in.Network.Spec.Database
	spec.Engine, spec.Provider = v1alpha1.EngineSQLServer, v1alpha1.ProviderExternal
	spec.External = &v1alpha1.ExternalDatabase{Servers: []v1alpha1.ExternalServer{{Host: "sql.example"}}, JDBCSecret: v1alpha1.SecretReference{Name: "accounts"}}
}

// TestPlanOfUserSchemas checks that the operator makes no databases, accounts and teardown, and that members may reach the server.
func TestPlanOfUserSchemas(t *testing.T) {
	p := mustBuildPlan(t, withUserSchemas)
	if len(p.findStage(StageDatabases).Objects) > 0 || len(p.findStage(StageSchemas).Objects) > 0 || len(p.Teardown) > 0 || len(p.Credentials) != 2 {
		t.Errorf("got stages %+v, teardown %v and credentials %v, want nothing for a database", p.Stages, p.Teardown, p.Credentials)
	}
	for _, o := range p.findStage(StageGenesis).Objects {
		policy, ok := o.(*networkingv1.NetworkPolicy)
		if !ok || policy.Name != naming.NetworkPolicy("net", "external-database") {
			continue
		}
		if got := policy.Spec.Egress[0].Ports[0].Port.IntValue(); got != 1433 {
			t.Errorf("members may reach port %d, want 1433", got)
		}
		return
	}
	t.Error("no policy lets members reach the server")
}

// TestUserSchemasAreNeverReset checks that members keep their volumes when the operator cannot empty their schemas.
func TestUserSchemasAreNeverReset(t *testing.T) {
	in := newRunningInput(Epoch{FirstRun: "a run"}, "", "")
	in.Network.Annotations = map[string]string{v1alpha1.AnnotationReset: "now"}
	if p := mustBuild(t, in); !p.Resetting {
		t.Fatal("the annotation should reset a network on PostgreSQL")
	}
	withUserSchemas(&in)
	p := mustBuild(t, in)
	if p.Resetting || slices.ContainsFunc(p.Stages, func(s Stage) bool { return s.Name == StageStop }) {
		t.Errorf("the members stop: %+v", p.Stages)
	}
}
