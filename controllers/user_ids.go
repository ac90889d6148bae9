package controllers

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
)

// FixedUserIDs says when the pods of networks and runs name their users and groups.
type FixedUserIDs string

// The values of FixedUserIDs.
const (
	FixedUserIDsAuto   FixedUserIDs = "Auto"
	FixedUserIDsAlways FixedUserIDs = "Always"
	FixedUserIDsNever  FixedUserIDs = "Never"
)

// openShiftSecurityGroup is the API group of the SecurityContextConstraints, which assign users and groups to pods.
const openShiftSecurityGroup = "security.openshift.io"

// DetectAssignedUserIDs reports whether pods leave their users and groups to the cluster: with FixedUserIDsAuto, if the API server
// serves the security API of OpenShift.
func DetectAssignedUserIDs(fixed FixedUserIDs, served discovery.ServerGroupsInterface) (bool, error) {
	if fixed != FixedUserIDsAuto {
		return fixed == FixedUserIDsNever, nil
	}
	list, err := served.ServerGroups()
	if err != nil {
		return false, fmt.Errorf("discover API groups: %w", err)
	}
	return slices.ContainsFunc(list.Groups, func(g metav1.APIGroup) bool { return g.Name == openShiftSecurityGroup }), nil
}
