package controllers_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/benchnet/benchnet/controllers"
)

func TestDetectAssignedUserIDs(t *testing.T) {
	for name, c := range map[string]struct {
		fixed controllers.FixedUserIDs
		group string
		want  bool
	}{
		"Auto on OpenShift":   {controllers.FixedUserIDsAuto, "security.openshift.io/v1", true},
		"Auto elsewhere":      {controllers.FixedUserIDsAuto, "security.istio.io/v1", false},
		"Always on OpenShift": {controllers.FixedUserIDsAlways, "security.openshift.io/v1", false},
		"Never outside of it": {controllers.FixedUserIDsNever, "apps/v1", true},
		"Auto, next version":  {controllers.FixedUserIDsAuto, "security.openshift.io/v2", true},
	} {
		t.Run(name, func(t *testing.T) {
			served := &fake.FakeDiscovery{Fake: &clienttesting.Fake{Resources: []*metav1.APIResourceList{{GroupVersion: c.group}}}}
			if got, err := controllers.DetectAssignedUserIDs(c.fixed, served); err != nil || got != c.want {
				t.Errorf("got %v, %v, want %v", got, err, c.want)
			}
		})
	}
}
