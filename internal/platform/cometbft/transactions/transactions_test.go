package transactions

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// readOrders reads a workload file with the given sections, or valid ones where they are empty.
func readOrders(t *testing.T, targets, operation, load string) (*Workload, error) {
	t.Helper()
	or := func(text, valid string) string {
		if text == "" {
			return valid
		}
		return text
	}
	path := filepath.Join(t.TempDir(), "workload.json")
	text := fmt.Sprintf(`{"targets": %s, "operation": %s, "load": %s, "measure": {"windowSeconds": 10}}`, or(targets, `[{"name": "m", "address": "http://a:26657"}]`),
		or(operation, "{}"), or(load, `{"model": "Open", "ratePerSecond": 100, "clients": 10}`))
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return ReadWorkload(path)
}

func TestReadFillsInDefaults(t *testing.T) {
	for operation, want := range map[string]Operation{
		"":                   {TransactionBytes: 1024, Method: MethodSync, BatchIntervalMillis: 200},
		`{"batchSize": 10}`:  {TransactionBytes: 1024, Method: MethodSync, BatchSize: 10},
		`{"method":"async"}`: {TransactionBytes: 1024, Method: MethodAsync, BatchIntervalMillis: 200},
		`{"transactionBytes": 132, "batchIntervalMillis": 50}`: {TransactionBytes: 132, Method: MethodSync, BatchIntervalMillis: 50},
	} {
		t.Run(operation, func(t *testing.T) {
			if got, err := readOrders(t, "", operation, ""); err != nil || got.Operation != want {
				t.Errorf("%v, operation %+v, want %+v", err, got, want)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	for _, c := range []struct{ want, targets, operation, load string }{
		{want: "targets: empty", targets: "[]"},
		{want: "targets[0].name: empty", targets: `[{"address": "http://a:1"}]`},
		{want: `targets[0].address: "a:1" is not the URL of a node`, targets: `[{"name": "m", "address": "a:1"}]`},
		{want: `targets[0].address: "ws://a:1/websocket" is not`, targets: `[{"name": "m", "address": "ws://a:1/websocket"}]`},
		{want: `targets[0].address: "http://a:1/x" is not`, targets: `[{"name": "m", "address": "http://a:1/x"}]`},
		{want: "operation.transactionBytes: 130; want 132 to 1048576", operation: `{"transactionBytes": 130}`},
		{want: "operation.transactionBytes: 1048578; want", operation: `{"transactionBytes": 1048578}`},
		{want: "operation.transactionBytes: 1025 is odd", operation: `{"transactionBytes": 1025}`},
		{want: `operation.method: "commit"; want sync or async`, operation: `{"method": "commit"}`},
		{want: "operation.batchSize: -1 is negative", operation: `{"batchSize": -1}`},
		{want: "operation.batchIntervalMillis: -1 is negative", operation: `{"batchIntervalMillis": -1}`},
		{want: "load: not set; the cometbft driver needs one", load: "null"},
		{want: `load.model: "Closed"; the cometbft driver supports only Open`, load: `{"model": "Closed"}`},
		{want: "load.ratePerSecond: 0 is not positive", load: `{"model": "Open", "clients": 1}`},
		{want: "load.clients: 0;", load: `{"model": "Open", "ratePerSecond": 1}`},
		{want: "operation.batchSize: 50 transactions every 100 ms to each of 1 targets are 500 a second, but load.ratePerSecond is 100",
			operation: `{"batchSize": 50, "batchIntervalMillis": 100}`},
	} {
		t.Run(c.want, func(t *testing.T) {
			if _, err := readOrders(t, c.targets, c.operation, c.load); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}
