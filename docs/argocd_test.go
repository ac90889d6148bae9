package docs_test

import (
	"testing"

	lua "github.com/yuin/gopher-lua"
)

// health runs the script as Argo CD does: obj is the resource, and the result a table.
func health(t *testing.T, object string) (status, message string) {
	t.Helper()
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	for name, open := range map[string]lua.LGFunction{lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable} {
		state.Push(state.NewFunction(open))
		state.Push(lua.LString(name))
		state.Call(1, 0)
	}
	if err := state.DoString("obj = " + object); err != nil {
		t.Fatalf("set the resource: %v", err)
	}
	if err := state.DoString(read(t, "argocd-health.lua")); err != nil {
		t.Fatalf("run the script: %v", err)
	}
	table, ok := state.Get(-1).(*lua.LTable)
	if !ok {
		t.Fatalf("the script returned %s, want a table", state.Get(-1).Type())
	}
	return table.RawGetString("status").String(), table.RawGetString("message").String()
}

func TestArgoCDHealth(t *testing.T) {
	tests := map[string]struct{ object, status, message string }{
		"nobody looked at it": {`{metadata = {generation = 1}}`, "Progressing", "the operator has not looked at it yet"},
		"the default status":  {`{metadata = {generation = 1}, status = {observedGeneration = -1}}`, "Progressing", "the operator has not looked at it yet"},
		"ready": {`{metadata = {generation = 2}, status = {observedGeneration = 2, conditions = {
			{type = "Ready", status = "True", message = "all stages are ready"}}}}`, "Healthy", "all stages are ready"},
		"ready before the spec changed": {`{metadata = {generation = 3}, status = {observedGeneration = 2, conditions = {
			{type = "Ready", status = "True", message = "all stages are ready"}}}}`, "Progressing", "the operator has not looked at it yet"},
		"at work": {`{metadata = {generation = 1}, status = {observedGeneration = 1, conditions = {
			{type = "Ready", status = "False", message = "stage Members"}, {type = "Reconciling", status = "True"}}}}`, "Progressing", "stage Members"},
		"stuck": {`{metadata = {generation = 1}, status = {observedGeneration = 1, conditions = {
			{type = "Ready", status = "False", message = "refused"}, {type = "Stalled", status = "True", message = "refused"}}}}`, "Degraded", "refused"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			status, message := health(t, test.object)
			if status != test.status || message != test.message {
				t.Errorf("health is %s (%s), want %s (%s)", status, message, test.status, test.message)
			}
		})
	}
}
