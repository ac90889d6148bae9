package container

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

const cpuInfo = "processor\t: 0\nmodel name\t: Example CPU @ 3 GHz\nmicrocode\t: 0x2b000603\nflags\t: a b\n\nprocessor\t: 1\nmodel name\t: Other\n"

// newRoot returns a root with files, and with symbolic links to the given targets.
func newRoot(t *testing.T, files, links map[string]string) string {
	t.Helper()
	root := t.TempDir()
	create := func(name string, write func(path string) error) {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := write(path); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range files {
		create(name, func(path string) error { return os.WriteFile(path, []byte(content), 0o600) })
	}
	for name, target := range links {
		create(name, func(path string) error { return os.Symlink(target, path) })
	}
	return root
}

func TestReadMachine(t *testing.T) {
	root := newRoot(t, map[string]string{
		"proc/cpuinfo": cpuInfo, "proc/sys/kernel/osrelease": "6.1.0-9-amd64\n", "proc/self/cgroup": "0::/\n",
		"sys/devices/system/cpu/smt/active":                     "1\n",
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor":  "powersave\n",
		"sys/devices/system/cpu/cpu1/cpufreq/scaling_governor":  "performance\n",
		"sys/devices/system/cpu/cpu10/cpufreq/scaling_governor": "performance\n",
		"sys/devices/system/node/node0/cpulist":                 "0", "sys/devices/system/node/node1/cpulist": "1",
		"sys/bus/pci/devices/0000:00:03.0/class": "0x020000\n", "sys/bus/pci/devices/0000:00:04.0/class": "0x010802\n",
		"proc/net/route":                 "Iface\tDestination\tGateway\nbenchdev0\t0000A8C0\t0\nbenchdev1\t00000000\t0102A8C0\n",
		"sys/class/net/benchdev1/mtu":    "9000\n",
		"sys/class/net/benchdev1/speed":  "25000\n",
		"sys/class/net/benchdev1/unused": "",
	}, map[string]string{
		"sys/bus/pci/devices/0000:00:03.0/driver": "../../../bus/pci/drivers/ena", "sys/bus/pci/devices/0000:00:04.0/driver": "../drivers/nvme",
		"sys/class/net/benchdev1/device/driver": "../drivers/ena",
	})
	want := measurement.Machine{
		CPUModel: "Example CPU @ 3 GHz", Microcode: "0x2b000603", FrequencyGovernor: "performance,powersave", SMT: new(true), NUMANodes: 2,
		Kernel: "6.1.0-9-amd64", CgroupVersion: 2, NetworkDrivers: []string{"ena"},
		Network: &measurement.NetworkDevice{Device: "benchdev1", Driver: "ena", MTU: 9000, SpeedMbps: 25000},
	}
	if got := (MachineReader{Root: root}).Read(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestReadMachineOmitsUnknown(t *testing.T) {
	root := newRoot(t, map[string]string{"proc/net/route": "Iface\tDestination\nbenchdev1\t00000000\n", "sys/class/net/benchdev1/speed": "10000"}, nil)
	want := measurement.Machine{Network: &measurement.NetworkDevice{Device: "benchdev1"}}
	if got := (MachineReader{Root: root, Volume: filepath.Join(root, "none")}).Read(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestDescribeDisk(t *testing.T) {
	const pci = "sys/devices/pci0000:00/"
	root := newRoot(t, map[string]string{
		pci + "nvme0n1/device/model": "FastDisk 3000   \n", pci + "nvme0n1/queue/rotational": "0\n", pci + "nvme0n1/nvme0n1p2/partition": "2\n",
		pci + "sda/queue/rotational": "1\n", "sys/devices/virtual/block/md0/dm/name": "x",
	}, map[string]string{
		"sys/dev/block/259:2": "../../devices/pci0000:00/nvme0n1/nvme0n1p2",
		"sys/dev/block/8:0":   "../../devices/pci0000:00/sda",
		"sys/dev/block/253:0": "../../devices/virtual/block/dm-0",
		"sys/dev/block/9:0":   "../../devices/virtual/block/md0",

		"sys/devices/virtual/block/dm-0/slaves/nvme0n1p2": "../../../../pci0000:00/nvme0n1/nvme0n1p2",
		"sys/devices/virtual/block/md0/slaves/sda":        "../../../../pci0000:00/sda",
		"sys/devices/virtual/block/md0/slaves/nvme0n1":    "../../../../pci0000:00/nvme0n1",
	})
	fast := &measurement.Disk{Device: "nvme0n1", Model: "FastDisk 3000", Rotational: new(false)}
	for name, c := range map[string]struct {
		major, minor uint32
		want         *measurement.Disk
	}{
		"partition":           {259, 2, fast},
		"mapped":              {253, 0, fast},
		"disk without model":  {8, 0, &measurement.Disk{Device: "sda", Rotational: new(true)}},
		"several disks below": {9, 0, &measurement.Disk{Device: "md0"}},
		"no block device":     {0, 41, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (MachineReader{Root: root}).describeDisk(unix.Mkdev(c.major, c.minor)); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// TestReadThisHost reads the real /proc and /sys. Every Linux has a kernel release there.
func TestReadThisHost(t *testing.T) {
	m := MachineReader{Root: "/", Volume: t.TempDir()}.Read()
	if m.Kernel == "" {
		t.Errorf("no kernel release: %+v", m)
	}
}
