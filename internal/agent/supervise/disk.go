package supervise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

const (
	// fillFile is the file that fills a volume. It has its name only for an instant.
	fillFile = ".benchnet-fill"
	// fillBlock is the smallest part of a fill. A volume is full if it cannot be written.
	fillBlock = 4 << 10
	// allocateChunk and writeChunk bound what is taken between two checks whether the fault must end.
	allocateChunk, writeChunk = 64 << 20, 1 << 20
	// fillSlack is how much more than asked may be free in a filled volume, releaseSlack how much less than before after it.
	fillSlack, releaseSlack = 1 << 20, 16 << 20
	// releaseTimeout bounds the time in which the space must be free again. Some file systems free it in the background.
	releaseTimeout = 5 * time.Second
	// maxClaimRatio is how much larger than its claim a volume may be.
	maxClaimRatio = 1.1
)

// allocateSpace allocates a part of a file.
var allocateSpace = unix.Fallocate

// diskFill fills the volume of a container.
type diskFill struct {
	leaveFree int64
	// file has no name, so the kernel frees its space as soon as this process ends.
	file *os.File
	// mostFree is the most that was free in the filled volume.
	mostFree int64
}

// openFill returns the fill of a fault of the volume that is mounted at folder. It fails if the fill would harm more than the container, or
// if there is nothing to fill. mountInfo is the file of the mounts of this process.
func openFill(asked measurement.FillDiskFault, folder, mountInfo string) (*diskFill, error) {
	if asked.ClaimBytes == 0 {
		return nil, errors.New("the container has no persistent volume: filling an emptyDir would evict the pod")
	}
	if err := checkOwnFileSystem(folder, asked.ClaimBytes, mountInfo); err != nil {
		return nil, err
	}
	name := filepath.Join(folder, fillFile)
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	d := &diskFill{leaveFree: asked.LeaveFreeBytes, file: file}
	free, err := d.readFree()
	if err == nil && free < d.leaveFree+fillBlock {
		err = fmt.Errorf("%d MiB are free, and the fault leaves %d MiB", free>>20, d.leaveFree>>20)
	}
	if err = errors.Join(os.Remove(name), err); err != nil {
		_ = file.Close() // It is empty.
		return nil, err
	}
	return d, nil
}

// checkOwnFileSystem fails unless the file system at folder is that of one volume.
func checkOwnFileSystem(folder string, claim int64, mountInfo string) error {
	content, err := os.ReadFile(mountInfo)
	if err != nil {
		return err
	}
	devices := map[string]string{} // By mount point.
	for line := range strings.Lines(string(content)) {
		if fields := strings.Fields(line); len(fields) > 4 {
			devices[fields[4]] = fields[2]
		}
	}
	if devices[folder] == "" {
		return fmt.Errorf("no volume is mounted at %q", folder)
	}
	const shared = "the volume shares the file system of its host (%s): filling it would stop the node"
	for _, point := range slices.Sorted(maps.Keys(devices)) {
		if point != folder && devices[point] == devices[folder] {
			return fmt.Errorf(shared, "as "+point)
		}
	}
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return fmt.Errorf("read the size of %s: %w", folder, err)
	}
	if size := float64(s.Blocks) * float64(s.Bsize); size > maxClaimRatio*float64(claim) {
		return fmt.Errorf(shared, fmt.Sprintf("%d MiB for a claim of %d MiB", int64(size)>>20, claim>>20))
	}
	return nil
}

// readFree returns how many bytes are free in the volume.
func (d *diskFill) readFree() (int64, error) {
	var s unix.Statfs_t
	err := unix.Fstatfs(int(d.file.Fd()), &s)
	return int64(s.Bavail) * s.Bsize, err
}

// extendFile makes the file longer, by length or less.
func (d *diskFill) extendFile(length int64) error {
	size, err := d.file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if length > fillBlock {
		if err := allocateSpace(int(d.file.Fd()), 0, size, length); !errors.Is(err, unix.EOPNOTSUPP) {
			return err
		}
	}
	_, err = d.file.Write(make([]byte, min(length, writeChunk)))
	return err
}

// releaseSpace frees the space of the file and returns how much is free then.
func (d *diskFill) releaseSpace() (free int64, err error) {
	var s unix.Stat_t
	before, err := d.readFree()
	wanted := before - releaseSlack
	if err = cmp.Or(err, unix.Fstat(int(d.file.Fd()), &s), d.file.Truncate(0)); err != nil {
		return before, err
	}
	wanted += s.Blocks * 512
	for deadline := time.Now().Add(releaseTimeout); ; time.Sleep(passInterval) {
		free, err := d.readFree()
		switch {
		case err != nil || free >= wanted:
			return free, err
		case time.Now().After(deadline):
			return free, fmt.Errorf("%d MiB are free after the fault instead of %d MiB", free>>20, wanted>>20)
		}
	}
}

// fillDisk keeps the volume full for the duration.
func (f *fault) fillDisk(ctx context.Context) error {
	d := f.fill
	before, err := d.readFree()
	if err != nil {
		return err
	}
	f.effect.Before = fmt.Sprintf("%d MiB free", before>>20)
	began := time.Now()
	for at := time.Duration(0); err == nil && at < f.Duration(); at += checkInterval {
		err = f.fillUp(ctx, began.Add(f.Duration()))
		if at == 0 {
			f.effect.Injected = f.BracketSince(began)
		}
		if err == nil { // What processes delete until then is filled in the next second.
			err = f.waitUntil(ctx, began.Add(at+checkInterval))
		}
	}
	f.effect.During = fmt.Sprintf("at most %d KiB free", d.mostFree>>10)
	if err == nil && d.leaveFree == 0 {
		f.effect.During += ", 4 KiB could not be written"
	}
	began = time.Now()
	after, releaseErr := d.releaseSpace()
	f.effect.Healed, f.effect.After = f.BracketSince(began), fmt.Sprintf("%d MiB free", after>>20)
	return cmp.Or(err, releaseErr)
}

// fillUp fills the volume until leaveFree is left or, with nothing to leave, a block cannot be written. It fails if that lasts until end.
func (f *fault) fillUp(ctx context.Context, end time.Time) error {
	d := f.fill
	for chunk := int64(allocateChunk); ; {
		free, err := d.readFree()
		length := min(free-d.leaveFree, chunk) / fillBlock * fillBlock
		if d.leaveFree == 0 {
			length = max(length, fillBlock)
		}
		switch {
		case err != nil:
			return err
		case length <= 0:
			return d.checkFull(free)
		}
		if err := f.waitUntil(ctx, time.Now()); err != nil {
			return err
		}
		switch err := d.extendFile(length); {
		case errors.Is(err, unix.ENOSPC) && length == fillBlock:
			return d.checkFull(free)
		case errors.Is(err, unix.ENOSPC):
			chunk = length / 2
		case err != nil && !errors.Is(err, unix.EINTR):
			return err
		case time.Now().After(end):
			return fmt.Errorf("%d MiB were free until the end", free>>20)
		}
	}
}

// checkFull fails if more is free in the filled volume than asked.
func (d *diskFill) checkFull(free int64) error {
	d.mostFree = max(d.mostFree, free)
	if free > d.leaveFree+fillSlack {
		return fmt.Errorf("%d KiB are free instead of %d KiB, and cannot be filled", free>>10, d.leaveFree>>10)
	}
	return nil
}
