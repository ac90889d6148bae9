// Package container reads what the kernel and the JVMs show about the agent's own container and its host: the use of CPU and
// memory, threads, garbage collection, hardware. It writes metrics in Prometheus' text format and reads those of members.
package container

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
)

// Reader reads the usage of one container through one version of control groups.
type Reader interface {
	Read() (Usage, error)
	// ReadEvidence returns the further metrics of the container that the kernel provides.
	ReadEvidence() []Metric
}

// Open returns a Reader for the control groups of this process below root, which is "/" except in tests. It
// prefers version 1 if a cpuacct controller exists, also in a hybrid hierarchy.
func Open(root string) (Reader, error) {
	paths, err := readMemberships(filepath.Join(root, "proc/self/cgroup"))
	if err != nil {
		return nil, err
	}
	mounts, err := readMounts(filepath.Join(root, "proc/self/mountinfo"))
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
		return filepath.Join(root, m.groupFolder(path)), nil
	}
	if _, legacy := paths["cpuacct"]; legacy {
		return openV1(folder)
	}
	unified, err := folder("")
	if err != nil {
		return nil, err
	}
	return v2Reader{unified}, nil
}

// cgroupVersion returns the version of control groups that Open uses below root: 1, 2, or 0 if it is unknown.
func cgroupVersion(root string) int {
	paths, err := readMemberships(filepath.Join(root, "proc/self/cgroup"))
	if err != nil {
		return 0
	}
	if _, legacy := paths["cpuacct"]; legacy {
		return 1
	}
	return 2
}

func openV1(folder func(string) (string, error)) (Reader, error) {
	cpuacct, err1 := folder("cpuacct")
	cpu, err2 := folder("cpu")
	memory, err3 := folder("memory")
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	return v1Reader{cpuacct: cpuacct, cpu: cpu, memory: memory}, nil
}

// readMemberships returns this process's path per controller. Version 2 has the key "".
func readMemberships(file string) (map[string]string, error) {
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

// mount is one mounted hierarchy. Its mountPoint shows the part of the hierarchy below root.
type mount struct{ root, mountPoint string }

// groupFolder returns the folder of the group at path. A path outside the mounted part means that the
// container's own group is mounted while /proc shows the host's path; the result is then the mount point.
func (m mount) groupFolder(path string) string {
	below, err := filepath.Rel(m.root, path)
	if err != nil || below == ".." || strings.HasPrefix(below, "../") || strings.HasPrefix(path, "/..") {
		below = ""
	}
	return filepath.Join(m.mountPoint, below)
}

// readMounts returns the mount per controller. Version 2 has the key "".
func readMounts(file string) (map[string]mount, error) {
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
		m := mount{root: at[3], mountPoint: at[4]}
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

// v1Reader reads version 1, which has one folder per controller.
type v1Reader struct{ cpuacct, cpu, memory string }

func (c v1Reader) Read() (Usage, error) {
	var r errReader
	usage := r.readNumber(c.cpuacct, "cpuacct.usage")
	cpu := r.readTable(c.cpu, "cpu.stat")
	inUse := r.readNumber(c.memory, "memory.usage_in_bytes")
	memory := r.readTable(c.memory, "memory.stat")
	return Usage{
		CPU:              saturatedDuration(usage, time.Nanosecond),
		Periods:          cpu["nr_periods"],
		ThrottledPeriods: cpu["nr_throttled"],
		Throttled:        saturatedDuration(cpu["throttled_time"], time.Nanosecond),
		WorkingSet:       workingSetBytes(inUse, memory["total_inactive_file"]),
	}, r.err
}

// v2Reader reads version 2, which has one folder for all controllers.
type v2Reader struct{ folder string }

func (c v2Reader) Read() (Usage, error) {
	var r errReader
	cpu := r.readTable(c.folder, "cpu.stat")
	inUse := r.readNumber(c.folder, "memory.current")
	memory := r.readTable(c.folder, "memory.stat")
	return Usage{
		CPU:              saturatedDuration(cpu["usage_usec"], time.Microsecond),
		Periods:          cpu["nr_periods"],
		ThrottledPeriods: cpu["nr_throttled"],
		Throttled:        saturatedDuration(cpu["throttled_usec"], time.Microsecond),
		WorkingSet:       workingSetBytes(inUse, memory["inactive_file"]),
	}, r.err
}

// saturatedDuration returns count units, or about the longest time.Duration if that overflows.
func saturatedDuration(count uint64, unit time.Duration) time.Duration {
	return time.Duration(min(count, uint64(math.MaxInt64/unit))) * unit
}

func workingSetBytes(inUse, inactiveFile uint64) uint64 {
	if inactiveFile > inUse {
		return 0
	}
	return inUse - inactiveFile
}

// errReader keeps the first error of several reads.
type errReader struct{ err error }

func (r *errReader) readFile(folder, name string) []byte {
	content, err := os.ReadFile(filepath.Join(folder, name))
	r.recordError(err)
	return content
}

func (r *errReader) readNumber(folder, name string) uint64 {
	return r.parseNumber(name, string(bytes.TrimSpace(r.readFile(folder, name))))
}

func (r *errReader) readTable(folder, name string) map[string]uint64 {
	values := map[string]uint64{}
	lines := bufio.NewScanner(bytes.NewReader(r.readFile(folder, name)))
	for lines.Scan() {
		if key, value, found := strings.Cut(lines.Text(), " "); found {
			values[key] = r.parseNumber(name, value)
		}
	}
	return values
}

func (r *errReader) parseNumber(name, text string) uint64 {
	if r.err != nil {
		return 0
	}
	value, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		r.recordError(fmt.Errorf("control group file %s: %w", name, err))
	}
	return value
}

func (r *errReader) recordError(err error) {
	if r.err == nil {
		r.err = err
	}
}
