package table

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// maxReadyRows is the number of members, or databases, of which a table shows all. Of more it shows those that need
// attention.
const maxReadyRows = 16

// stateReady is the state of a member or a database that serves its purpose.
const stateReady = "Ready"

// ForConditions returns a table of conditions with the time since their last transition.
func ForConditions(conditions []metav1.Condition, now time.Time) *Table {
	t := New("Condition", "Status", "Reason", "Age", "Message")
	for _, c := range conditions {
		t.AddRow(c.Type, string(c.Status), c.Reason, duration.HumanDuration(now.Sub(c.LastTransitionTime.Time)), c.Message)
	}
	return t
}

// ForStages returns a table of the stages of a network, with the time that each took.
func ForStages(stages []v1alpha1.StageStatus) *Table {
	t := New("Stage", "State", "Took", "Message")
	for _, s := range stages {
		took := ""
		if s.StartedAt != nil && s.ReadyAt != nil {
			took = s.ReadyAt.Sub(s.StartedAt.Time).Round(time.Second).String()
		}
		t.AddRow(s.Name, fmt.Sprint(s.State), took, s.Message)
	}
	return t
}

// ForMembers returns a table of members, and how many of them it omits. Of more than maxReadyRows members it omits
// those that are ready and have not restarted.
func ForMembers(members []v1alpha1.MemberStatus) (t *Table, omitted int) {
	shown := members
	if len(members) > maxReadyRows {
		shown = slices.DeleteFunc(slices.Clone(members), func(m v1alpha1.MemberStatus) bool {
			return fmt.Sprint(m.State) == stateReady && m.Restarts == 0
		})
	}
	t = New("Member", "State", "Restarts", "Node", "+Identity", "+Address")
	for _, m := range shown {
		t.AddRow(m.Name, fmt.Sprint(m.State), fmt.Sprint(m.Restarts), m.Host, m.Identity, m.Address)
	}
	return t, len(members) - len(shown)
}

// ForDatabases returns a table of database instances, and how many of them it omits. Of more than maxReadyRows
// instances it omits those that are ready.
func ForDatabases(databases []v1alpha1.DatabaseStatus) (t *Table, omitted int) {
	shown := databases
	if len(databases) > maxReadyRows {
		shown = slices.DeleteFunc(slices.Clone(databases), func(d v1alpha1.DatabaseStatus) bool { return fmt.Sprint(d.State) == stateReady })
	}
	t = New("Database", "State", "Members", "Storage", "+Address")
	for _, d := range shown {
		t.AddRow(d.Name, fmt.Sprint(d.State), fmt.Sprint(d.Members), d.Storage, d.Address)
	}
	return t, len(databases) - len(shown)
}
