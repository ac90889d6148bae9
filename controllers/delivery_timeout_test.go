package controllers

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/delivery"
)

// TestDeliveryTimeout checks that the timeout counts from the first attempt, with or without a completion time.
func TestDeliveryTimeout(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	condition := func(kind string, age time.Duration) metav1.Condition {
		return metav1.Condition{Type: kind, Status: metav1.ConditionUnknown, LastTransitionTime: metav1.NewTime(now.Add(-age))}
	}
	ended := condition(v1alpha1.ConditionComplete, 24*time.Hour)
	for name, test := range map[string]struct {
		conditions []metav1.Condition
		want       bool
	}{
		"first attempt after a day without operator": {[]metav1.Condition{ended}, false},
		"attempts for less than the timeout":         {[]metav1.Condition{ended, condition(v1alpha1.ConditionNotified, delivery.Timeout-time.Second)}, false},
		"attempts for the timeout":                   {[]metav1.Condition{ended, condition(v1alpha1.ConditionNotified, delivery.Timeout)}, true},
		"another delivery":                           {[]metav1.Condition{ended, condition(v1alpha1.ConditionUploaded, delivery.Timeout)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			d := &Dependencies{Now: func() time.Time { return now }}
			task := deliveryTask{condition: v1alpha1.ConditionNotified}
			if got := d.hasDeliveryTimedOut(&deliveryPass{conditions: test.conditions}, task); got != test.want {
				t.Errorf("timed out: %t, want %t", got, test.want)
			}
		})
	}
}
