package observe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// responder answers one request to the member.
type responder func(w http.ResponseWriter, from string)

// newMemberStream returns a stream of a member that gives the answers in order and repeats the last one.
func newMemberStream(t *testing.T, answers ...responder) *BlockStream {
	t.Helper()
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := min(int(requests.Add(1)), len(answers))
		answers[n-1](w, r.URL.Query().Get("from"))
	}))
	t.Cleanup(server.Close)
	return &BlockStream{URL: server.URL + "/blocks"}
}

// respondWithBlocks returns a responder that expects the parameter from, sends blocks of the given heights and closes.
func respondWithBlocks(t *testing.T, from string, heights ...int64) responder {
	return func(w http.ResponseWriter, got string) {
		if got != from {
			t.Errorf("blocks requested from %q, want %q", got, from)
		}
		for _, h := range heights {
			fmt.Fprintf(w, `{"height":%d,"timeMillis":1790000000000.125,"bytes":3,"transactions":2,"round":1,"proposer":"ab"}`+"\n", h)
		}
	}
}

func respondWithError(status int, text string) responder {
	return func(w http.ResponseWriter, _ string) { http.Error(w, text, status) }
}

// collectHeights collects heights until the stream fails or the wanted number is reached.
func collectHeights(t *testing.T, s *BlockStream, wanted int) ([]int64, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var heights []int64
	err := s.Follow(ctx, func(b Block) {
		if b.TimeMillis != 1790000000000.125 || b.unixMicros() != 1790000000000125 || b.Bytes != 3 || b.Transactions != 2 || b.Round != 1 || b.Proposer != "ab" {
			t.Errorf("got %+v", b)
		}
		if heights = append(heights, b.Height); len(heights) == wanted {
			cancel()
		}
	})
	return heights, err
}

// TestFollowReconnects breaks connections between blocks, within a line and before an answer, and restarts the
// member. No block is lost or repeated.
func TestFollowReconnects(t *testing.T) {
	cut := func(w http.ResponseWriter, from string) {
		respondWithBlocks(t, "7", 7)(w, from)
		_, _ = io.WriteString(w, `{"height":8,"timeMi`)
	}
	s := newMemberStream(t, respondWithBlocks(t, "", 5, 6), cut, respondWithError(http.StatusServiceUnavailable, "starting"), respondWithBlocks(t, "8", 8, 9))
	heights, err := collectHeights(t, s, 5)
	if !errors.Is(err, context.Canceled) || !slices.Equal(heights, []int64{5, 6, 7, 8, 9}) {
		t.Errorf("got %v, %v", heights, err)
	}
}

func TestLostBlocks(t *testing.T) {
	for name, c := range map[string]struct {
		answers []responder
		want    string
	}{
		"a jump":                 {[]responder{respondWithBlocks(t, "", 5, 8)}, "got height 8, want 6"},
		"a jump on the way":      {[]responder{respondWithBlocks(t, "", 5), respondWithBlocks(t, "6", 9)}, "got height 9, want 6"},
		"reported by the member": {[]responder{respondWithBlocks(t, "", 5), respondWithError(http.StatusGone, "height 6 is gone, the oldest is 40")}, "height 6 is gone, the oldest is 40"},
	} {
		t.Run(name, func(t *testing.T) {
			heights, err := collectHeights(t, newMemberStream(t, c.answers...), 0)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "blocks were lost") || len(heights) != 1 {
				t.Errorf("got %v, %v; want one block and %q", heights, err, c.want)
			}
		})
	}
}

// TestConnectionError checks that an unreachable or invalid member is retried and that the error is known meanwhile.
func TestConnectionError(t *testing.T) {
	for name, c := range map[string]struct {
		answer responder
		want   string
	}{
		"refuses":  {respondWithError(http.StatusNotFound, "no such page"), "404 Not Found: no such page"},
		"closes":   {respondWithBlocks(t, ""), "the member closed the connection"},
		"no block": {func(w http.ResponseWriter, _ string) { fmt.Fprintln(w, `{"height":3}`) }, "height, timeMillis and bytes are required"},
		"no JSON":  {func(w http.ResponseWriter, _ string) { fmt.Fprintln(w, "hello") }, `line "hello": invalid character`},
	} {
		t.Run(name, func(t *testing.T) {
			var requests atomic.Int64
			s := newMemberStream(t, func(w http.ResponseWriter, from string) { requests.Add(1); c.answer(w, from) })
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ended := make(chan error, 1)
			go func() { ended <- s.Follow(ctx, func(b Block) { t.Errorf("got %+v", b) }) }()
			reported := func() bool { err := s.ConnectionError(); return err != nil && strings.Contains(err.Error(), c.want) }
			for limit := time.Now().Add(2 * time.Minute); !(reported() && requests.Load() > 1); time.Sleep(10 * time.Millisecond) {
				if time.Now().After(limit) {
					t.Fatalf("%d requests, connection error %v, want %q", requests.Load(), s.ConnectionError(), c.want)
				}
			}
			cancel()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("ended with %v", err)
			}
		})
	}
}

func TestNoConnectionErrorWhileConnected(t *testing.T) {
	held := func(w http.ResponseWriter, from string) {
		respondWithBlocks(t, "6", 6)(w, from)
		w.(http.Flusher).Flush()
		time.Sleep(300 * time.Millisecond)
	}
	s := newMemberStream(t, respondWithBlocks(t, "", 5), held)
	var problems []error
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	_ = s.Follow(ctx, func(b Block) {
		if problems = append(problems, s.ConnectionError()); b.Height == 6 {
			cancel()
		}
	})
	if len(problems) != 2 || problems[0] != nil || problems[1] != nil {
		t.Errorf("connection errors %v while blocks come", problems)
	}
}
