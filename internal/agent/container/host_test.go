package container

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

const procStat = `cpu  100 20 30 400 50 6 4 10 99 99
cpu0 50 10 15 200 25 3 2 5 0 0
cpu1 50 10 15 200 25 3 2 5 0 0
intr 12345 1 2 3
ctxt 678
`

const procNetDev = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 999999 10 0 0 0 0 0 0 999999 10 0 0 0 0 0 0
  eth0:1000 10 0 0 0 0 0 0 2000 10 0 0 0 0 0 0
  eth1: 5 1 0 0 0 0 0 0 7 1 0 0 0 0 0 0
`

// writeProcFiles writes files below proc in a new root and returns the root.
func writeProcFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, "proc", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func readValues(r HostReader) map[string]float64 {
	values := map[string]float64{}
	for _, m := range r.Read() {
		values[m.Name] = m.Value
	}
	return values
}

func TestReadHost(t *testing.T) {
	root := writeProcFiles(t, map[string]string{
		"stat": procStat, "net/dev": procNetDev,
		"pressure/cpu": "some avg10=3.42 avg60=3.41 avg300=3.77 total=2500000\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7\n",
		"pressure/io":  "some avg10=0.00 avg60=0.00 avg300=0.00 total=40\n",
	})
	got := readValues(HostReader{Root: root, Volume: root, Now: time.Now})
	for name, want := range map[string]float64{
		HostCPUs: 2, HostCPUBusy: 1.6, HostCPUNice: 0.2, HostCPUInterrupt: 0.1, HostCPUIdle: 4, HostCPUIOWait: 0.5, HostCPUSteal: 0.1,
		HostCPUPressure: 2.5, HostIOPressure: 0.00004, NetworkReceived: 1005, NetworkSent: 2007,
	} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	if _, found := got[HostMemoryPressure]; found {
		t.Error("a pressure that the kernel lacks was reported")
	}
	if size, room := got[VolumeSize], got[VolumeAvailable]; size <= 0 || room <= 0 || room > size {
		t.Errorf("%v of %v bytes available", room, size)
	}
	if clock := time.Unix(0, int64(got[HostClock]*1e9)); time.Since(clock).Abs() > time.Minute {
		t.Errorf("the clock says %v", clock)
	}
}

// TestUnknownMetricsAreOmitted reads an empty kernel without a volume: only the clock remains, without zeros.
func TestUnknownMetricsAreOmitted(t *testing.T) {
	if got := (HostReader{Root: t.TempDir(), Volume: "/no/such/folder", Now: time.Now}).Read(); len(got) != 1 || got[0].Name != HostClock {
		t.Errorf("got %+v", got)
	}
}
