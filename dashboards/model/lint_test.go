package model

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// lintDashboard returns the faults of a dashboard. It follows the rules of Grafana's own linter for dashboards
// and adds rules of this project. Rules that need a PromQL parser are in dashboards/promql.
func lintDashboard(d *Dashboard) []string {
	var found []string
	say := func(format string, arguments ...any) { found = append(found, fmt.Sprintf(format, arguments...)) }
	if !strings.HasPrefix(d.UID, "benchnet-") {
		say("uid %q", d.UID)
	}
	if d.Title == "" || d.Description == "" || d.Editable || !slices.Contains(d.Tags, "benchnet") {
		say("title, description, tag benchnet or editable: false is missing")
	}
	if !slices.ContainsFunc(d.Links, func(l Link) bool { return l.Type == "dashboards" }) {
		say("no menu of the other dashboards")
	}
	if !slices.ContainsFunc(d.Templating.List, func(v Variable) bool { return v.Type == "datasource" && v.Name == "datasource" }) {
		say("no variable datasource")
	}
	for _, v := range d.Templating.List {
		if v.Type == "query" && !isDatasourceVariable(v.Datasource) {
			say("variable %s does not ask ${datasource}", v.Name)
		}
		if v.IncludeAll && v.AllValue != ".+" {
			say("variable %s: All is %q, which does not stand for all that have the label", v.Name, v.AllValue)
		}
	}
	for _, a := range d.Annotations.List {
		if !isDatasourceVariable(a.Datasource) {
			say("annotation %s does not ask ${datasource}", a.Name)
		}
	}
	for _, p := range d.AllPanels() {
		for _, fault := range lintPanel(d, &p) {
			say("panel %d %q: %s", p.ID, p.Title, fault)
		}
	}
	return append(append(found, lintLayout(d)...), lintVariables(d)...)
}

// isDatasourceVariable reports whether the data source is the one that the user selects.
func isDatasourceVariable(s *Datasource) bool {
	return s != nil && s.Type == "prometheus" && s.UID == "${datasource}"
}

func lintPanel(d *Dashboard, p *Panel) []string {
	var found []string
	say := func(format string, arguments ...any) { found = append(found, fmt.Sprintf(format, arguments...)) }
	if p.Title == "" || len(p.Description) < 10 || !strings.HasSuffix(p.Description, ".") {
		say("no title, or no description in a sentence")
	}
	if p.FieldConfig.Defaults.Unit == "" {
		say("no unit")
	}
	if !isDatasourceVariable(p.Datasource) || len(p.Targets) == 0 {
		say("does not ask ${datasource}, or nothing at all")
	}
	refs := map[string]bool{}
	for _, t := range p.Targets {
		if refs[t.RefID] || t.RefID == "" || t.Expr == "" || !isDatasourceVariable(t.Datasource) {
			say("query %q is there twice, empty, or does not ask ${datasource}", t.RefID)
		}
		refs[t.RefID] = true
		if p.Type == "timeseries" && t.LegendFormat == "" {
			say("query %s has no legend", t.RefID)
		}
	}
	if p.Type == "stat" && len(p.Targets) != 1 {
		say("%d queries in one number", len(p.Targets))
	}
	for _, link := range dataLinks(p) {
		if fault := lintLink(d, link); fault != "" {
			say("%s", fault)
		}
	}
	return found
}

// dataLinks returns the links of all fields and of single fields.
func dataLinks(p *Panel) []Link {
	links := slices.Clone(p.FieldConfig.Defaults.Links)
	for _, o := range p.FieldConfig.Overrides {
		for _, property := range o.Properties {
			if property.ID != "links" {
				continue
			}
			var more []Link
			if json.Unmarshal(property.Value, &more) == nil {
				links = append(links, more...)
			}
		}
	}
	return links
}

var dashboardLink = regexp.MustCompile(`^/d/([a-z-]+)\?`)

// rowRange is the range of time of a link to the window of a run, which the columns Begins and Ends of the row hold.
const rowRange = "from=${__data.fields.Begins.numeric}&to=${__data.fields.Ends.numeric}"

