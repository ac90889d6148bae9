package argocd_test

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	lua "github.com/yuin/gopher-lua"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// fakeTime is the current time of the actions in tests.
const fakeTime = "00010101T000000Z"

// scriptTimeout ends a script that does not end by itself. Argo CD allows a second; the scripts take milliseconds, but a
// second may pass on a busy machine.
const scriptTimeout = time.Minute

// mustRunScript returns the result of a script and fails the test if the script fails.
func mustRunScript(t *testing.T, script string, object map[string]any) any {
	t.Helper()
	result, err := runScript(t.Context(), script, object)
	if err != nil {
		t.Fatalf("run the script: %v", err)
	}
	return result
}

// runScript runs a script within scriptTimeout and otherwise as Argo CD does: with the base and table libraries and a
// require("os") that only returns the time. The resource is the global obj. It returns the script's result.
func runScript(ctx context.Context, script string, object map[string]any) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, scriptTimeout)
	defer cancel()
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	state.SetContext(ctx)
	for name, open := range map[string]lua.LGFunction{lua.LoadLibName: lua.OpenPackage, lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable} {
		state.Push(state.NewFunction(open))
		state.Push(lua.LString(name))
		state.Call(1, 0)
	}
	state.PreloadModule(lua.OsLibName, func(l *lua.LState) int {
		l.Push(l.SetFuncs(l.NewTable(), map[string]lua.LGFunction{"date": func(l *lua.LState) int {
			l.Push(lua.LString(fakeTime))
			return 1
		}}))
		return 1
	})
	state.SetGlobal("obj", toLua(state, object))
	if err := state.DoString(script); err != nil {
		return nil, err
	}
	return fromLua(state.Get(-1)), nil
}

func toLua(state *lua.LState, value any) lua.LValue {
	switch v := value.(type) {
	case map[string]any:
		table := state.NewTable()
		for key, member := range v {
			table.RawSetString(key, toLua(state, member))
		}
		return table
	case []any:
		table := state.NewTable()
		for _, member := range v {
			table.Append(toLua(state, member))
		}
		return table
	case string:
		return lua.LString(v)
	case float64:
		return lua.LNumber(v)
	case bool:
		return lua.LBool(v)
	default:
		return lua.LNil
	}
}

// fromLua converts an empty table to an object, since the resources in tests have no empty lists.
func fromLua(value lua.LValue) any {
	switch v := value.(type) {
	case *lua.LTable:
		if v.Len() > 0 {
			var list []any
			v.ForEach(func(_, member lua.LValue) { list = append(list, fromLua(member)) })
			return list
		}
		object := map[string]any{}
		v.ForEach(func(key, member lua.LValue) { object[key.String()] = fromLua(member) })
		return object
	case lua.LString:
		return string(v)
	case lua.LNumber:
		return float64(v)
	case lua.LBool:
		return bool(v)
	default:
		return nil
	}
}

func TestHealth(t *testing.T) {
	script := readFile(t, healthFile)
	for _, kind := range kinds {
		for _, test := range decodeFile[healthTests](t, customizationsDir, kind, "health_test.yaml").Tests {
			t.Run(kind+"/"+test.InputPath, func(t *testing.T) {
				got := mustRunScript(t, script, decodeFile[map[string]any](t, customizationsDir, kind, test.InputPath))
				want := map[string]any{"status": test.HealthStatus.Status, "message": test.HealthStatus.Message}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("health (-want +got):\n%s", diff)
				}
			})
		}
	}
}

func TestActions(t *testing.T) {
	for _, kind := range []string{"BenchmarkNetwork", "BenchmarkExperiment"} {
		folder := filepath.Join(customizationsDir, kind, "actions")
		tests := decodeFile[actionTests](t, folder, "action_test.yaml")
		for _, test := range tests.DiscoveryTests {
			t.Run(kind+"/discovery/"+test.InputPath, func(t *testing.T) {
				want := map[string]any{}
				for _, a := range test.Result {
					want[a.Name] = map[string]any{"disabled": a.Disabled}
				}
				got := mustRunScript(t, readFile(t, actionsDir, "discovery.lua"), decodeFile[map[string]any](t, folder, test.InputPath))
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("actions (-want +got):\n%s", diff)
				}
			})
		}
		scripts := actionScripts(t, kind)
		var tested []string
		for _, test := range tests.ActionTests {
			tested = append(tested, test.Action)
			t.Run(kind+"/"+test.Action, func(t *testing.T) {
				got := mustRunScript(t, readFile(t, scripts[test.Action]), decodeFile[map[string]any](t, folder, test.InputPath))
				if diff := cmp.Diff(any(decodeFile[map[string]any](t, folder, test.ExpectedOutputPath)), got); diff != "" {
					t.Errorf("the resource (-want +got):\n%s", diff)
				}
			})
		}
		slices.Sort(tested)
		if diff := cmp.Diff(slices.Sorted(maps.Keys(scripts)), tested); diff != "" {
			t.Errorf("%s: actions (-) and tested actions (+):\n%s", kind, diff)
		}
	}
}

// TestSamplesMatchTheAPI decodes the resources into the API's types and looks up every condition reason in the
// documentation, so that no script is tested with data that the operator never writes.
func TestSamplesMatchTheAPI(t *testing.T) {
	documented := readFile(t, "../../docs/conditions.md") + readFile(t, "../../docs/verdict.md")
	check := func(path string, conditions []string) {
		for _, reason := range conditions {
			if !strings.Contains(documented, "`"+reason+"`") {
				t.Errorf("%s: docs/conditions.md and docs/verdict.md lack %s", path, reason)
			}
		}
	}
	for _, kind := range kinds {
		for _, test := range decodeFile[healthTests](t, customizationsDir, kind, "health_test.yaml").Tests {
			path := filepath.Join(customizationsDir, kind, test.InputPath)
			switch kind {
			case "BenchmarkNetwork":
				status := decodeFile[v1alpha1.BenchmarkNetwork](t, path).Status
				check(path, conditionReasons(status.Conditions))
			case "BenchmarkRun":
				status := decodeFile[v1alpha1.BenchmarkRun](t, path).Status
				check(path, conditionReasons(status.Conditions))
				for _, found := range status.Reasons {
					check(path, []string{found.Reason})
				}
			case "BenchmarkExperiment":
				status := decodeFile[v1alpha1.BenchmarkExperiment](t, path).Status
				check(path, conditionReasons(status.Conditions))
			}
		}
	}
}

func conditionReasons(conditions []metav1.Condition) []string {
	var all []string
	for _, c := range conditions {
		all = append(all, c.Type, c.Reason)
	}
	return all
}
