package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
)

// report collects the rows of the table.
type report struct {
	options options
	begun   time.Time
	rows    []string
	// rates of each way in networks per second, for the comparison.
	rates map[string]float64
}

func newReport(o options) *report {
	return &report{options: o, begun: time.Now(), rates: map[string]float64{}}
}

func (r *report) row(part, measure, value string) {
	r.rows = append(r.rows, fmt.Sprintf("| %s | %s | %s |", part, measure, value))
	fmt.Fprintln(os.Stderr, r.rows[len(r.rows)-1])
}

func (r *report) rival(name string, w workload, objects int, applied, took time.Duration, sent requests) {
	part := fmt.Sprintf("%d networks of %d by %s", w.networks, w.members, name)
	r.rates[name] = float64(w.networks) / took.Seconds()
	r.row(part, "all objects applied", seconds(applied))
	r.row(part, "all pods ready", seconds(took))
	r.row(part, "networks/s to ready pods", fmt.Sprintf("%.2f", r.rates[name]))
	r.row(part, "requests per network", fmt.Sprintf("%.1f for %d objects", float64(sent.all())/float64(w.networks), objects))
}

func (r *report) networks(w workload, took time.Duration, waits []time.Duration, before, after observation) {
	part := fmt.Sprintf("%d networks of %d by the operator", w.networks, w.members)
	n := float64(w.networks)
	rate := n / took.Seconds()
	sent, made := after.requests.since(before.requests), after.made-before.made
	r.row(part, "all networks Ready", seconds(took))
	if w.networks > 1 {
		r.row(part, "networks/s to Ready", fmt.Sprintf("%.2f", rate))
		r.row(part, "a network's create to Ready, median and 99th percentile", seconds(quantile(waits, 0.5))+", "+seconds(quantile(waits, 0.99)))
	}
	r.row(part, "objects made per network", fmt.Sprintf("%.1f", float64(made)/n))
	r.row(part, "requests per network", fmt.Sprintf("%.1f: %s", float64(sent.total())/n, sent.perNetwork(w.networks)))
	count, p99 := after.passes.quantile(before.passes, 0.99)
	r.row(part, "passes per network, 99th percentile of their time", fmt.Sprintf("%.1f, %s", count/n, p99))
	r.row(part, "operator's memory, CPU time", fmt.Sprintf("%s; %s", after.usage, seconds(after.usage.cpu-before.usage.cpu)))
	if rival := r.rates["kubectl"]; w.networks == r.options.compared && rival > 0 {
		r.row(part, "time beside kubectl apply, beside helm install", fmt.Sprintf("%.2f x, %.2f x", rival/rate, r.rates["helm"]/rate))
	}
}

func (r *report) rest(o options, networks int, before, after observation) {
	part := fmt.Sprintf("at rest with %d networks, %s", networks, o.rest)
	sent := after.requests.since(before.requests)
	r.row(part, "requests", fmt.Sprintf("%d %s", sent.total(), sent.perNetwork(1)))
	r.row(part, "operator's memory", after.usage.String())
	r.row(part, "operator's CPU", fmt.Sprintf("%.1f %% of a core", 100*(after.usage.cpu-before.usage.cpu).Seconds()/o.rest.Seconds()))
}

// quantile of the passes that came after those before: the bound below which so many took.
func (p passes) quantile(before passes, q float64) (count float64, bound string) {
	var bounds []float64
	for b := range p {
		bounds = append(bounds, b)
	}
	slices.Sort(bounds)
	if len(bounds) == 0 {
		return 0, "none"
	}
	last := bounds[len(bounds)-1]
	count = p[last] - before[last]
	for _, b := range bounds {
		if p[b]-before[b] >= q*count && !math.IsInf(b, 1) {
			return count, fmt.Sprintf("at most %g s", b)
		}
	}
	return count, fmt.Sprintf("more than %g s", bounds[max(0, len(bounds)-2)])
}

func quantile(sorted []time.Duration, q float64) time.Duration {
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// write prints the table, and writes it with the conditions under which it came about.
func (r *report) write(path string) error {
	commit, _ := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	load, _ := os.ReadFile("/proc/loadavg")
	text := fmt.Sprintf("# The operator at scale\n\n- commit %s, %d cores, begun %s, ended %s, load average at the end %s\n\n"+
		"| part | measure | value |\n|---|---|---|\n%s\n",
		strings.TrimSpace(string(commit)), runtime.NumCPU(), r.begun.UTC().Format(time.RFC3339), time.Now().UTC().Format(time.RFC3339),
		strings.Join(strings.Fields(string(load))[:3], " "), strings.Join(r.rows, "\n"))
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	fmt.Println(text)
	fmt.Println("written to", path)
	return nil
}
