package report

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/run/document"
)

// Link is a link below the title of a page.
type Link struct{ Text, URL string }

// The dashboards of the Helm chart. Their UIDs never change.
const (
	runDashboard        = "benchnet-run"
	experimentDashboard = "benchnet-experiment"
)

// dashboardMargin is the time that a link shows before and after the measurement.
const dashboardMargin = time.Minute

// ParseGrafanaURL returns the base URL of a Grafana. It fails unless it is an absolute URL of http or https
// without a user, because a report must not contain a password.
func ParseGrafanaURL(text string) (*url.URL, error) {
	base, err := url.Parse(text)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return nil, fmt.Errorf("grafana: %q is not a URL of a Grafana, such as https://grafana.example.com", text)
	}
	if base.User != nil {
		return nil, errors.New("grafana: the URL must not contain a user or a password")
	}
	return base, nil
}

// GrafanaRunLink returns a link to the dashboard of a run at its time.
func GrafanaRunLink(base *url.URL, r *document.RunResult) Link {
	return grafanaLink(base, runDashboard, r.Times.Start, r.Times.End, map[string]string{"namespace": r.Run.Namespace, "run": r.Run.Name})
}

// GrafanaExperimentLink returns a link to the dashboard of an experiment at its time.
func GrafanaExperimentLink(base *url.URL, e *experiment.Result) Link {
	variables := map[string]string{"namespace": e.Experiment.Namespace, "experiment": e.Experiment.Name}
	return grafanaLink(base, experimentDashboard, e.Start, e.End, variables)
}

func grafanaLink(base *url.URL, dashboard string, from, to time.Time, variables map[string]string) Link {
	at := base.JoinPath("d", dashboard)
	at.Fragment, at.RawFragment = "", ""
	query := base.Query() // Such as orgId.
	query.Set("from", formatMillis(from.Add(-dashboardMargin)))
	query.Set("to", formatMillis(to.Add(dashboardMargin)))
	for name, value := range variables {
		query.Set("var-"+name, value)
	}
	at.RawQuery = query.Encode()
	return Link{Text: "Open in Grafana", URL: at.String()}
}

func formatMillis(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }
