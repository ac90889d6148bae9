package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/procfs"
)

// operatorProcess is the manager in a process of its own.
type operatorProcess struct {
	process                          *process
	metricsAddress, profilingAddress string
	outputDir                        string
}

func startOperator(ctx context.Context, o options, p *controlPlane) (*operatorProcess, error) {
	config, err := p.writeKubeconfig("operator")
	if err != nil {
		return nil, err
	}
	addresses := make([]string, 3)
	for i := range addresses {
		if addresses[i], err = findFreeAddress(); err != nil {
			return nil, err
		}
	}
	started := &operatorProcess{metricsAddress: addresses[0], profilingAddress: addresses[1], outputDir: o.outputDir}
	started.process, err = p.startProcess([]string{o.manager, "--kubeconfig=" + config, "--zap-log-level=error",
		"--metrics-bind-address=" + addresses[0], "--metrics-secure=false", "--pprof-bind-address=" + addresses[1],
		"--health-probe-bind-address=" + addresses[2]})
	if err != nil {
		return nil, err
	}
	if err := startGenesisStub(ctx, p); err != nil {
		return nil, err
	}
	return started, p.waitUntil(ctx, "the operator is up", func() (bool, error) {
		_, err := fetchURL(ctx, "http://"+addresses[2]+"/readyz")
		return err == nil, nil
	})
}

func findFreeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	defer listener.Close()
	return listener.Addr().String(), nil
}

func fetchURL(ctx context.Context, url string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", url, err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", url, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("get %s: %s", url, response.Status)
	}
	return body, err
}

// saveProfile writes a profile into the output directory: "heap", or "profile" of the CPU for some seconds; 0
// means an instant profile.
func (o *operatorProcess) saveProfile(ctx context.Context, kind, name string, seconds int) error {
	url := "http://" + o.profilingAddress + "/debug/pprof/" + kind
	if seconds > 0 {
		url += fmt.Sprintf("?seconds=%d", seconds)
	}
	content, err := fetchURL(ctx, url)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(o.outputDir, name+".pprof"), content, 0o644); err != nil {
		return fmt.Errorf("write profile %s: %w", name, err)
	}
	return nil
}

// resourceUsage is the resource usage of the operator's process.
type resourceUsage struct {
	// memoryMiB is the resident memory. programMiB is the part of it that maps the program file, which the
	// system can reclaim. Both are in MiB.
	memoryMiB, programMiB float64
	// cpu is the CPU time since the process started.
	cpu time.Duration
}

func (u resourceUsage) String() string {
	return fmt.Sprintf("%.0f MiB, of which %.0f MiB are the pages of its program", u.memoryMiB, u.programMiB)
}

func (o *operatorProcess) readUsage() (resourceUsage, error) {
	proc, err := procfs.NewProc(o.process.command.Process.Pid)
	if err != nil {
		return resourceUsage{}, fmt.Errorf("find the operator's process: %w", err)
	}
	status, err := proc.NewStatus()
	if err != nil {
		return resourceUsage{}, fmt.Errorf("read the operator's memory: %w", err)
	}
	stat, err := proc.Stat()
	if err != nil {
		return resourceUsage{}, fmt.Errorf("read the operator's CPU time: %w", err)
	}
	return resourceUsage{memoryMiB: float64(status.VmRSS) / (1 << 20), programMiB: float64(status.RssFile) / (1 << 20),
		cpu: time.Duration(stat.CPUTime() * float64(time.Second))}, nil
}

// reconcileTimes is the cumulative histogram of the network controller's reconcile durations: the count up to
// each bound in seconds.
type reconcileTimes map[float64]float64

func (o *operatorProcess) readReconcileTimes(ctx context.Context) (reconcileTimes, error) {
	body, err := fetchURL(ctx, "http://"+o.metricsAddress+"/metrics")
	if err != nil {
		return nil, err
	}
	all := reconcileTimes{}
	lines := bufio.NewScanner(strings.NewReader(string(body)))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if !strings.HasPrefix(line, `controller_runtime_reconcile_time_seconds_bucket{controller="benchmarknetwork"`) {
			continue
		}
		_, rest, _ := strings.Cut(line, `le="`)
		text, value, _ := strings.Cut(rest, `"}`)
		bound, boundErr := strconv.ParseFloat(text, 64)
		count, countErr := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if boundErr != nil || countErr != nil {
			return nil, fmt.Errorf("read metric %q", line)
		}
		all[bound] = count
	}
	return all, lines.Err()
}
