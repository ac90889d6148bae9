package calibrate

import (
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Paths at which an agent serves the calibration of its container.
const (
	// ContainerPath measures the container for the given seconds and answers with a measurement.PodCalibration as JSON.
	ContainerPath = "/calibration"
	// StreamPath sends zeros for the given seconds.
	StreamPath = "/calibration/stream"
)

const (
	// secondsParameter is the duration of a request in seconds.
	secondsParameter = "seconds"
	// maxSeconds bounds one request.
	maxSeconds = 60
	// streamChunkBytes is the size of one write to a stream.
	streamChunkBytes = 64 << 10
)

// addHandlers adds the paths of the calibration to mux. The caller must pass them one request at a time, so that together they
// cost the container no more than one.
func addHandlers(mux *http.ServeMux, volume string) {
	for path, serve := range map[string]func(http.ResponseWriter, *http.Request, time.Duration){
		ContainerPath: func(w http.ResponseWriter, r *http.Request, duration time.Duration) {
			serveContainer(w, r, duration, volume)
		},
		StreamPath: serveStream,
	} {
		mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
			duration, err := parseSeconds(r)
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			serve(w, r, duration)
		})
	}
}

func parseSeconds(r *http.Request) (time.Duration, error) {
	text := r.URL.Query().Get(secondsParameter)
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil || !(seconds > 0 && seconds <= maxSeconds) {
		return 0, fmt.Errorf("%s is %.20q, want a number above 0 and up to %d", secondsParameter, text, maxSeconds)
	}
	return time.Duration(seconds * float64(time.Second)), nil
}

func serveContainer(w http.ResponseWriter, r *http.Request, duration time.Duration, volume string) {
	measured, err := measureContainer(r.Context(), duration, volume)
	if err != nil {
		measured.Error = err.Error()
	}
	writeJSON(w, measured)
}

func serveStream(w http.ResponseWriter, r *http.Request, duration time.Duration) {
	chunk, end := make([]byte, streamChunkBytes), time.Now().Add(duration)
	w.Header().Set("Connection", "close") // The deadline holds for the connection.
	if err := http.NewResponseController(w).SetWriteDeadline(end.Add(time.Second)); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	for time.Now().Before(end) && r.Context().Err() == nil {
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}
