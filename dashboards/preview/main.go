// Preview draws dashboards without Grafana: it runs the queries of their panels on a Prometheus and writes each
// dashboard as one HTML page. It is for pictures in the documentation and for those who change a dashboard.
// Grafana's rendering may differ.
//
// Usage: preview --prometheus URL --from TIME --to TIME [--set NAME=VALUE]... --output FOLDER FILE.json...
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/prometheus/client_golang/api"
	prometheusv1 "github.com/prometheus/client_golang/api/prometheus/v1"

	"github.com/benchnet/benchnet/dashboards/model"
)

// options are the command-line options.
type options struct {
	prometheus, output string
	from, to           timeFlag
	set                assignmentsFlag
	files              []string
}

// timeFlag is a flag: RFC 3339, or a duration before now such as 30m.
type timeFlag struct{ time.Time }

func (i *timeFlag) String() string { return i.Format(time.RFC3339) }

func (i *timeFlag) Set(text string) error {
	if ago, err := time.ParseDuration(text); err == nil {
		i.Time = time.Now().Add(-ago)
		return nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return fmt.Errorf("%q is neither a time like 2026-01-02T15:04:05Z nor a duration before now like 30m", text)
	}
	i.Time = at
	return nil
}

// assignmentsFlag is a repeatable flag: name=value.
type assignmentsFlag map[string]string

func (a assignmentsFlag) String() string { return fmt.Sprint(map[string]string(a)) }

func (a assignmentsFlag) Set(text string) error {
	name, value, found := strings.Cut(text, "=")
	if !found || name == "" {
		return fmt.Errorf("%q is not name=value", text)
	}
	a[name] = value
	return nil
}

func main() {
	now := time.Now()
	s := options{from: timeFlag{now.Add(-time.Hour)}, to: timeFlag{now}, set: assignmentsFlag{}}
	flag.StringVar(&s.prometheus, "prometheus", "http://127.0.0.1:9090", "URL of the Prometheus to ask")
	flag.StringVar(&s.output, "output", ".", "folder for the pages")
	flag.Var(&s.from, "from", "begin of the range: a time, or a duration before now")
	flag.Var(&s.to, "to", "end of the range")
	flag.Var(s.set, "set", "value of a variable, name=value; what is not set is the first value that there is")
	flag.Parse()
	s.files = flag.Args()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, s)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "preview:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, s options) error {
	if len(s.files) == 0 || !s.from.Before(s.to.Time) {
		return fmt.Errorf("name the dashboards to draw, and a range that ends after it begins: got %d files, %s to %s", len(s.files), &s.from, &s.to)
	}
	client, err := api.NewClient(api.Config{Address: s.prometheus})
	if err != nil {
		return fmt.Errorf("connect to %s: %w", s.prometheus, err)
	}
	for _, file := range s.files {
		d, err := model.ReadFile(os.DirFS(filepath.Dir(file)), filepath.Base(file))
		if err != nil {
			return err
		}
		asked := querier{api: prometheusv1.NewAPI(client), from: s.from.Time, to: s.to.Time}
		if err := asked.chooseVariables(ctx, d, s.set); err != nil {
			return err
		}
		view, err := asked.buildPage(ctx, d)
		if err != nil {
			return err
		}
		for _, title := range view.emptyPanels() {
			fmt.Fprintf(os.Stderr, "%s: panel %q has no data\n", d.UID, title)
		}
		if err := writePage(filepath.Join(s.output, d.UID+".html"), view); err != nil {
			return err
		}
	}
	return nil
}
