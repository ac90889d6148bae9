// Package model decodes Grafana dashboards in the classic JSON model, as far as necessary for their queries,
// and interpolates variables in them. Only tests and the preview use it.
package model

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
)

// Dashboard is a Grafana dashboard file.
type Dashboard struct {
	UID         string   `json:"uid"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Tags        []string `json:"tags"`
	Editable    bool     `json:"editable"`
	Links       []Link   `json:"links"`
	// Panels includes rows. A collapsed row contains its panels; the panels of an open row follow it. See
	// AllPanels.
	Panels      []Panel `json:"panels"`
	Templating  jsonList[Variable]
	Annotations jsonList[Annotation]
}

type jsonList[T any] struct {
	List []T `json:"list"`
}

// Datasource names a data source, usually by the variable ${datasource}.
type Datasource struct {
	Type string `json:"type"`
	UID  string `json:"uid"`
}

// Link is a link to another dashboard or page.
type Link struct {
	Title string `json:"title"`
	Type  string `json:"type"`
	URL   string `json:"url"`
}

// GridPos is the position of a panel in a grid with 24 columns.
type GridPos struct{ X, Y, W, H int }

// Panel is a panel or the heading of a row.
type Panel struct {
	ID              int              `json:"id"`
	Type            string           `json:"type"`
	Title           string           `json:"title"`
	Description     string           `json:"description"`
	GridPos         GridPos          `json:"gridPos"`
	Collapsed       bool             `json:"collapsed"`
	Panels          []Panel          `json:"panels"`
	Datasource      *Datasource      `json:"datasource"`
	Targets         []Target         `json:"targets"`
	FieldConfig     FieldConfig      `json:"fieldConfig"`
	Transformations []Transformation `json:"transformations"`
	Options         struct {
		TextMode string `json:"textMode"`
	} `json:"options"`
}

// RowType is the type of a panel that is a heading.
const RowType = "row"

// Target is one query of a panel.
type Target struct {
	RefID        string      `json:"refId"`
	Expr         string      `json:"expr"`
	LegendFormat string      `json:"legendFormat"`
	Format       string      `json:"format"`
	Instant      bool        `json:"instant"`
	Datasource   *Datasource `json:"datasource"`
}

// FieldConfig is the display configuration of values.
type FieldConfig struct {
	Defaults  FieldDefaults `json:"defaults"`
	Overrides []Override    `json:"overrides"`
}

// FieldDefaults are the defaults of all fields.
type FieldDefaults struct {
	Unit       string         `json:"unit"`
	Decimals   *int           `json:"decimals"`
	Min        *float64       `json:"min"`
	Max        *float64       `json:"max"`
	Mappings   []ValueMapping `json:"mappings"`
	Links      []Link         `json:"links"`
	Thresholds Thresholds     `json:"thresholds"`
	Custom     struct {
		Stacking struct {
			Mode string `json:"mode"`
		} `json:"stacking"`
		ThresholdsStyle struct {
			Mode string `json:"mode"`
		} `json:"thresholdsStyle"`
	} `json:"custom"`
}

// Thresholds are the colours of values from each threshold on. The first threshold has no value.
type Thresholds struct {
	Steps []struct {
		Value *float64 `json:"value"`
		Color string   `json:"color"`
	} `json:"steps"`
}

// ValueMapping maps values to texts.
type ValueMapping struct {
	Options map[string]struct {
		Text  string `json:"text"`
		Color string `json:"color"`
	} `json:"options"`
}

// Override configures the display of single fields.
type Override struct {
	Matcher struct {
		ID      string `json:"id"`
		Options any    `json:"options"`
	} `json:"matcher"`
	Properties []struct {
		ID    string          `json:"id"`
		Value json.RawMessage `json:"value"`
	} `json:"properties"`
}

// Transformation transforms the query results before they are shown.
type Transformation struct {
	ID      string `json:"id"`
	Options struct {
		ExcludeByName map[string]bool   `json:"excludeByName"`
		RenameByName  map[string]string `json:"renameByName"`
	} `json:"options"`
}

// Variable is a selection at the top of a dashboard.
type Variable struct {
	Name       string      `json:"name"`
	Type       string      `json:"type"`
	Query      string      `json:"query"`
	Datasource *Datasource `json:"datasource"`
	Multi      bool        `json:"multi"`
	IncludeAll bool        `json:"includeAll"`
	AllValue   string      `json:"allValue"`
}

// Annotation marks times in all panels.
type Annotation struct {
	Name            string      `json:"name"`
	Expr            string      `json:"expr"`
	IconColor       string      `json:"iconColor"`
	UseValueForTime bool        `json:"useValueForTime"`
	TextFormat      string      `json:"textFormat"`
	Datasource      *Datasource `json:"datasource"`
}

// ReadFolder reads every dashboard of a folder, sorted by file name.
func ReadFolder(folder fs.FS) ([]Dashboard, error) {
	names, err := fs.Glob(folder, "*.json")
	if err != nil {
		return nil, fmt.Errorf("list dashboards: %w", err)
	}
	all := make([]Dashboard, 0, len(names))
	for _, name := range names {
		d, err := ReadFile(folder, name)
		if err != nil {
			return nil, err
		}
		all = append(all, *d)
	}
	return all, nil
}

// ReadFile reads one dashboard. The name of its file must be its uid.
func ReadFile(folder fs.FS, name string) (*Dashboard, error) {
	content, err := fs.ReadFile(folder, name)
	if err != nil {
		return nil, fmt.Errorf("read dashboard %s: %w", name, err)
	}
	var d Dashboard
	if err := json.Unmarshal(content, &d); err != nil {
		return nil, fmt.Errorf("read dashboard %s: %w", name, err)
	}
	if d.UID+".json" != path.Base(name) {
		return nil, fmt.Errorf("dashboard %s has the uid %q: a file is called as its dashboard", name, d.UID)
	}
	return &d, nil
}

// AllPanels returns all panels without the headings of rows, including the panels of collapsed rows.
func (d *Dashboard) AllPanels() []Panel {
	var all []Panel
	for _, p := range d.Panels {
		if p.Type != RowType {
			all = append(all, p)
		}
		all = append(all, p.Panels...)
	}
	return all
}

// Variables returns the variables of the dashboard.
func (d *Dashboard) Variables() []Variable { return d.Templating.List }

// HasVariable reports whether the dashboard has a variable of that name.
func (d *Dashboard) HasVariable(variable string) bool {
	return slices.ContainsFunc(d.Templating.List, func(v Variable) bool { return v.Name == variable })
}
