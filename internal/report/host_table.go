package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// hostTable returns how many CPUs of each host others and the run used. It has no rows for results of older versions.
func hostTable(r *document.RunResult) htmlTable {
	numbers := numberColumns("Used by others", "At most", "Used by this run", "Stolen", "CPUs", "Waited for a CPU")
	t := htmlTable{Title: "Hosts", Header: append(textColumns("Host"), numbers...)}
	for _, h := range r.Hosts {
		waited := ""
		if h.CPUPressure != nil {
			waited = h.PressureOf + " " + formatPercent(*h.CPUPressure) + " of the time"
		}
		t.Rows = append(t.Rows, tableRow{Cells: []string{h.Name, formatNumber(h.Others), formatNumber(h.OthersLimit), formatNumber(h.Own),
			formatNumber(h.Stolen), formatNumber(h.CPUs), dashIfEmpty(waited)}})
	}
	return t
}

// machinesTable returns the hardware of each host and which parts of the run shared it.
func machinesTable(hosts []measurement.HostInfo) htmlTable {
	t := htmlTable{Title: "Hardware", Header: append(textColumns("Node"), proseColumns("CPU", "Kernel", "Disks", "Network", "Shared by")...)}
	for _, h := range hosts {
		t.Rows = append(t.Rows, tableRow{Cells: []string{
			h.Name, dashIfEmpty(describeCPU(h.Machine)), dashIfEmpty(describeKernel(h.Machine)), dashIfEmpty(describeDisks(h.Disks)),
			dashIfEmpty(describeNetwork(h.Machine)), strings.Join(h.Subjects, ", "),
		}})
	}
	return t
}

func describeCPU(m measurement.Machine) string {
	var parts []string
	add := func(name, value string) {
		if value != "" {
			parts = append(parts, strings.TrimSpace(name+" "+value))
		}
	}
	add("", m.CPUModel)
	add("microcode", m.Microcode)
	add("governor", m.FrequencyGovernor)
	if m.SMT != nil {
		add("SMT", map[bool]string{true: "on", false: "off"}[*m.SMT])
	}
	if m.NUMANodes > 0 {
		add("NUMA nodes:", strconv.Itoa(m.NUMANodes))
	}
	return strings.Join(parts, ", ")
}

func describeKernel(m measurement.Machine) string {
	if m.CgroupVersion == 0 {
		return m.Kernel
	}
	return strings.TrimPrefix(fmt.Sprintf("%s, cgroup v%d", m.Kernel, m.CgroupVersion), ", ")
}

// describeDisks returns the disks with the members and databases on each.
func describeDisks(disks []measurement.Disk) string {
	var all []string
	for _, d := range disks {
		text := d.Device
		if d.Model != "" {
			text += " (" + d.Model + ")"
		}
		if d.Rotational != nil && *d.Rotational {
			text += ", rotational"
		}
		all = append(all, text+": "+strings.Join(d.Subjects, ", "))
	}
	return strings.Join(all, "; ")
}

func describeNetwork(m measurement.Machine) string {
	var parts []string
	if n := m.Network; n != nil {
		text := strings.TrimSpace("pods: " + n.Device + " " + n.Driver)
		if n.MTU > 0 {
			text += fmt.Sprintf(", MTU %d", n.MTU)
		}
		if n.SpeedMbps > 0 {
			text += fmt.Sprintf(", %d Mbit/s", n.SpeedMbps)
		}
		parts = append(parts, text)
	}
	if len(m.NetworkDrivers) > 0 {
		parts = append(parts, "host: "+strings.Join(m.NetworkDrivers, ", "))
	}
	return strings.Join(parts, "; ")
}

// calibrationTable returns what each pod got from its host before the load.
func calibrationTable(pods []measurement.PodCalibration) htmlTable {
	t := htmlTable{Title: "Calibration before the load", Header: slices.Concat(textColumns("Pod"),
		numberColumns("One thread", "All threads", "Fsync p50", "Fsync p99", "Fsync max", "Round trip p50", "Round trip max", "Bandwidth"),
		proseColumns("Missing because"))}
	for _, pod := range pods {
		cpu, fsync, network := slices.Repeat([]string{"–"}, 2), slices.Repeat([]string{"–"}, 3), slices.Repeat([]string{"–"}, 3)
		if c := pod.CPU; c != nil {
			cpu = []string{formatQuantity(c.SingleThreadPerSecond, "verifications/s"),
				fmt.Sprintf("%s with %d", formatQuantity(c.AllThreadsPerSecond, "verifications/s"), c.Threads)}
		}
		if f := pod.Fsync; f != nil {
			fsync = []string{formatQuantity(f.P50Millis, "ms"), formatQuantity(f.P99Millis, "ms"), formatQuantity(f.MaxMillis, "ms")}
		}
		if n := pod.Network; n != nil {
			network = []string{formatQuantity(n.RoundTripP50Millis, "ms"), formatQuantity(n.RoundTripMaxMillis, "ms"), formatQuantity(n.BandwidthMbps, "Mbit/s")}
		}
		t.Rows = append(t.Rows, tableRow{Cells: slices.Concat([]string{pod.Subject}, cpu, fsync, network, []string{dashIfEmpty(pod.Error)})})
	}
	return t
}
