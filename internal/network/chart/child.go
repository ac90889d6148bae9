package chart

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"golang.org/x/sys/unix"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/benchnet/benchnet/internal/kube/limits"
	"github.com/benchnet/benchnet/internal/network/database"
)

// ChildCommand is the argument with which this binary becomes a child that renders one chart.
const ChildCommand = "render-chart"

const (
	// memoryLimit is how much the child's private memory may grow while it renders.
	memoryLimit = 64 << 20
	// addressLimit is how much the address space may grow. Go's runtime reserves it in units of 64 MiB, and the
	// kernel counts memory that was reserved before against memoryLimit only at the next reservation. This
	// limit therefore bounds a single large allocation.
	addressLimit = 80 << 20
	// childMemory is the measured memory of a child at its limits. The program itself takes 40 MiB of it.
	childMemory = 110 << 20
	// gcMemoryLimit is the heap size from which the child collects garbage more eagerly.
	gcMemoryLimit = 48 << 20
	// stackLimit bounds recursive templates. A growing stack is copied to one of twice the size: with a limit
	// of half of memoryLimit, the copies would reach memoryLimit first.
	stackLimit = 16 << 20
	// maxErrorLength is the maximum length of a refusal in bytes.
	maxErrorLength = 4096
)

type childRequest struct {
	Archive []byte
	Request database.RenderRequest
	// Deadline is when the child exits by itself, in case its parent can no longer kill it.
	Deadline time.Duration
}

// childResponse is the output of a child: the objects by instance, or why the chart is refused.
type childResponse struct {
	Objects [][]*unstructured.Unstructured `json:"objects,omitempty"`
	Refusal string                         `json:"refusal,omitempty"`
}

// IsChild reports whether this process was started to render a chart. If so, its main function must call ServeChild.
func IsChild() bool { return len(os.Args) == 2 && os.Args[1] == ChildCommand }

// ServeChild reads a request from standard input, renders the chart, writes the response to standard output and
// returns the exit code.
func ServeChild() int {
	var o childRequest
	if err := json.NewDecoder(os.Stdin).Decode(&o); err != nil {
		return exitWithError("read the request: %w", err)
	}
	// The timer comes before the limits: the runtime opens its poller with the first timer.
	time.AfterFunc(o.Deadline, func() { os.Exit(1) })
	if err := restrictProcess(); err != nil {
		return exitWithError("limit the process: %w", err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(renderRecovering(o)); err != nil {
		return exitWithError("write the response: %w", err)
	}
	return 0
}

func exitWithError(format string, err error) int {
	_, _ = fmt.Fprintln(os.Stderr, fmt.Errorf(format, err))
	return 1
}

// renderRecovering renders a chart. It turns panics of the libraries that read charts into refusals.
func renderRecovering(o childRequest) (a childResponse) {
	defer func() {
		if r := recover(); r != nil {
			a = childResponse{Refusal: limits.Truncate(fmt.Sprintf("the chart cannot be rendered: %v", r), maxErrorLength)}
		}
	}()
	objects, err := database.RenderChart(o.Archive, o.Request)
	if err != nil {
		return childResponse{Refusal: limits.Truncate(err.Error(), maxErrorLength)}
	}
	return childResponse{Objects: objects}
}

// restrictProcess limits the memory of this process, and prevents it from opening files and connections and
// from writing core dumps.
func restrictProcess() error {
	runtime.GOMAXPROCS(1)
	debug.SetMemoryLimit(gcMemoryLimit)
	debug.SetMaxStack(stackLimit)
	address, data, err := memorySizes()
	if err != nil {
		return err
	}
	for resource, limit := range map[int]uint64{
		unix.RLIMIT_AS: address + addressLimit, unix.RLIMIT_DATA: data + memoryLimit, unix.RLIMIT_NOFILE: 0, unix.RLIMIT_FSIZE: 0, unix.RLIMIT_CORE: 0,
	} {
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
			return fmt.Errorf("set limit %d to %d: %w", resource, limit, err)
		}
	}
	return nil
}

// memorySizes returns the size of the address space and of its private, writable memory, in bytes. RLIMIT_AS
// and RLIMIT_DATA limit these.
func memorySizes() (address, data uint64, err error) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, 0, err
	}
	var pages [6]uint64 // size, resident, shared, text, lib, data
	if _, err := fmt.Sscan(string(text), &pages[0], &pages[1], &pages[2], &pages[3], &pages[4], &pages[5]); err != nil {
		return 0, 0, fmt.Errorf("read /proc/self/statm: %w", err)
	}
	size := uint64(os.Getpagesize())
	return pages[0] * size, pages[5] * size, nil
}