// lintLink checks that a link passes on the data source and the time range, or that of a run, and uses only variables
// of this dashboard.
func lintLink(d *Dashboard, link Link) string {
	timed := strings.Contains(link.URL, "${__url_time_range}") || strings.Contains(link.URL, rowRange)
	if dashboardLink.FindStringSubmatch(link.URL) == nil || !timed || !strings.Contains(link.URL, "var-datasource=${datasource}") {
		return fmt.Sprintf("link %q does not lead to a dashboard at the same time and data source", link.URL)
	}
	for _, name := range VariableNames(link.URL) {
		if !strings.HasPrefix(name, "__") && !d.HasVariable(name) {
			return fmt.Sprintf("link %q uses the variable %s, which is not there", link.URL, name)
		}
	}
	return ""
}

// lintLayout finds panels that overlap or lie outside of the grid, and duplicate ids.
func lintLayout(d *Dashboard) []string {
	var found []string
	ids := map[int]bool{}
	var placed []Panel
	for _, p := range slices.Concat(d.Panels, collapsedPanels(d)) {
		if ids[p.ID] || p.ID == 0 {
			found = append(found, fmt.Sprintf("panel %q: id %d is there twice or zero", p.Title, p.ID))
		}
		ids[p.ID] = true
		if g := p.GridPos; g.X < 0 || g.W <= 0 || g.H <= 0 || g.X+g.W > 24 {
			found = append(found, fmt.Sprintf("panel %d %q lies at %+v", p.ID, p.Title, g))
		}
	}
	for _, p := range d.Panels {
		for _, other := range placed {
			if overlaps(p.GridPos, other.GridPos) {
				found = append(found, fmt.Sprintf("panel %d %q lies on panel %d %q", p.ID, p.Title, other.ID, other.Title))
			}
		}
		placed = append(placed, p)
	}
	return found
}

func collapsedPanels(d *Dashboard) []Panel {
	var all []Panel
	for _, p := range d.Panels {
		all = append(all, p.Panels...)
	}
	return all
}

func overlaps(a, b GridPos) bool {
	return a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H
}

// lintVariables checks that each used variable is defined, that each defined variable is used, and that
// variables with several values are compared with =~.
func lintVariables(d *Dashboard) []string {
	var found []string
	queries, err := d.Queries()
	if err != nil {
		return []string{err.Error()}
	}
	used := map[string]bool{"datasource": true}
	for _, q := range queries {
		for _, name := range VariableNames(q.Expr) {
			used[name] = true
			if !strings.HasPrefix(name, "__") && !d.HasVariable(name) {
				found = append(found, fmt.Sprintf("%s uses the variable %s, which is not there", q.Where, name))
			}
		}
	}
	for _, v := range d.Templating.List {
		if !used[v.Name] {
			found = append(found, fmt.Sprintf("variable %s is not used", v.Name))
		}
		for _, q := range queries {
			if v.Multi && regexp.MustCompile(`[a-z]="\$\{?`+v.Name+`\b`).MatchString(q.Expr) {
				found = append(found, fmt.Sprintf("%s compares with several values of %s by =, not by =~", q.Where, v.Name))
			}
		}
	}
	return found
}

func TestShippedDashboardsPassLint(t *testing.T) {
	uids := map[string]bool{}
	for _, d := range readShippedDashboards(t) {
		uids[d.UID] = true
		for _, fault := range lintDashboard(&d) {
			t.Errorf("%s: %s", d.UID, fault)
		}
	}
	for _, d := range readShippedDashboards(t) {
		for _, p := range d.AllPanels() {
			for _, link := range dataLinks(&p) {
				if parts := dashboardLink.FindStringSubmatch(link.URL); parts != nil && !uids[parts[1]] {
					t.Errorf("%s: panel %q leads to %s, which is not there", d.UID, p.Title, parts[1])
				}
			}
		}
	}
}

// TestWindowsAreMarked checks that every dashboard of a platform and that of a run mark the measured windows and their segments,
// with links to the run at that time.
func TestWindowsAreMarked(t *testing.T) {
	for _, d := range readShippedDashboards(t) {
		if !d.HasVariable("network") || !d.HasVariable("member") && !d.HasVariable("database") {
			continue
		}
		var names []string
		for _, a := range d.Annotations.List {
			names = append(names, a.Name)
			if !a.UseValueForTime || !strings.Contains(a.TextFormat, "d/benchnet-run?var-namespace={{namespace}}&var-run={{run}}&from={{from}}&to={{to}}") {
				t.Errorf("%s: annotation %q with the text %q does not link to the run", d.UID, a.Name, a.TextFormat)
			}
		}
		if !slices.Equal(names, []string{"Window begins", "Window ends", "Segment begins", "Fault begins"}) {
			t.Errorf("%s: annotations %q, want the begin and end of windows, segments and faults", d.UID, names)
		}
	}
}

