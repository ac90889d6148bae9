package controllers

import (
	"errors"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/benchnet/benchnet/internal/kube/apply"
)

// isRefused reports whether a write was refused for a reason that a retry cannot remove: a foreign object has the name, the API
// server finds the object invalid or too large, an admission policy forbids it, or a label names no priority class. Missing rights of the operator are no such
// reason, since an upgrade replaces them for a moment, and neither is a quota.
func isRefused(err error) bool {
	switch {
	case err == nil, isQuotaExceeded(err), apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return false
	case apierrors.IsForbidden(err):
		return !strings.Contains(err.Error(), " cannot ") || !strings.Contains(err.Error(), " resource ")
	}
	return errors.Is(err, apply.ErrForeign) || errors.Is(err, errPriorityClass) || apierrors.IsInvalid(err) || apierrors.IsRequestEntityTooLargeError(err)
}
