package measurement

import (
	"fmt"
	"slices"
)

// PodCalibration is what a container of a run got from its host directly before the load.
type PodCalibration struct {
	// Subject is the member, database or worker.
	Subject string `json:"subject"`
	// Error says in one line why figures are missing; absent if none are.
	Error string          `json:"error,omitempty"`
	CPU   *CPUCalibration `json:"cpu,omitempty"`
	// Fsync is absent if the container has no volume.
	Fsync *FsyncCalibration `json:"fsync,omitempty"`
	// Network is absent for a worker, since it is measured between a worker and each of the others.
	Network *NetworkCalibration `json:"network,omitempty"`
}

// CPUCalibration holds verifications of Ed25519 signatures per second, beside whatever else the container did.
type CPUCalibration struct {
	SingleThreadPerSecond float64 `json:"singleThreadPerSecond"`
	// AllThreadsPerSecond is the sum of Threads threads, as many as the CPU limit allows but at least two.
	AllThreadsPerSecond float64 `json:"allThreadsPerSecond"`
	Threads             int     `json:"threads"`
}

// FsyncCalibration holds latencies of writes of 4 KiB to the volume, each with its fsync.
type FsyncCalibration struct {
	Count     int64   `json:"count"`
	P50Millis float64 `json:"p50Millis"`
	P99Millis float64 `json:"p99Millis"`
	MaxMillis float64 `json:"maxMillis"`
}

// NetworkCalibration holds the network between a worker and the pod.
type NetworkCalibration struct {
	// RoundTrips is the number of TCP connections whose establishment was timed.
	RoundTrips         int     `json:"roundTrips"`
	RoundTripP50Millis float64 `json:"roundTripP50Millis"`
	RoundTripMaxMillis float64 `json:"roundTripMaxMillis"`
	// BandwidthMbps is the bandwidth of one TCP connection from the pod to the worker, in Mbit/s.
	BandwidthMbps float64 `json:"bandwidthMbps"`
}

// Names of the figures of a calibration, as exported.
const (
	FigureSingleThread    = "CalibrationSingleThread"
	FigureAllThreads      = "CalibrationAllThreads"
	FigureFsyncP50        = "CalibrationFsyncP50"
	FigureFsyncP99        = "CalibrationFsyncP99"
	FigureFsyncMax        = "CalibrationFsyncMax"
	FigureRoundTripP50    = "CalibrationRoundTripP50"
	FigureRoundTripMax    = "CalibrationRoundTripMax"
	FigureBandwidth       = "CalibrationBandwidth"
	unitVerifications     = "verifications/s"
	unitMillis            = "ms"
	unitMegabitsPerSecond = "Mbit/s"
)

// CalibrationFigure is one number of a calibration.
type CalibrationFigure struct {
	Name  string
	Value float64
	Unit  string
}

// Figures returns the figures that were measured, in a fixed order.
func (p PodCalibration) Figures() []CalibrationFigure {
	var all []CalibrationFigure
	if c := p.CPU; c != nil {
		all = append(all, CalibrationFigure{FigureSingleThread, c.SingleThreadPerSecond, unitVerifications},
			CalibrationFigure{FigureAllThreads, c.AllThreadsPerSecond, unitVerifications})
	}
	if f := p.Fsync; f != nil {
		all = append(all, CalibrationFigure{FigureFsyncP50, f.P50Millis, unitMillis}, CalibrationFigure{FigureFsyncP99, f.P99Millis, unitMillis},
			CalibrationFigure{FigureFsyncMax, f.MaxMillis, unitMillis})
	}
	if n := p.Network; n != nil {
		all = append(all, CalibrationFigure{FigureRoundTripP50, n.RoundTripP50Millis, unitMillis},
			CalibrationFigure{FigureRoundTripMax, n.RoundTripMaxMillis, unitMillis}, CalibrationFigure{FigureBandwidth, n.BandwidthMbps, unitMegabitsPerSecond})
	}
	return all
}

// validateCalibration checks that there are not too many pods and that their texts are short.
func (w *WorkerResult) validateCalibration() error {
	if len(w.Calibration) > maxMembers {
		return fmt.Errorf("calibration: %d pods, at most %d are allowed", len(w.Calibration), maxMembers)
	}
	for i, pod := range w.Calibration {
		if len(pod.Subject) > maxNameBytes {
			return fmt.Errorf("calibration[%d].subject: longer than %d bytes", i, maxNameBytes)
		}
	}
	return nil
}

// addCalibration adds the pods of a worker's report that no earlier report has.
func (m *Measurement) addCalibration(pods []PodCalibration) {
	for _, pod := range pods {
		if len(m.Calibration) < maxMembers && !m.HasCalibration(pod.Subject) {
			pod.Error = truncateText(pod.Error)
			m.Calibration = append(m.Calibration, pod)
		}
	}
}

// HasCalibration reports whether a pod reported a calibration.
func (m *Measurement) HasCalibration(subject string) bool {
	return slices.ContainsFunc(m.Calibration, func(pod PodCalibration) bool { return pod.Subject == subject })
}