// TestTablesOfRunsLinkToTheirWindows checks that each link that takes its time from a row has the columns for it.
func TestTablesOfRunsLinkToTheirWindows(t *testing.T) {
	tables := map[string]bool{}
	for _, d := range readShippedDashboards(t) {
		for _, p := range d.AllPanels() {
			for _, link := range dataLinks(&p) {
				if !strings.Contains(link.URL, rowRange) {
					continue
				}
				tables[d.UID] = true
				titles := slices.Sorted(maps.Values(p.Transformations[1].Options.RenameByName))
				if !slices.Contains(titles, "Begins") || !slices.Contains(titles, "Ends") {
					t.Errorf("%s: the table %q has the columns %q", d.UID, p.Title, titles)
				}
			}
		}
	}
	if !tables["benchnet-networks"] || !tables["benchnet-experiment"] {
		t.Errorf("only the dashboards %v link to the windows of runs", tables)
	}
}

// TestPagesOfLinksExist checks that the links to the documentation in this repository have a target.
func TestPagesOfLinksExist(t *testing.T) {
	for _, d := range readShippedDashboards(t) {
		for _, link := range d.Links {
			if link.Type != "link" {
				continue
			}
			page, found := strings.CutPrefix(link.URL, "https://github.com/benchnet/benchnet/blob/main/")
			if !found {
				t.Errorf("%s: link %q leads out of the documentation", d.UID, link.URL)
				continue
			}
			checkPageExists(t, d.UID, page)
		}
	}
}

// TestLintFindsFaults adds each fault to a dashboard without faults.
func TestLintFindsFaults(t *testing.T) {
	tests := map[string]struct {
		spoil func(*Dashboard)
		says  string
	}{
		"another data source":       {func(d *Dashboard) { d.Panels[0].Datasource = &Datasource{Type: "prometheus", UID: "P1"} }, "${datasource}"},
		"a target's data source":    {func(d *Dashboard) { d.Panels[0].Targets[0].Datasource = nil }, "${datasource}"},
		"no choice of data sources": {func(d *Dashboard) { d.Templating.List = d.Templating.List[1:] }, "no variable datasource"},
		"no unit":                   {func(d *Dashboard) { d.Panels[0].FieldConfig.Defaults.Unit = "" }, "no unit"},
		"no description":            {func(d *Dashboard) { d.Panels[0].Description = "" }, "no description"},
		"an id twice":               {func(d *Dashboard) { d.Panels[1].ID = d.Panels[0].ID }, "twice"},
		"panels on each other":      {func(d *Dashboard) { d.Panels[1].GridPos.X-- }, "lies on"},
		"outside of the grid":       {func(d *Dashboard) { d.Panels[0].GridPos.W = 25 }, "lies at"},
		"a variable that is none":   {func(d *Dashboard) { d.Panels[0].Targets[0].Expr = `x{a="$nobody"}` }, "nobody, which is not there"},
		"several values by =":       {func(d *Dashboard) { d.Panels[0].Targets[0].Expr = `x{a="$member"}` }, "not by =~"},
		"a variable for nothing":    {func(d *Dashboard) { d.Templating.List = append(d.Templating.List, Variable{Name: "idle"}) }, "idle is not used"},
		"another uid":               {func(d *Dashboard) { d.UID = "x" }, "uid"},
		"no tag":                    {func(d *Dashboard) { d.Tags = nil }, "tag"},
		"a link that loses time": {func(d *Dashboard) {
			d.Panels[0].FieldConfig.Defaults.Links = []Link{{URL: "/d/benchnet-run?var-datasource=${datasource}"}}
		}, "same time"},
		"all means none": {func(d *Dashboard) { d.Templating.List[len(d.Templating.List)-1].AllValue = ".*" }, "All is"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			d := readShippedDashboards(t)[0]
			if d.Panels[1].GridPos.X == 0 {
				t.Fatal("the first two panels do not lie side by side")
			}
			test.spoil(&d)
			if all := strings.Join(lintDashboard(&d), "\n"); !strings.Contains(all, test.says) {
				t.Errorf("lint says %q, want %q", all, test.says)
			}
		})
	}
}
