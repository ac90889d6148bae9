package container

import (
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

// maxLayers bounds the layers of device mappers that are followed to a disk.
const maxLayers = 8

// volumeDisk describes the disk below the volume. It returns nil if the volume is on no block device, such as a memory or
// network file system.
func (r MachineReader) volumeDisk() *measurement.Disk {
	var stat unix.Stat_t
	if r.Volume == "" || unix.Stat(r.Volume, &stat) != nil {
		return nil
	}
	return r.describeDisk(stat.Dev)
}

func (r MachineReader) describeDisk(device uint64) *measurement.Disk {
	number := strconv.Itoa(int(unix.Major(device))) + ":" + strconv.Itoa(int(unix.Minor(device)))
	folder, err := filepath.EvalSymlinks(filepath.Join(r.Root, "sys/dev/block", number))
	if err != nil {
		return nil
	}
	folder = wholeDisk(folder)
	d := &measurement.Disk{Device: filepath.Base(folder), Model: readTrimmed(filepath.Join(folder, "device/model"))}
	if rotational := readTrimmed(filepath.Join(folder, "queue/rotational")); rotational != "" {
		d.Rotational = new(rotational == "1")
	}
	return d
}

// wholeDisk follows a partition to its disk, and a mapped device to the one below it. It stops at a device with several
// below it.
func wholeDisk(folder string) string {
	for range maxLayers {
		if _, err := os.Stat(filepath.Join(folder, "partition")); err == nil {
			folder = filepath.Dir(folder)
			continue
		}
		below, err := filepath.Glob(filepath.Join(folder, "slaves", "*"))
		if err != nil || len(below) != 1 {
			return folder
		}
		next, err := filepath.EvalSymlinks(below[0])
		if err != nil {
			return folder
		}
		folder = next
	}
	return folder
}
