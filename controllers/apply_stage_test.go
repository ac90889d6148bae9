package controllers

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/internal/network/plan"
)

// TestApplyWaves expects that nothing creates pods before their configuration and NetworkPolicies exist, that a Role
// exists before its binding, and an owner before what it owns.
func TestApplyWaves(t *testing.T) {
	named := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name} }
	secret, config := &corev1.Secret{ObjectMeta: named("secret")}, &corev1.ConfigMap{ObjectMeta: named("config")}
	policy := &networkingv1.NetworkPolicy{ObjectMeta: named("policy")}
	first, second := &appsv1.StatefulSet{ObjectMeta: named("first")}, &appsv1.StatefulSet{ObjectMeta: named("second")}
	owner := &corev1.ServiceAccount{ObjectMeta: named("owner")}
	role, binding := &rbacv1.Role{ObjectMeta: named("role")}, &rbacv1.RoleBinding{ObjectMeta: named("binding")}
	job := &batchv1.Job{ObjectMeta: named("job")}
	for name, c := range map[string]struct {
		stage plan.Stage
		want  string
	}{
		"nothing":      {plan.Stage{}, "[]"},
		"members":      {plan.Stage{Objects: []client.Object{first, config, second, policy}}, "[[config policy] [first second]]"},
		"roles":        {plan.Stage{Objects: []client.Object{job, binding, role}}, "[[role] [binding] [job]]"},
		"with owner":   {plan.Stage{Objects: []client.Object{secret, owner, job, config}, Owner: owner}, "[[secret] [owner] [config] [job]]"},
		"job as owner": {plan.Stage{Objects: []client.Object{secret, job, config}, Owner: job}, "[[secret] [job] [config]]"},
	} {
		t.Run(name, func(t *testing.T) {
			var got [][]string
			for _, wave := range applyWaves(c.stage) {
				var names []string
				for _, object := range wave {
					names = append(names, object.GetName())
				}
				got = append(got, names)
			}
			if fmt.Sprint(got) != c.want {
				t.Errorf("waves %v, want %s", got, c.want)
			}
		})
	}
}

func TestRunConcurrently(t *testing.T) {
	always := func() bool { return true }
	t.Run("bounded", func(t *testing.T) {
		var active, most atomic.Int64
		ran := make([]atomic.Bool, 200)
		done, err := runConcurrently(t.Context(), len(ran), always, func(i int) error {
			now := active.Add(1)
			for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
			}
			ran[i].Store(true)
			active.Add(-1)
			return nil
		})
		if done != len(ran) || err != nil || most.Load() > maxConcurrentApplies {
			t.Errorf("%d done, %d at one time, error %v", done, most.Load(), err)
		}
		for i := range ran {
			if !ran[i].Load() {
				t.Errorf("%d did not run", i)
			}
		}
	})
	t.Run("an error", func(t *testing.T) {
		broken := errors.New("broken")
		begun := 0
		done, err := runConcurrently(t.Context(), 1000, func() bool { begun++; return true }, func(int) error { return broken })
		if begun > maxConcurrentApplies+1 || done != 0 || !errors.Is(err, broken) {
			t.Errorf("%d begun, %d done, error %v", begun, done, err)
		}
	})
	t.Run("no time", func(t *testing.T) {
		calls := 0
		done, err := runConcurrently(t.Context(), 100, func() bool { calls++; return calls <= 7 }, func(int) error { return nil })
		if done != 7 || err != nil {
			t.Errorf("%d done, error %v", done, err)
		}
	})
}
