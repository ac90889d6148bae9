package member

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/benchnet/benchnet/drivers/internal/errorkind"
)

// call is one JSON-RPC request.
type call struct {
	Version string `json:"jsonrpc"`
	ID      int    `json:"id"`
	Method  string `json:"method"`
	Params  any    `json:"params,omitempty"`
}

// answer is the response to a call. A response without ID is an error of the whole batch.
type answer struct {
	ID     *int            `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *rpcError       `json:"error"`
}

// rpcError is an error of JSON-RPC. CometBFT explains it in the data.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    string `json:"data"`
}

func (e *rpcError) Error() string {
	if e.Data != "" {
		return e.Data
	}
	return e.Message
}

// codeError is the rejection of a transaction by the application.
type codeError struct {
	Code uint32 `json:"code"`
	Log  string `json:"log"`
}

func (e *codeError) Error() string { return fmt.Sprintf("code %d: %s", e.Code, e.Log) }

// statusError is an HTTP response that is not OK.
type statusError struct {
	status  int
	content []byte
}

func (e *statusError) Error() string { return fmt.Sprintf("HTTP %d: %.200s", e.status, e.content) }

// ErrorKind returns a text that groups errors for counting: the code and the first words of the application's
// rejection, the first words of a JSON-RPC error, the status of an HTTP error, or the name of a network error.
func ErrorKind(err error) string {
	var (
		rejected *codeError
		answered *rpcError
		status   *statusError
	)
	switch {
	case errors.As(err, &rejected):
		return fmt.Sprintf("code %d %s", rejected.Code, errorkind.FirstWords(rejected.Log))
	case errors.As(err, &answered):
		return errorkind.FirstWords(answered.Error())
	case errors.As(err, &status):
		return fmt.Sprintf("HTTP %d", status.status)
	}
	return errorkind.Of(err)
}

// postCalls sends calls as one JSON-RPC batch and returns their answers in the order of the calls.
func (n *Node) postCalls(ctx context.Context, calls []call) ([]answer, error) {
	for i := range calls {
		calls[i].Version, calls[i].ID = "2.0", i
	}
	body, err := json.Marshal(calls)
	if err != nil {
		return nil, fmt.Errorf("encode calls to %s: %w", n.Name, err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, n.Address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := n.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return nil, err
	case response.StatusCode != http.StatusOK:
		return nil, &statusError{response.StatusCode, content}
	}
	return parseAnswers(content, len(calls))
}

// parseAnswers returns the answers to n calls. A node sends a single answer without an array.
func parseAnswers(content []byte, n int) ([]answer, error) {
	if bytes.HasPrefix(content, []byte("{")) {
		content = append(append([]byte("["), content...), ']')
	}
	var answers []answer
	if err := json.Unmarshal(content, &answers); err != nil {
		return nil, fmt.Errorf("not a JSON-RPC response: %w", err)
	}
	ordered := make([]answer, n)
	for i := range ordered {
		ordered[i].Error = &rpcError{Message: "missing in the batch's response"}
	}
	for _, a := range answers {
		switch {
		case a.ID != nil && *a.ID >= 0 && *a.ID < n:
			ordered[*a.ID] = a
		case a.Error != nil:
			return nil, a.Error
		}
	}
	return ordered, nil
}
