package chart

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

	"github.com/benchnet/benchnet/internal/network/database"
)

const (
	// maxChildren is how many children run at the same time. A namespace has at most one of them.
	maxChildren = 2
	// renderTimeout is the time limit of a child. It allows for a child that gets only part of a core.
	renderTimeout = 10 * time.Second
	// retryAfterLimit is when a chart that exceeded a limit is rendered again: the node may have been busy.
	retryAfterLimit = 5 * time.Minute
	// retryAfterFailure is when a rendering is retried if the chart could not be loaded or the child could not
	// be started.
	retryAfterFailure = 5 * time.Second
	// maxCachedBytes bounds the cached responses.
	maxCachedBytes = 16 << 20
)

// MaxChildMemory is the most memory that all children use together, in bytes.
const MaxChildMemory = maxChildren * childMemory

// ErrPending reports that the chart is not rendered yet. The caller must try again.
var ErrPending = errors.New("the chart is being rendered")

// Source is a packed chart.
type Source struct {
	// Namespace is the namespace of the tenant.
	Namespace string
	// Version changes whenever the chart does.
	Version string
	// Load reads the chart of that version.
	Load func(context.Context) ([]byte, error)
}

// Renderer renders charts in child processes and caches their objects or refusals.
type Renderer struct {
	program string
	now     func() time.Time
	timeout time.Duration
	slots   chan struct{}

	mu       sync.Mutex
	outcomes outcomeCache
	// renderingNamespaces are the namespaces with a chart that is being rendered or waits for a slot.
	renderingNamespaces map[string]bool
}

// NewRenderer returns a renderer with this process's executable as its child program. The executable must call
// ServeChild in a child.
func NewRenderer(now func() time.Time) (*Renderer, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the executable of this process: %w", err)
	}
	return &Renderer{program: program, now: now, timeout: renderTimeout, slots: make(chan struct{}, maxChildren),
		outcomes: outcomeCache{limit: maxCachedBytes}, renderingNamespaces: map[string]bool{}}, nil
}

// Render returns the objects of each instance of the request. It does not block: it returns ErrPending until
// the chart is rendered.
func (r *Renderer) Render(ctx context.Context, source Source, request database.RenderRequest) ([][]*unstructured.Unstructured, error) {
	key, err := cacheKey(source, request)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	found := r.outcomes.getEntry(key, r.now())
	if found == nil && !r.renderingNamespaces[source.Namespace] {
		r.renderingNamespaces[source.Namespace] = true
		go r.renderInChild(context.WithoutCancel(ctx), key, source, request)
	}
	r.mu.Unlock()
	switch {
	case found == nil:
		return nil, ErrPending
	case found.err != nil:
		return nil, found.err
	}
	return decodeResponse(found.output)
}

// cacheKey returns a hash of everything on which the objects depend.
func cacheKey(source Source, request database.RenderRequest) (string, error) {
	content, err := json.Marshal([]any{source.Namespace, source.Version, request})
	if err != nil {
		return "", fmt.Errorf("encode the chart's values: %w", err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(content)), nil
}

// renderInChild waits for a slot, renders the chart in a child, and caches the outcome.
func (r *Renderer) renderInChild(ctx context.Context, key string, source Source, request database.RenderRequest) {
	r.slots <- struct{}{}
	outcome := &cacheEntry{key: key, namespace: source.Namespace}
	outcome.output, outcome.err = r.loadAndRender(ctx, source, request)
	<-r.slots
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case errors.Is(outcome.err, ErrLimitExceeded):
		outcome.expires = r.now().Add(retryAfterLimit)
	case outcome.err != nil:
		outcome.expires = r.now().Add(retryAfterFailure)
	}
	r.outcomes.putEntry(outcome)
	delete(r.renderingNamespaces, source.Namespace)
}

func (r *Renderer) loadAndRender(ctx context.Context, source Source, request database.RenderRequest) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*r.timeout)
	defer cancel()
	archive, err := source.Load(ctx)
	if err != nil {
		return nil, err
	}
	return runChild(ctx, r.program, childRequest{Archive: archive, Request: request, Deadline: r.timeout})
}

// decodeResponse returns the objects, or the refusal as an error.
func decodeResponse(output []byte) ([][]*unstructured.Unstructured, error) {
	var a childResponse
	if err := json.Unmarshal(output, &a); err != nil {
		return nil, fmt.Errorf("read the child's response: %w", err)
	}
	if a.Refusal != "" {
		return nil, errors.New(a.Refusal)
	}
	return a.Objects, nil
}
