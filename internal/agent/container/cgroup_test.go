package container

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// writeTree writes files, given by path and content, below a new root.
func writeTree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

const (
	statV1   = "nr_periods 120\nnr_throttled 30\nthrottled_time 2500000000\nnr_bursts 0\n"
	statV2   = "usage_usec 7250000\nuser_usec 5000000\nsystem_usec 2250000\nnr_periods 120\nnr_throttled 30\nthrottled_usec 2500000\n"
	memoryV1 = "cache 900\ninactive_file 1\nhierarchical_memory_limit 9223372036854771712\ntotal_inactive_file 500\n"
	memoryV2 = "anon 1000\nfile 900\ninactive_file 500\n"
)

var wantUsage = Usage{CPU: 7250 * time.Millisecond, Periods: 120, ThrottledPeriods: 30, Throttled: 2500 * time.Millisecond, WorkingSet: 1500}

// TestReadUsage reads trees as seen inside one kind of container each, or on a plain machine.
func TestReadUsage(t *testing.T) {
	pod := "/kubepods/burstable/podA/c1"
	mountV1 := func(root, options string) string {
		name, _, _ := strings.Cut(options, " ")
		return "40 30 0:29 " + root + " /sys/fs/cgroup/" + name + " ro,nosuid - cgroup cgroup rw," + name + "\n"
	}
	joined := map[string]string{
		"cpu,cpuacct/cpuacct.usage": "7250000000\n", "cpu,cpuacct/cpu.stat": statV1,
		"memory/memory.usage_in_bytes": "2000\n", "memory/memory.stat": memoryV1,
	}
	for name, c := range map[string]struct {
		groups, mounts, at string
		files              map[string]string
	}{
		"v1, the container's own group mounted": {
			groups: "4:memory:" + pod + "\n2:cpu,cpuacct:" + pod + "\n1:name=systemd:/x\n",
			mounts: mountV1(pod, "cpu,cpuacct") + mountV1(pod, "memory"),
			files:  joined,
		},
		"v1, cgroup namespace": {
			groups: "4:memory:/\n2:cpu,cpuacct:/\n",
			mounts: mountV1("/", "cpu,cpuacct") + mountV1("/", "memory"),
			files:  joined,
		},
		"v1 hybrid with separate controllers, seen from the host": {
			groups: "4:memory:" + pod + "\n2:cpuacct:" + pod + "\n1:cpu:" + pod + "\n0::/elsewhere\n",
			mounts: mountV1("/", "cpu") + mountV1("/", "cpuacct") + mountV1("/", "memory") + "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
			files: map[string]string{
				"cpuacct" + pod + "/cpuacct.usage": "7250000000\n", "cpu" + pod + "/cpu.stat": statV1,
				"memory" + pod + "/memory.usage_in_bytes": "2000\n", "memory" + pod + "/memory.stat": memoryV1,
			},
		},
		"v2, cgroup namespace": {
			groups: "0::/\n",
			mounts: "30 20 0:26 / /sys/fs/cgroup ro,nosuid shared:1 - cgroup2 cgroup rw,nsdelegate\n",
			files:  map[string]string{"cpu.stat": statV2, "memory.current": "2000\n", "memory.stat": memoryV2},
		},
		"v2, seen from the host": {
			groups: "0::" + pod + "\n",
			mounts: "30 20 0:26 / /sys/fs/cgroup ro - cgroup2 cgroup rw\n",
			files:  map[string]string{pod + "/cpu.stat": statV2, pod + "/memory.current": "2000\n", pod + "/memory.stat": memoryV2},
		},
		"v2, own group mounted, path of the host": {
			groups: "0::/../../podB/c2\n",
			mounts: "30 20 0:26 / /sys/fs/cgroup ro - cgroup2 cgroup rw\n",
			files:  map[string]string{"cpu.stat": statV2, "memory.current": "2000\n", "memory.stat": memoryV2},
		},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"proc/self/cgroup": c.groups, "proc/self/mountinfo": c.mounts}
			for path, content := range c.files {
				files["sys/fs/cgroup/"+path] = content
			}
			reader, err := Open(writeTree(t, files))
			if err != nil {
				t.Fatal(err)
			}
			got, err := reader.Read()
			if err != nil || got != wantUsage {
				t.Errorf("got %+v, %v\nwant %+v", got, err, wantUsage)
			}
		})
	}
}

func TestReadWithoutQuota(t *testing.T) {
	root := writeTree(t, map[string]string{
		"proc/self/cgroup":             "0::/\n",
		"proc/self/mountinfo":          "30 20 0:26 / /sys/fs/cgroup ro - cgroup2 cgroup rw\n",
		"sys/fs/cgroup/cpu.stat":       "usage_usec 1000000\n",
		"sys/fs/cgroup/memory.current": "100\n",
		"sys/fs/cgroup/memory.stat":    "inactive_file 200\n",
	})
	reader, err := Open(root)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := reader.Read(); err != nil || got != (Usage{CPU: time.Second}) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestReadErrors(t *testing.T) {
	v2Mount := "30 20 0:26 / /sys/fs/cgroup ro - cgroup2 cgroup rw\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"not mounted":  {map[string]string{"proc/self/cgroup": "4:memory:/\n2:cpuacct:/\n1:cpu:/\n", "proc/self/mountinfo": v2Mount}, `"memory" are not mounted`},
		"bad line":     {map[string]string{"proc/self/cgroup": "nonsense\n", "proc/self/mountinfo": v2Mount}, `"nonsense\n"`},
		"file missing": {map[string]string{"proc/self/cgroup": "0::/\n", "proc/self/mountinfo": v2Mount}, "cpu.stat"},
		"bad number": {map[string]string{"proc/self/cgroup": "0::/\n", "proc/self/mountinfo": v2Mount,
			"sys/fs/cgroup/cpu.stat": "usage_usec many\n"}, "cpu.stat"},
	} {
		t.Run(name, func(t *testing.T) {
			reader, err := Open(writeTree(t, c.files))
			if err == nil {
				_, err = reader.Read()
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %s", err, c.want)
			}
		})
	}
}

