package supervise

import "sync"

// tailBytes is how much of the latest output a Tail keeps.
const tailBytes = 16 << 10

// Tail keeps the end of what a command printed on both outputs. Each chunk is copied once, and not parsed.
type Tail struct {
	mutex  sync.Mutex
	output []byte
}

// Write appends a chunk and drops what exceeds the limit. It never fails.
func (t *Tail) Write(chunk []byte) (int, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	kept := chunk[max(0, len(chunk)-tailBytes):]
	if excess := len(t.output) + len(kept) - tailBytes; excess > 0 {
		t.output = append(t.output[:0], t.output[excess:]...)
	}
	t.output = append(t.output, kept...)
	return len(chunk), nil
}

// String returns the end of the output.
func (t *Tail) String() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return string(t.output)
}
