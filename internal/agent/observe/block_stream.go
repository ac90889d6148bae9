package observe

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/benchnet/benchnet/internal/httpclient"
)

const (
	// retryInterval is the pause before a reconnect.
	retryInterval = 200 * time.Millisecond
	// silenceTimeout is how long a connection may be silent before it is replaced, because it may have broken
	// unnoticed. A network that decides blocks less often only causes a reconnect per timeout.
	silenceTimeout = 15 * time.Second
	dialTimeout    = 3 * time.Second
	// maxExcerptBytes bounds the part of a response that an error quotes.
	maxExcerptBytes = 200
)

// Block is one line of the stream.
type Block struct {
	Height int64 `json:"height"`
	// TimeMillis is the time of the decision by the member's clock, in Unix milliseconds with three decimals.
	TimeMillis float64 `json:"timeMillis"`
	// IntervalMicros is the time since the member's previous decision by its monotonic clock, which is never set. It is
	// 0 if the member does not know it.
	IntervalMicros int64 `json:"intervalMicros"`
	// ConsensusMicros is the time from the start of the height to the decision by the same clock. It is 0 if the member does not
	// know it.
	ConsensusMicros int64  `json:"consensusMicros"`
	Bytes           int64  `json:"bytes"`
	Transactions    int64  `json:"transactions"`
	Round           int32  `json:"round"`
	Proposer        string `json:"proposer"`
	// Synced means that the member took no part in the decision and got the block from a peer. TimeMillis is
	// then not the time of the decision.
	Synced bool `json:"synced"`
}

// unixMicros returns the time of the decision in Unix microseconds.
func (b Block) unixMicros() int64 { return int64(math.Round(b.TimeMillis * 1000)) }

// intervalSince returns the time between the decisions of the previous block and b. It uses the timestamps only if the
// member does not know the interval, because a step of the member's clock would enter it.
func (b Block) intervalSince(previous *Block) time.Duration {
	micros := b.unixMicros() - previous.unixMicros()
	if b.IntervalMicros > 0 {
		micros = b.IntervalMicros
	}
	return time.Duration(micros) * time.Microsecond
}

// errBlocksLost means that the stream cannot continue without a gap.
var errBlocksLost = errors.New("blocks were lost")

// BlockStream follows the blocks that a member decides. The member serves them at a URL, one JSON object per line, on a connection
// that stays open. With "?from=<height>" the stream starts at that height, without it at the next block.
type BlockStream struct {
	URL string

	client *http.Client
	lock   sync.Mutex
	// connectionErr is the reason why the stream is disconnected; nil while it is connected.
	connectionErr error
}

// ConnectionError returns the reason why the stream is disconnected, or nil while it is connected.
func (s *BlockStream) ConnectionError() error {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.connectionErr
}

func (s *BlockStream) setConnectionError(err error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	switch {
	case err != nil && s.connectionErr == nil:
		slog.Warn("connection to the block stream lost, retrying", "url", s.URL, "err", err)
	case err == nil && s.connectionErr != nil:
		slog.Info("connected to the block stream", "url", s.URL)
	}
	s.connectionErr = err
}

// Follow calls see for each block by height and without a gap, starting with the next block. It reconnects at
// the next expected height. It returns when ctx ends, or with an error when a height is no longer available.
func (s *BlockStream) Follow(ctx context.Context, see func(Block)) error {
	// Members are reached directly, ignoring the proxies of the environment.
	transport := &http.Transport{ResponseHeaderTimeout: silenceTimeout, DialContext: (&net.Dialer{Timeout: dialTimeout}).DialContext}
	s.client = &http.Client{Transport: transport, CheckRedirect: httpclient.RefuseRedirects}
	defer s.client.CloseIdleConnections()
	due := int64(-1)
	for {
		err := s.readConnection(ctx, due, func(b Block) error {
			if due >= 0 && b.Height != due {
				return fmt.Errorf("stream %s: %w: got height %d, want %d", s.URL, errBlocksLost, b.Height, due)
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
		if SleepUntil(ctx, time.Now().Add(retryInterval)) != nil {
			return ctx.Err()
		}
	}
}

// readConnection reads one connection. It returns nil if the connection was silent for silenceTimeout or ctx ended.
func (s *BlockStream) readConnection(ctx context.Context, from int64, see func(Block) error) error {
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

// openConnection requests the stream. It returns errBlocksLost if the member no longer has height from.
func (s *BlockStream) openConnection(ctx context.Context, from int64) (*http.Response, error) {
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

// parseBlock parses a line and checks the fields that the measurement needs.
func parseBlock(line []byte) (Block, error) {
	var b Block
	if err := json.Unmarshal(line, &b); err != nil {
		return b, fmt.Errorf("line %.*q: %w", maxExcerptBytes, line, err)
	}
	if b.Height < 0 || b.TimeMillis <= 0 || min(b.Bytes, b.IntervalMicros, b.ConsensusMicros) < 0 {
		return b, fmt.Errorf("line %.*q: height, timeMillis and bytes are required", maxExcerptBytes, line)
	}
	return b, nil
}