// TestReadOwnCgroup reads this machine's kernel, of either version: CPU use must increase the usage.
func TestReadOwnCgroup(t *testing.T) {
	reader, err := Open("/")
	if err != nil {
		t.Skipf("no control groups here: %v", err)
	}
	before, err := reader.Read()
	if err != nil {
		t.Fatal(err)
	}
	// Loop until it shows, because a busy loop's CPU time in a given period depends on the machine.
	after := before
	for deadline := time.Now().Add(time.Minute); after.CPU-before.CPU < 50*time.Millisecond && time.Now().Before(deadline); {
		if after, err = reader.Read(); err != nil {
			t.Fatal(err)
		}
	}
	if used := after.CPU - before.CPU; used < 50*time.Millisecond || after.WorkingSet == 0 {
		t.Errorf("CPU grew by %v, working set %d", used, after.WorkingSet)
	}
	if _, err := os.ReadFile("/proc/pressure/cpu"); err != nil || cgroupVersion("/") == 1 {
		return
	}
	if evidence := reader.ReadEvidence(); !slices.ContainsFunc(evidence, func(m Metric) bool { return m.Name == CPUPressure }) {
		t.Errorf("no pressure in %v", evidence)
	}
}

func TestMetricsRoundTrip(t *testing.T) {
	var text bytes.Buffer
	if err := WriteMetrics(&text, wantUsage.Metrics()...); err != nil {
		t.Fatal(err)
	}
	if line := "\nbenchnet_container_cpu_throttled_seconds_total 2.5\n"; !strings.Contains(text.String(), line) {
		t.Errorf("no line %q in\n%s", line, text.String())
	}
	values, err := ReadMetrics(&text, Usage{}.Metrics().Names()...)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := UsageFromMetrics(values); err != nil || got != wantUsage {
		t.Errorf("got %+v, %v", got, err)
	}
	delete(values, "benchnet_container_cpu_periods_total")
	if _, err := UsageFromMetrics(values); err == nil || !strings.Contains(err.Error(), "benchnet_container_cpu_periods_total is missing") {
		t.Errorf("without a metric: error %v", err)
	}
}

// TestEvidence covers the other metrics of both versions. The second tree of each has no limits and few metrics.
func TestEvidence(t *testing.T) {
	mountsV1 := "40 30 0:29 / /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n40 30 0:29 / /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
	groupsV1 := "4:memory:/\n2:cpu,cpuacct:/\n"
	mountV2 := "30 20 0:26 / /sys/fs/cgroup ro - cgroup2 cgroup rw\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  map[string]float64
	}{
		"v1": {map[string]string{
			"proc/self/cgroup":                            groupsV1 + "5:blkio:/\n",
			"proc/self/mountinfo":                         mountsV1 + "41 30 0:30 / /sys/fs/cgroup/blkio ro - cgroup cgroup rw,blkio\n",
			"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us":  "30000\n",
			"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":  "1073741824\n",
			"sys/fs/cgroup/memory/memory.oom_control":     "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n",
		}, map[string]float64{CPULimit: 0.3, MemoryLimit: 1 << 30, OOMKills: 2}},
		"v1 without limits": {map[string]string{
			"proc/self/cgroup": groupsV1, "proc/self/mountinfo": mountsV1,
			"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us":  "-1\n",
			"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":  "9223372036854771712\n",
		}, map[string]float64{}},
		"v2": {map[string]string{
			"proc/self/cgroup": "0::/\n", "proc/self/mountinfo": mountV2,
			"sys/fs/cgroup/cpu.max":       "150000 100000\n",
			"sys/fs/cgroup/memory.max":    "2048\n",
			"sys/fs/cgroup/memory.events": "low 0\nhigh 0\nmax 9\noom 3\noom_kill 1\n",
			"sys/fs/cgroup/io.stat":       "8:0 rbytes=100 wbytes=30 rios=1 wios=1 dbytes=0 dios=0\n8:16 rbytes=5 wbytes=0 rios=1\n",
			"sys/fs/cgroup/cpu.pressure":  "some avg10=0.00 avg60=0.00 avg300=0.00 total=1500000\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
		}, map[string]float64{CPULimit: 1.5, MemoryLimit: 2048, OOMKills: 1, DiskRead: 105, DiskWritten: 30, CPUPressure: 1.5}},
		"v2 without limits": {map[string]string{
			"proc/self/cgroup": "0::/\n", "proc/self/mountinfo": mountV2,
			"sys/fs/cgroup/cpu.max": "max 100000\n", "sys/fs/cgroup/memory.max": "max\n",
		}, map[string]float64{}},
	} {
		t.Run(name, func(t *testing.T) {
			reader, err := Open(writeTree(t, c.files))
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]float64{}
			for _, m := range reader.ReadEvidence() {
				got[m.Name] = m.Value
			}
			if !maps.Equal(got, c.want) {
				t.Errorf("got %v\nwant %v", got, c.want)
			}
		})
	}
}
