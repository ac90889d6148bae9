// Package blocks follows the blocks that a member of a network decides, and makes a worker's result of those in its window.
//
// The member serves them at a URL, one JSON object per line as each is decided, on a connection that stays open;
// "?from=<height>" begins there, without it the next one comes first.
package blocks

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// retryInterval is the pause before the stream is asked for again.
	retryInterval = 200 * time.Millisecond
	// silenceTimeout after which a connection is given up for another: it may have died unnoticed. A network that decides less
	// often costs no more than that.
	silenceTimeout = 15 * time.Second
	dialTimeout    = 3 * time.Second
	// maxExcerptBytes of an answer that is quoted in an error, in bytes.
	maxExcerptBytes = 200
)

// Block is a line of the stream.
type Block struct {
	Height int64 `json:"height"`
	// TimeMillis is when the member decided it by its own clock: Unix epoch milliseconds with three decimals.
	TimeMillis   float64 `json:"timeMillis"`
	Bytes        int64   `json:"bytes"`
	Transactions int64   `json:"transactions"`
	Round        int32   `json:"round"`
	Proposer     string  `json:"proposer"`
	// Synced tells that the member did not take part in the decision, but got the block from a peer later: its time is not that of
	// the decision.
	Synced bool `json:"synced"`
}

// unixMicros is the instant in Unix epoch microseconds.
func (b Block) unixMicros() int64 { return int64(math.Round(b.TimeMillis * 1000)) }

// errBlocksLost says that the stream can no longer be followed without a gap.
var errBlocksLost = errors.New("blocks are lost")

// Stream is the stream of one member.
type Stream struct {
	URL string
	// Log is told of connections that break and come back.
	Log func(format string, args ...any)

	client http.Client
	lock   sync.Mutex
	// connectionErr is why the stream is not connected; nil while it is.
	connectionErr error
}

// ConnectionError is why the stream is not connected at the moment; nil if it is.
func (s *Stream) ConnectionError() error {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.connectionErr
}

func (s *Stream) setConnectionError(err error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	switch {
	case err != nil && s.connectionErr == nil:
		s.Log("stream %s: %v; trying again", s.URL, err)
	case err == nil && s.connectionErr != nil:
		s.Log("stream %s: connected", s.URL)
	}
	s.connectionErr = err
}

// Follow hands over the blocks in the order of their heights, without a gap, from the next one on. A connection that breaks
// is made anew from the height that is due. It ends with ctx, or with an error when a height cannot be had any more.
func (s *Stream) Follow(ctx context.Context, see func(Block)) error {
	// Members are reached directly, whatever the environment says of proxies.
	s.client.Transport = &http.Transport{ResponseHeaderTimeout: silenceTimeout, DialContext: (&net.Dialer{Timeout: dialTimeout}).DialContext}
	defer s.client.CloseIdleConnections()
	due := int64(-1)
	for {
		err := s.readConnection(ctx, due, func(b Block) error {
			if due >= 0 && b.Height != due {
				return fmt.Errorf("stream %s: %w: it gives height %d where %d is due", s.URL, errBlocksLost, b.Height, due)
			}
			due = b.Height + 1
			see(b)
			return nil
		})
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, errBlocksLost):
			return err
		case err != nil:
			s.setConnectionError(err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(retryInterval):
		}
	}
}

// readConnection is one connection. It returns nil when the connection was silent for too long.
func (s *Stream) readConnection(ctx context.Context, from int64, see func(Block) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	response, err := s.openConnection(ctx, from)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	s.setConnectionError(nil)
	silent := time.AfterFunc(silenceTimeout, cancel)
	defer silent.Stop()
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		silent.Reset(silenceTimeout)
		b, err := parseBlock(lines.Bytes())
		if err != nil {
			return err
		}
		if err := see(b); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("the connection broke: %w", err)
	}
	return errors.New("the member closed the connection")
}

// openConnection asks for the stream. An answer that says that from is no longer there ends it for good.
func (s *Stream) openConnection(ctx context.Context, from int64) (*http.Response, error) {
	address, err := url.Parse(s.URL)
	if err != nil {
		return nil, fmt.Errorf("parse the URL of the stream: %w", err)
	}
	if from >= 0 {
		query := address.Query()
		query.Set("from", strconv.FormatInt(from, 10))
		address.RawQuery = query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return nil, err
	}
	response, err := s.client.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode == http.StatusOK {
		return response, nil
	}
	defer response.Body.Close()
	excerpt, _ := io.ReadAll(io.LimitReader(response.Body, maxExcerptBytes))
	err = fmt.Errorf("%s answers %s: %s", address, response.Status, strings.TrimSpace(string(excerpt)))
	if response.StatusCode == http.StatusGone {
		err = fmt.Errorf("%w: %w", errBlocksLost, err)
	}
	return nil, err
}

// parseBlock reads a line and checks what the measurement stands on.
func parseBlock(line []byte) (Block, error) {
	var b Block
	if err := json.Unmarshal(line, &b); err != nil {
		return b, fmt.Errorf("line %.*q: %w", maxExcerptBytes, line, err)
	}
	if b.Height < 0 || b.TimeMillis <= 0 || b.Bytes < 0 {
		return b, fmt.Errorf("line %.*q: it needs height, timeMillis and bytes", maxExcerptBytes, line)
	}
	return b, nil
}
