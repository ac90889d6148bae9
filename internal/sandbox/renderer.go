package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/benchnet/benchnet/internal/database"
)

const (
	// maxChildren that run at the same time. A namespace has one of them at most.
	maxChildren = 2
	// deadline of a child. It may get only a part of a core.
	deadline = 10 * time.Second
	// retryLimit is the time after which a chart that exceeded a limit is rendered again: the machine may have been busy.
	retryLimit = 5 * time.Minute
	// retryFailure is the time after which a chart is rendered again if it could not be loaded or the child could not be started.
	retryFailure = 5 * time.Second
	// maxCached in bytes of answers.
	maxCached = 16 << 20
)

// MaxMemory is what all children use together at most, in bytes.
const MaxMemory = maxChildren * childMemory

// ErrPending reports that the chart is not rendered yet. The caller must try again.
var ErrPending = errors.New("the chart is being rendered")

// Source is a packed chart.
type Source struct {
	// Namespace of the tenant.
	Namespace string
	// Version changes whenever the chart does.
	Version string
	// Load reads the chart of that version.
	Load func(context.Context) ([]byte, error)
}

// Renderer renders charts in child processes and keeps their objects or refusals.
type Renderer struct {
	program string
	now     func() time.Time
	timeout time.Duration
	places  chan struct{}

	mu      sync.Mutex
	answers cache
	// busy are the namespaces with a chart that is being rendered or waits for a place.
	busy map[string]bool
}

// NewRenderer returns a renderer that starts the program of this process as its children. The program must call ServeChild in them.
func NewRenderer(now func() time.Time) (*Renderer, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program of this process: %w", err)
	}
	return &Renderer{program: program, now: now, timeout: deadline, places: make(chan struct{}, maxChildren),
		answers: cache{limit: maxCached}, busy: map[string]bool{}}, nil
}

// Render returns the objects of each instance of the request. It never waits: the error is ErrPending until the chart is rendered.
func (r *Renderer) Render(ctx context.Context, source Source, request database.ChartRequest) ([][]*unstructured.Unstructured, error) {
	key, err := keyOf(source, request)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	found := r.answers.get(key, r.now())
	if found == nil && !r.busy[source.Namespace] {
		r.busy[source.Namespace] = true
		go r.renderInChild(context.WithoutCancel(ctx), key, source, request)
	}
	r.mu.Unlock()
	switch {
	case found == nil:
		return nil, ErrPending
	case found.err != nil:
		return nil, found.err
	}
	return decodeAnswer(found.output)
}

// keyOf identifies what the objects depend on.
func keyOf(source Source, request database.ChartRequest) (string, error) {
	content, err := json.Marshal([]any{source.Namespace, source.Version, request})
	if err != nil {
		return "", fmt.Errorf("encode the chart's values: %w", err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(content)), nil
}

// renderInChild waits for a place, renders the chart in a child, and caches the outcome.
func (r *Renderer) renderInChild(ctx context.Context, key string, source Source, request database.ChartRequest) {
	r.places <- struct{}{}
	outcome := &entry{key: key, namespace: source.Namespace}
	outcome.output, outcome.err = r.runOnce(ctx, source, request)
	<-r.places
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case errors.Is(outcome.err, ErrLimit):
		outcome.expires = r.now().Add(retryLimit)
	case outcome.err != nil:
		outcome.expires = r.now().Add(retryFailure)
	}
	r.answers.put(outcome)
	delete(r.busy, source.Namespace)
}

func (r *Renderer) runOnce(ctx context.Context, source Source, request database.ChartRequest) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*r.timeout)
	defer cancel()
	archive, err := source.Load(ctx)
	if err != nil {
		return nil, err
	}
	return runChild(ctx, r.program, order{Archive: archive, Request: request, Deadline: r.timeout})
}

// decodeAnswer returns the objects, or the refusal as an error.
func decodeAnswer(output []byte) ([][]*unstructured.Unstructured, error) {
	var a answer
	if err := json.Unmarshal(output, &a); err != nil {
		return nil, fmt.Errorf("read the child's answer: %w", err)
	}
	if a.Refusal != "" {
		return nil, errors.New(a.Refusal)
	}
	return a.Objects, nil
}
