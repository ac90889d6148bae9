package calibrate

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/benchnet/benchnet/internal/agent/observe"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

const (
	// containerPhases is the number of phases of measureContainer: one thread, all threads, fsync.
	containerPhases = 3
	// fsyncBlockBytes is written before each fsync, like a page of a write-ahead log.
	fsyncBlockBytes = 4096
	// fsyncFileBytes bounds the file on the volume.
	fsyncFileBytes = 4 << 20
)

// measureContainer measures this container for the given duration, a third each with one thread, with all threads that
// the CPU limit allows, and with fsync in the folder volume. Without a folder the last third is idle, so that
// containers that start together are in the same phase. It fails if ctx ends or the volume cannot be written.
func measureContainer(ctx context.Context, duration time.Duration, volume string) (measurement.PodCalibration, error) {
	phase := duration / containerPhases
	cpu := &measurement.CPUCalibration{Threads: runtime.GOMAXPROCS(0)}
	measured := measurement.PodCalibration{CPU: cpu}
	var err error
	if cpu.SingleThreadPerSecond, err = measureCPU(ctx, 1, phase); err != nil {
		return measured, err
	}
	if cpu.AllThreadsPerSecond, err = measureCPU(ctx, cpu.Threads, phase); err != nil {
		return measured, err
	}
	if volume == "" {
		return measured, observe.SleepUntil(ctx, time.Now().Add(phase))
	}
	measured.Fsync, err = measureFsync(ctx, volume, phase)
	return measured, err
}

// measureCPU returns how many Ed25519 signatures the threads verify per second. Verification is what validators and
// notaries spend CPU time on, and fits into the first-level cache.
func measureCPU(ctx context.Context, threads int, duration time.Duration) (perSecond float64, err error) {
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	message := []byte("calibration")
	signature, public := ed25519.Sign(key, message), key.Public().(ed25519.PublicKey)
	ctx, cancel := context.WithTimeoutCause(ctx, duration, errPhaseOver)
	defer cancel()
	var verified atomic.Int64
	var all sync.WaitGroup
	began := time.Now()
	for range threads {
		all.Go(func() {
			for ctx.Err() == nil && ed25519.Verify(public, message, signature) {
				verified.Add(1)
			}
		})
	}
	all.Wait()
	return float64(verified.Load()) / time.Since(began).Seconds(), interruptionCause(ctx)
}

// errPhaseOver is the cause of a context that ends with its phase.
var errPhaseOver = errors.New("the phase is over")

// interruptionCause returns why a phase ended early, or nil if it ended on time.
func interruptionCause(ctx context.Context) error {
	if cause := context.Cause(ctx); !errors.Is(cause, errPhaseOver) {
		return cause
	}
	return nil
}

// measureFsync appends blocks to a file in folder, each followed by fsync. The file has no name while it is written, so
// that nothing is left behind.
func measureFsync(ctx context.Context, folder string, duration time.Duration) (*measurement.FsyncCalibration, error) {
	file, err := os.CreateTemp(folder, ".benchnet-calibration-")
	if err != nil {
		return nil, fmt.Errorf("measure fsync: %w", err)
	}
	defer file.Close()
	if err := os.Remove(file.Name()); err != nil {
		return nil, fmt.Errorf("measure fsync: %w", err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, duration, errPhaseOver)
	defer cancel()
	latencies, block := measurement.NewHistogram(), make([]byte, fsyncBlockBytes)
	for offset := int64(0); ctx.Err() == nil; offset = (offset + fsyncBlockBytes) % fsyncFileBytes {
		began := time.Now()
		if _, err := file.WriteAt(block, offset); err != nil {
			return nil, fmt.Errorf("measure fsync: %w", err)
		}
		if err := file.Sync(); err != nil {
			return nil, fmt.Errorf("measure fsync: %w", err)
		}
		if err := latencies.Record(time.Since(began).Microseconds()); err != nil {
			return nil, fmt.Errorf("measure fsync: %w", err)
		}
	}
	return &measurement.FsyncCalibration{Count: latencies.Count(), P50Millis: latencies.PercentileMillis(50),
		P99Millis: latencies.PercentileMillis(99), MaxMillis: latencies.MaxMillis()}, interruptionCause(ctx)
}
