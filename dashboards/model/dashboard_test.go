package model

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

const shippedFolder = "../../charts/benchnet/dashboards"

func readShippedDashboards(t *testing.T) []Dashboard {
	t.Helper()
	all, err := ReadFolder(os.DirFS(shippedFolder))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestShippedDashboards checks the list of dashboards. Their uids must never change, because users have links
// to them.
func TestShippedDashboards(t *testing.T) {
	var uids []string
	for _, d := range readShippedDashboards(t) {
		uids = append(uids, d.UID)
	}
	want := []string{"benchnet-cometbft", "benchnet-corda", "benchnet-emerald", "benchnet-experiment", "benchnet-jpaxos", "benchnet-malachite-evm",
		"benchnet-malachite", "benchnet-networks", "benchnet-operator", "benchnet-postgresql", "benchnet-run"}
	if diff := cmp.Diff(want, uids); diff != "" {
		t.Errorf("dashboards (-want +got):\n%s", diff)
	}
}

func TestReadRefusesMismatchedUID(t *testing.T) {
	_, err := ReadFolder(fstest.MapFS{"a.json": {Data: []byte(`{"uid": "b"}`)}})
	if err == nil || !strings.Contains(err.Error(), `a.json has the uid "b"`) {
		t.Errorf("error %v", err)
	}
}

func TestQueries(t *testing.T) {
	folder := fstest.MapFS{"a.json": {Data: []byte(`{"uid": "a",
		"panels": [{"type": "stat", "id": 1, "title": "One", "targets": [{"refId": "A", "expr": "x", "instant": true}]},
			{"type": "row", "id": 2, "collapsed": true, "panels": [{"type": "table", "id": 3, "title": "Two", "targets": [{"refId": "B", "expr": "y"}]}]}],
		"templating": {"list": [{"name": "datasource", "type": "datasource", "query": "prometheus"},
			{"name": "n", "type": "query", "query": "label_values(z{a=\"b, c\"}, n)"}]},
		"annotations": {"list": [{"name": "Begin", "expr": "w * 1000"}]}}`)}}
	all, err := ReadFolder(folder)
	if err != nil {
		t.Fatal(err)
	}
	got, err := all[0].Queries()
	if err != nil {
		t.Fatal(err)
	}
	want := []Query{{Where: `a: panel 1 "One" A`, Expr: "x", Instant: true}, {Where: `a: panel 3 "Two" B`, Expr: "y"},
		{Where: "a: variable n", Expr: `z{a="b, c"}`}, {Where: `a: annotation "Begin"`, Expr: "w * 1000"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("queries (-want +got):\n%s", diff)
	}
}

func TestInterpolateVariables(t *testing.T) {
	values := map[string]string{"a": "1", "__rate_interval": "30s"}
	got, err := InterpolateVariables(`x{l="$a", m="${a}", n="${a:regex}", o="$$"}[$__rate_interval]`, values)
	if want := `x{l="1", m="1", n="1", o="$$"}[30s]`; err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if _, err := InterpolateVariables(`x{l="$b"}`, values); err == nil || !strings.Contains(err.Error(), "no value for b") {
		t.Errorf("a variable without value: error %v", err)
	}
}

func checkPageExists(t *testing.T, uid, page string) {
	t.Helper()
	if _, err := os.Stat("../../" + page); err != nil {
		t.Errorf("%s: %v", uid, err)
	}
}
