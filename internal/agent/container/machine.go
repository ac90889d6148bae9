package container

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

// MachinePath is the path at which an agent serves the description of its host as JSON.
const MachinePath = "/machine"

// pciNetworkClass is the first byte of the class of network controllers on the PCI bus.
const pciNetworkClass = "0x02"

// MachineReader describes the host of its own container from what the kernel shows to an unprivileged container in /proc and
// /sys. It omits what is hidden or unknown there.
type MachineReader struct {
	// Root is "/" except in tests.
	Root string
	// Volume is a folder on the volume to describe; empty for none.
	Volume string
}

// Read returns the description of the host as of now.
func (r MachineReader) Read() measurement.Machine {
	m := measurement.Machine{
		CPUModel: r.cpuField("model name"), Microcode: r.cpuField("microcode"), FrequencyGovernor: r.frequencyGovernors(),
		NUMANodes: len(r.listPaths("sys/devices/system/node/node[0-9]*")), Kernel: r.readText("proc/sys/kernel/osrelease"),
		CgroupVersion: cgroupVersion(r.Root), NetworkDrivers: r.networkDrivers(), Disk: r.volumeDisk(), Network: r.defaultDevice(),
	}
	if active := r.readText("sys/devices/system/cpu/smt/active"); active != "" {
		m.SMT = new(active == "1")
	}
	return m
}

// readTrimmed returns the content of a file without surrounding space, or "" if it cannot be read.
func readTrimmed(path string) string { return strings.TrimSpace(string(readOptionalFile(path, ""))) }

// readText returns the trimmed content of a file below the root.
func (r MachineReader) readText(name string) string {
	return readTrimmed(filepath.Join(r.Root, name))
}

// listPaths returns the paths below the root that match a pattern.
func (r MachineReader) listPaths(pattern string) []string {
	found, _ := filepath.Glob(filepath.Join(r.Root, pattern)) // The patterns are constants, so they are valid.
	return found
}

// linkName returns the last element of a symbolic link's target, or "" if there is none.
func linkName(path string) string {
	target, err := os.Readlink(path)
	if err != nil {
		return ""
	}
	return filepath.Base(target)
}

func (r MachineReader) cpuField(name string) string {
	for line := range strings.Lines(r.readText("proc/cpuinfo")) {
		if key, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func (r MachineReader) frequencyGovernors() string {
	var all []string
	for _, file := range r.listPaths("sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor") {
		all = append(all, readTrimmed(file))
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ",")
}

// networkDrivers returns the drivers of the network controllers on the PCI bus, which containers see although the
// devices themselves belong to the network namespace of the host.
func (r MachineReader) networkDrivers() []string {
	var drivers []string
	for _, device := range r.listPaths("sys/bus/pci/devices/*") {
		if !strings.HasPrefix(readTrimmed(filepath.Join(device, "class")), pciNetworkClass) {
			continue
		}
		if driver := linkName(filepath.Join(device, "driver")); driver != "" {
			drivers = append(drivers, driver)
		}
	}
	slices.Sort(drivers)
	return slices.Compact(drivers)
}

// defaultDevice describes the device of the default route, or returns nil without one.
func (r MachineReader) defaultDevice() *measurement.NetworkDevice {
	for line := range strings.Lines(r.readText("proc/net/route")) {
		if words := strings.Fields(line); len(words) > 1 && words[1] == "00000000" {
			return r.describeDevice(words[0])
		}
	}
	return nil
}

// describeDevice describes a network device. The speed of a device without hardware is a constant and left out.
func (r MachineReader) describeDevice(name string) *measurement.NetworkDevice {
	folder := filepath.Join("sys/class/net", name)
	d := &measurement.NetworkDevice{Device: name}
	d.MTU, _ = strconv.Atoi(r.readText(filepath.Join(folder, "mtu")))
	if d.Driver = linkName(filepath.Join(r.Root, folder, "device/driver")); d.Driver == "" {
		d.Driver = driverFromKernel(name)
		return d
	}
	speed, _ := strconv.Atoi(r.readText(filepath.Join(folder, "speed")))
	d.SpeedMbps = max(0, speed)
	return d
}

// driverFromKernel asks the kernel for the driver of a device, which sysfs does not show for virtual ones. It returns ""
// if there is none.
func driverFromKernel(name string) string {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return ""
	}
	defer func() { _ = unix.Close(socket) }()
	info, err := unix.IoctlGetEthtoolDrvinfo(socket, name)
	if err != nil {
		return ""
	}
	return unix.ByteSliceToString(info.Driver[:])
}
