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

// resultTable collects the rows of the table.
type resultTable struct {
	options   options
	startedAt time.Time
	rows      []string
	// rates are the networks per second of each method, for the comparison.
	rates map[string]float64
}

func newResultTable(o options) *resultTable {
	return &resultTable{options: o, startedAt: time.Now(), rates: map[string]float64{}}
}

func (r *resultTable) addRow(part, measure, value string) {
	r.rows = append(r.rows, fmt.Sprintf("| %s | %s | %s |", part, measure, value))
	fmt.Fprintln(os.Stderr, r.rows[len(r.rows)-1])
}

func (r *resultTable) addBaseline(name string, w networkBatch, objects int, applied, took time.Duration, sent requestCounts, cpu cpuTimes) {
	part := fmt.Sprintf("%d networks of %d by %s", w.networks, w.members, name)
	r.rates[name] = float64(w.networks) / took.Seconds()
	r.addRow(part, "all objects applied", formatSeconds(applied))
	r.addRow(part, "all pods ready", formatSeconds(took))
	r.addRow(part, "networks/s to ready pods", fmt.Sprintf("%.2f", r.rates[name]))
	r.addRow(part, "requests per network", fmt.Sprintf("%.1f for %d objects", float64(sent.sumAll())/float64(w.networks), objects))
	r.addRow(part, "CPU time", cpu.String())
}

func (r *resultTable) addNetworks(w networkBatch, took time.Duration, waits []time.Duration, before, after operatorSample) {
	part := fmt.Sprintf("%d networks of %d by the operator", w.networks, w.members)
	n := float64(w.networks)
	rate := n / took.Seconds()
	sent, created := after.requests.countsSince(before.requests), after.createdObjects-before.createdObjects
	r.addRow(part, "all networks Ready", formatSeconds(took))
	if w.networks > 1 {
		r.addRow(part, "networks/s to Ready", fmt.Sprintf("%.2f", rate))
		r.addRow(
			part,
			"a network's create to Ready, median and 99th percentile",
			formatSeconds(durationQuantile(waits, 0.5))+", "+formatSeconds(durationQuantile(waits, 0.99)),
		)
	}
	r.addRow(part, "objects made per network", fmt.Sprintf("%.1f", float64(created)/n))
	r.addRow(part, "requests per network", fmt.Sprintf("%.1f: %s", float64(sent.sumWithoutCacheFills())/n, sent.formatPerNetwork(w.networks)))
	count, p99 := after.reconcileTimes.quantileSince(before.reconcileTimes, 0.99)
	r.addRow(part, "passes per network, 99th percentile of their time", fmt.Sprintf("%.1f, %s", count/n, p99))
	r.addRow(part, "operator's memory, CPU time", fmt.Sprintf("%s; %s", after.usage, formatSeconds(after.usage.cpu-before.usage.cpu)))
	r.addRow(part, "CPU time", after.cpu.subtractEarlier(before.cpu).String())
	if rival := r.rates["kubectl"]; w.networks == r.options.comparedNetworks && rival > 0 {
		r.addRow(part, "time relative to ordered applies, parallel creates, parallel applies, kubectl apply, helm install",
			fmt.Sprintf("%.2f x, %.2f x, %.2f x, %.2f x, %.2f x",
				r.rates["ordered"]/rate, r.rates["creates"]/rate, r.rates["applies"]/rate, rival/rate, r.rates["helm"]/rate))
	}
}

func (r *resultTable) addRest(o options, networks int, before, after operatorSample) {
	part := fmt.Sprintf("at rest with %d networks, %s", networks, o.restDuration)
	sent := after.requests.countsSince(before.requests)
	r.addRow(part, "requests", fmt.Sprintf("%d %s", sent.sumWithoutCacheFills(), sent.formatPerNetwork(1)))
	r.addRow(part, "operator's memory", after.usage.String())
	r.addRow(part, "operator's CPU", fmt.Sprintf("%.1f %% of a core", 100*(after.usage.cpu-before.usage.cpu).Seconds()/o.restDuration.Seconds()))
}

// quantileSince returns the count and the bucket bound of a quantile of the reconciles since before.
func (p reconcileTimes) quantileSince(before reconcileTimes, q float64) (count float64, bound string) {
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

func durationQuantile(sorted []time.Duration, q float64) time.Duration {
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

func formatSeconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// writeFile prints the table and writes it to a file with the conditions of the measurement.
func (r *resultTable) writeFile(path string) error {
	commit, _ := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	load, _ := os.ReadFile("/proc/loadavg")
	text := fmt.Sprintf("# The operator at scale\n\n- commit %s, %d cores, begun %s, ended %s, load average at the end %s\n\n"+
		"| part | measure | value |\n|---|---|---|\n%s\n",
		strings.TrimSpace(string(commit)), runtime.NumCPU(), r.startedAt.UTC().Format(time.RFC3339), time.Now().UTC().Format(time.RFC3339),
		strings.Join(strings.Fields(string(load))[:3], " "), strings.Join(r.rows, "\n"))
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	fmt.Println(text)
	fmt.Println("written to", path)
	return nil
}
