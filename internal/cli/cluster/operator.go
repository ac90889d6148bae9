package cluster

import (
	"cmp"
	"context"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/internal/naming"
)

// defaultOperatorNamespace is the namespace of the documented installation. It is searched by users who may not
// list the Deployments of all namespaces.
const defaultOperatorNamespace = "benchnet-system"

// OperatorLabels are the labels of the operator's Deployment and pods.
var OperatorLabels = client.MatchingLabels{naming.LabelName: "benchnet", naming.LabelComponent: "operator"}

// Operator is an installed operator.
type Operator struct {
	Namespace, Name string
	// Version is the tag of the operator's image, or else the version label of its Deployment.
	Version string
}

// ListOperators returns the operators of the cluster, found by the labels of their Deployments.
func ListOperators(ctx context.Context, reader client.Reader) ([]Operator, error) {
	var list appsv1.DeploymentList
	err := reader.List(ctx, &list, OperatorLabels)
	if apierrors.IsForbidden(err) {
		err = reader.List(ctx, &list, OperatorLabels, client.InNamespace(defaultOperatorNamespace))
	}
	if err != nil {
		return nil, err
	}
	operators := make([]Operator, 0, len(list.Items))
	for i := range list.Items {
		d := &list.Items[i]
		operators = append(operators, Operator{Namespace: d.Namespace, Name: d.Name, Version: operatorVersion(d)})
	}
	return operators, nil
}

func operatorVersion(d *appsv1.Deployment) string {
	for _, container := range d.Spec.Template.Spec.Containers {
		if container.Name != "operator" || strings.Contains(container.Image, "@") {
			continue
		}
		if at := strings.LastIndex(container.Image, ":"); at > strings.LastIndex(container.Image, "/") {
			return container.Image[at+1:]
		}
	}
	return cmp.Or(d.Labels["app.kubernetes.io/version"], "unknown")
}
