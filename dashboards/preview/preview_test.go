package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/common/model"

	dashboardsmodel "github.com/benchnet/benchnet/dashboards/model"
)

var (
	rangeStart = time.Date(2026, 1, 2, 15, 0, 0, 0, time.UTC)
	rangeEnd   = rangeStart.Add(20 * time.Minute)
)

// newFakePrometheus returns a server with Prometheus' API. It answers every query with one series of value 42,
// every variable with the values b and a, and every annotation with the middle of the range. It appends the
// queries to asked.
func newFakePrometheus(t *testing.T, asked *[]string) *httptest.Server {
	t.Helper()
	reply := func(w http.ResponseWriter, kind string, result any) {
		data := result
		if kind != "" {
			data = map[string]any{"resultType": kind, "result": result}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"status": "success", "data": data})
	}
	labels := map[string]string{"member": "member-0", "run": "r1", "network": "n", "phase": "Complete"}
	mux := http.NewServeMux()
	mux.HandleFunc("/api/v1/label/", func(w http.ResponseWriter, _ *http.Request) { reply(w, "", []string{"b", "a"}) })
	mux.HandleFunc("/api/v1/query", func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.FormValue("query"))
		reply(w, "vector", []any{map[string]any{"metric": labels, "value": []any{rangeEnd.Unix(), "42"}}})
	})
	mux.HandleFunc("/api/v1/query_range", func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.FormValue("query"))
		value := "42"
		if strings.Contains(r.FormValue("query"), "_timestamp_seconds") {
			value = fmt.Sprint(rangeStart.Add(10 * time.Minute).UnixMilli())
		}
		var samples []any
		for at := rangeStart; at.Before(rangeEnd); at = at.Add(5 * time.Second) {
			samples = append(samples, []any{at.Unix(), value})
		}
		reply(w, "matrix", []any{map[string]any{"metric": labels, "values": samples}})
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

// TestEveryDashboardIsDrawn draws the shipped dashboards and checks that each panel is drawn and that no page
// loads external resources.
func TestEveryDashboardIsDrawn(t *testing.T) {
	files, err := filepath.Glob("../../charts/benchnet/dashboards/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no dashboards: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			var asked []string
			folder := t.TempDir()
			s := options{prometheus: newFakePrometheus(t, &asked).URL, output: folder, from: timeFlag{rangeStart}, to: timeFlag{rangeEnd}, set: assignmentsFlag{"run": "r1"}, files: []string{file}}
			if err := run(t.Context(), s); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(filepath.Join(folder, strings.TrimSuffix(filepath.Base(file), ".json")+".html"))
			if err != nil {
				t.Fatal(err)
			}
			page := string(text)
			d, err := dashboardsmodel.ReadFile(os.DirFS(filepath.Dir(file)), filepath.Base(file))
			if err != nil {
				t.Fatal(err)
			}
			charts := 0
			for _, p := range d.AllPanels() {
				if !strings.Contains(page, "<h2>"+strings.ReplaceAll(p.Title, "'", "&#39;")+"</h2>") {
					t.Errorf("the page lacks the panel %q", p.Title)
				}
				if p.Type == "timeseries" {
					charts++
				}
			}
			if got := strings.Count(page, "<svg"); got != charts {
				t.Errorf("%d charts, want %d", got, charts)
			}
			if strings.Contains(page, "No data") || strings.Contains(page, "NaN") {
				t.Error("a panel says that it has no data, or no number")
			}
			if found := regexp.MustCompile(`(src|href)=|url\(|<script`).FindString(page); found != "" {
				t.Errorf("the page is not whole by itself: %s", found)
			}
			for _, q := range asked {
				if strings.Contains(q, "$") {
					t.Errorf("a variable is left in %s", q)
				}
			}
			if uprights := strings.Count(page, "stroke-dasharray"); (uprights > 0) != (len(d.Annotations.List) > 0) {
				t.Errorf("%d marks of the window", uprights)
			}
		})
	}
}

func TestNumber(t *testing.T) {
	one := 1
	for _, test := range []struct {
		value  float64
		unit   string
		digits *int
		want   string
	}{
		{0.0123, "s", nil, "12.3 ms"}, {90, "s", nil, "1.50 min"}, {0, "s", nil, "0 s"}, {1536, "bytes", nil, "1.50 KiB"}, {2.5e6, "Bps", nil, "2.50 MB/s"},
		{0.257, "percentunit", nil, "25.7%"}, {1234, "ops", nil, "1.23 K ops/s"}, {12.34, "suffix: tx/s", &one, "12.3 tx/s"}, {7, "none", nil, "7"},
		{1795471928745, "dateTimeAsIso", nil, "2026-11-23 22:12:08"},
	} {
		if got := formatNumber(test.value, test.unit, test.digits); got != test.want {
			t.Errorf("%v in %s is %q, want %q", test.value, test.unit, got, test.want)
		}
	}
}

// TestBuildTable checks that rows are merged by their shared labels, as Grafana's transformation does.
func TestBuildTable(t *testing.T) {
	sample := func(v float64) []model.SamplePair { return []model.SamplePair{{Value: model.SampleValue(v)}} }
	p := &dashboardsmodel.Panel{Targets: []dashboardsmodel.Target{{RefID: "A"}, {RefID: "B"}}, Transformations: make([]dashboardsmodel.Transformation, 1)}
	p.Transformations[0].Options.ExcludeByName = map[string]bool{"Value #A": true, "job": true}
	p.Transformations[0].Options.RenameByName = map[string]string{"Value #B": "Ready"}
	got := buildTable(p, []panelSeries{
		{refID: "A", labels: model.Metric{"network": "one", "platform": "Corda", "job": "x"}, samples: sample(1)},
		{refID: "A", labels: model.Metric{"network": "two", "platform": "JPaxos", "job": "y"}, samples: sample(1)},
		{refID: "B", labels: model.Metric{"network": "two"}, samples: sample(3)},
	})
	want := tableView{Head: []string{"network", "platform", "Ready"}, Body: [][]styledText{{{Text: "one"}, {Text: "Corda"}, {}}, {{Text: "two"}, {Text: "JPaxos"}, {Text: "3"}}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}

func TestRunRefusesEmptyRange(t *testing.T) {
	if err := run(t.Context(), options{from: timeFlag{rangeEnd}, to: timeFlag{rangeStart}, files: []string{"x.json"}}); err == nil || !strings.Contains(err.Error(), "ends after it begins") {
		t.Errorf("error %v", err)
	}
}
