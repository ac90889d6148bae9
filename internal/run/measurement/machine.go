package measurement

import (
	"slices"
	"strings"
)

// Bounds of the description of a host. It comes from pods that run foreign code.
const (
	maxMachineTextBytes = 128
	maxMachineListItems = 16
)

// Machine describes the host of a container as its agent reads it. A field that the kernel does not show to the
// container is absent.
type Machine struct {
	CPUModel string `json:"cpuModel,omitempty"`
	// Microcode is the revision that the first CPU runs.
	Microcode string `json:"microcode,omitempty"`
	// FrequencyGovernor lists the governors of the CPUs, each once, separated by commas.
	FrequencyGovernor string `json:"frequencyGovernor,omitempty"`
	// SMT reports whether cores run several threads at the moment.
	SMT *bool `json:"smt,omitempty"`
	// NUMANodes is the number of NUMA nodes.
	NUMANodes int `json:"numaNodes,omitempty"`
	// Kernel is the release of the kernel.
	Kernel string `json:"kernel,omitempty"`
	// CgroupVersion is 1 or 2.
	CgroupVersion int `json:"cgroupVersion,omitempty"`
	// NetworkDrivers are the drivers of the host's network controllers on the PCI bus.
	NetworkDrivers []string `json:"networkDrivers,omitempty"`
	// Disk holds the volume of the container.
	Disk *Disk `json:"disk,omitempty"`
	// Network is the device of the pod's default route.
	Network *NetworkDevice `json:"network,omitempty"`
}

// Disk is a block device of a host.
type Disk struct {
	Device string `json:"device"`
	Model  string `json:"model,omitempty"`
	// Rotational reports whether the kernel takes the disk for one with moving parts.
	Rotational *bool `json:"rotational,omitempty"`
	// Subjects are the members and databases with a volume on the disk. The operator adds them.
	Subjects []string `json:"subjects,omitempty"`
}

// NetworkDevice is a network device of a pod, which is virtual unless the pod uses the host's network.
type NetworkDevice struct {
	Device string `json:"device"`
	Driver string `json:"driver,omitempty"`
	// MTU is in bytes.
	MTU int `json:"mtu,omitempty"`
	// SpeedMbps is in Mbit/s, absent for virtual devices.
	SpeedMbps int `json:"speedMbps,omitempty"`
}

// HostInfo describes one host of a run, and what shared it.
type HostInfo struct {
	// Name is the name of the node.
	Name string `json:"name"`
	// Machine is from the first member, database or worker on the host that described it. Its Disk is nil: Disks
	// lists all.
	Machine
	// Disks are the disks with volumes of the run.
	Disks []Disk `json:"disks,omitempty"`
	// Subjects are the members, databases and workers that shared the host.
	Subjects []string `json:"subjects"`
}

// truncateTexts returns the description with short texts and lists.
func (m Machine) truncateTexts() Machine {
	for _, text := range []*string{&m.CPUModel, &m.Microcode, &m.FrequencyGovernor, &m.Kernel} {
		*text = truncateMachineText(*text)
	}
	m.NetworkDrivers = slices.Clone(m.NetworkDrivers[:min(len(m.NetworkDrivers), maxMachineListItems)])
	for i, driver := range m.NetworkDrivers {
		m.NetworkDrivers[i] = truncateMachineText(driver)
	}
	if m.Disk != nil {
		m.Disk = &Disk{Device: truncateMachineText(m.Disk.Device), Model: truncateMachineText(m.Disk.Model), Rotational: m.Disk.Rotational}
	}
	if m.Network != nil {
		n := *m.Network
		n.Device, n.Driver = truncateMachineText(n.Device), truncateMachineText(n.Driver)
		m.Network = &n
	}
	return m
}

func truncateMachineText(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), maxMachineTextBytes)], "")
}

// addMachine keeps the description of a subject's host.
func (m *Measurement) addMachine(subject string, machine *Machine) {
	if machine == nil {
		return
	}
	if m.machines == nil {
		m.machines = map[string]Machine{}
	}
	m.machines[subject] = machine.truncateTexts()
}

// withoutMachine returns the usage without the description of the host.
func (u *WorkerUsage) withoutMachine() *WorkerUsage {
	if u == nil || u.Machine == nil {
		return u
	}
	usage := *u
	usage.Machine = nil
	return &usage
}

// DescribeHosts returns the hosts of the containers in the order of the containers.
func (m *Measurement) DescribeHosts(containers []ContainerInfo) []HostInfo {
	hosts := []HostInfo{}
	for _, c := range containers {
		if c.Node == "" || c.Subject == "" {
			continue
		}
		i := slices.IndexFunc(hosts, func(h HostInfo) bool { return h.Name == c.Node })
		if i < 0 {
			i, hosts = len(hosts), append(hosts, HostInfo{Name: c.Node})
		}
		if slices.Contains(hosts[i].Subjects, c.Subject) {
			continue
		}
		hosts[i].Subjects = append(hosts[i].Subjects, c.Subject)
		for _, subject := range m.describedBy(c.Subject) {
			hosts[i].addMachine(subject, m.machines[subject])
		}
	}
	return hosts
}

// describedBy returns the containers of a pod that described their host, sorted.
func (m *Measurement) describedBy(pod string) []string {
	return slices.Sorted(func(yield func(string) bool) {
		for subject := range m.machines {
			if PodOf(subject) == pod && !yield(subject) {
				return
			}
		}
	})
}

// addMachine adds the description by a subject's agent: the whole of the first, the disks of all.
func (h *HostInfo) addMachine(subject string, machine Machine) {
	disk := machine.Disk
	machine.Disk = nil
	if h.Machine.isEmpty() {
		h.Machine = machine
	}
	if disk == nil {
		return
	}
	i := slices.IndexFunc(h.Disks, func(d Disk) bool { return d.Device == disk.Device })
	if i < 0 {
		i, h.Disks = len(h.Disks), append(h.Disks, *disk)
	}
	h.Disks[i].Subjects = append(h.Disks[i].Subjects, subject)
}

// isEmpty reports whether the description lacks what every agent can read.
func (m Machine) isEmpty() bool { return m.Kernel == "" && m.CPUModel == "" && m.CgroupVersion == 0 }
