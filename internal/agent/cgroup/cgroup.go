// Package cgroup reads how much CPU and memory the container it runs in has used, from the kernel's
// control groups, version 1 and version 2, and speaks about it in Prometheus' text format.
package cgroup

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/benchnet/benchnet/internal/agent/exposition"
)

// Reader reads the usage of one container, through one version of the kernel's interface.
type Reader interface {
	Read() (Usage, error)
	// Evidence is what else the kernel tells of the container; what it does not tell is left out.
	Evidence() []exposition.Metric
}

// Open finds the control groups of this process below root ("/" but in tests).
// A controller that is mounted as version 1 is read there, also in a hybrid hierarchy.
func Open(root string) (Reader, error) {
	paths, err := memberships(filepath.Join(root, "proc/self/cgroup"))
	if err != nil {
		return nil, err
	}
	mounts, err := mountsOf(filepath.Join(root, "proc/self/mountinfo"))
	if err != nil {
		return nil, err
	}
	folder := func(controller string) (string, error) {
		path, found := paths[controller]
		if !found {
			return "", fmt.Errorf("this process is in no control group of %q", controller)
		}
		m, found := mounts[controller]
		if !found {
			return "", fmt.Errorf("the control groups of %q are not mounted", controller)
		}
		return filepath.Join(root, m.folder(path)), nil
	}
	if _, legacy := paths["cpuacct"]; legacy {
		return openV1(folder)
	}
	unified, err := folder("")
	if err != nil {
		return nil, err
	}
	return v2{unified}, nil
}

func openV1(folder func(string) (string, error)) (Reader, error) {
	cpuacct, err1 := folder("cpuacct")
	cpu, err2 := folder("cpu")
	memory, err3 := folder("memory")
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	return v1{cpuacct: cpuacct, cpu: cpu, memory: memory}, nil
}

// memberships maps each controller to this process' path in its hierarchy; version 2 is the controller "".
func memberships(file string) (map[string]string, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read control groups: %w", err)
	}
	paths := map[string]string{}
	for line := range strings.Lines(string(content)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			return nil, fmt.Errorf("%s: unexpected line %q", file, line)
		}
		for controller := range strings.SplitSeq(fields[1], ",") {
			paths[controller] = fields[2]
		}
	}
	return paths, nil
}

// mount is one mounted hierarchy: the part of it (root) that is seen at point.
type mount struct{ root, point string }

// folder is where the group at path is seen. A path outside the mounted part means that
// the container's own group is mounted, but /proc tells the host's path.
func (m mount) folder(path string) string {
	below, err := filepath.Rel(m.root, path)
	if err != nil || below == ".." || strings.HasPrefix(below, "../") || strings.HasPrefix(path, "/..") {
		below = ""
	}
	return filepath.Join(m.point, below)
}

// mountsOf maps each mounted controller to its mount; version 2 is the controller "".
func mountsOf(file string) (map[string]mount, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read mounts: %w", err)
	}
	mounts := map[string]mount{}
	for line := range strings.Lines(string(content)) {
		place, filesystem, found := strings.Cut(strings.TrimSpace(line), " - ")
		at, what := strings.Fields(place), strings.Fields(filesystem)
		if !found || len(at) < 5 || len(what) < 3 {
			continue
		}
		m := mount{root: at[3], point: at[4]}
		switch what[0] {
		case "cgroup2":
			mounts[""] = m
		case "cgroup":
			for option := range strings.SplitSeq(what[2], ",") {
				mounts[option] = m
			}
		}
	}
	return mounts, nil
}

// v1 reads version 1, where each controller has a folder of its own.
type v1 struct{ cpuacct, cpu, memory string }

func (c v1) Read() (Usage, error) {
	var r reading
	usage := r.number(c.cpuacct, "cpuacct.usage")
	cpu := r.table(c.cpu, "cpu.stat")
	inUse := r.number(c.memory, "memory.usage_in_bytes")
	memory := r.table(c.memory, "memory.stat")
	return Usage{
		CPU:              duration(usage, time.Nanosecond),
		Periods:          cpu["nr_periods"],
		ThrottledPeriods: cpu["nr_throttled"],
		Throttled:        duration(cpu["throttled_time"], time.Nanosecond),
		WorkingSet:       workingSet(inUse, memory["total_inactive_file"]),
	}, r.err
}

// v2 reads version 2, where all controllers share one folder.
type v2 struct{ folder string }

func (c v2) Read() (Usage, error) {
	var r reading
	cpu := r.table(c.folder, "cpu.stat")
	inUse := r.number(c.folder, "memory.current")
	memory := r.table(c.folder, "memory.stat")
	return Usage{
		CPU:              duration(cpu["usage_usec"], time.Microsecond),
		Periods:          cpu["nr_periods"],
		ThrottledPeriods: cpu["nr_throttled"],
		Throttled:        duration(cpu["throttled_usec"], time.Microsecond),
		WorkingSet:       workingSet(inUse, memory["inactive_file"]),
	}, r.err
}

// duration of so many units; the longest that there is stands for all that are longer.
func duration(count uint64, unit time.Duration) time.Duration {
	return time.Duration(min(count, uint64(math.MaxInt64/unit))) * unit
}

func workingSet(inUse, inactiveFile uint64) uint64 {
	if inactiveFile > inUse {
		return 0
	}
	return inUse - inactiveFile
}

// reading collects the first error of several reads.
type reading struct{ err error }

func (r *reading) file(folder, name string) []byte {
	content, err := os.ReadFile(filepath.Join(folder, name))
	r.fail(err)
	return content
}

func (r *reading) number(folder, name string) uint64 {
	return r.parse(name, string(bytes.TrimSpace(r.file(folder, name))))
}

func (r *reading) table(folder, name string) map[string]uint64 {
	values := map[string]uint64{}
	lines := bufio.NewScanner(bytes.NewReader(r.file(folder, name)))
	for lines.Scan() {
		if key, value, found := strings.Cut(lines.Text(), " "); found {
			values[key] = r.parse(name, value)
		}
	}
	return values
}

func (r *reading) parse(name, text string) uint64 {
	if r.err != nil {
		return 0
	}
	value, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		r.fail(fmt.Errorf("control group file %s: %w", name, err))
	}
	return value
}

func (r *reading) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}
