package evm

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/benchnet/benchnet/internal/run/protocol"
)

func readText(t *testing.T, text string) (*Workload, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "workload.json")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return ReadWorkload(path)
}

// completeWorkload returns a minimal valid workload file with changes. A change maps "field.path" to a value,
// or to nil to set the field to null.
func completeWorkload(t *testing.T, changes map[string]any) string {
	t.Helper()
	document := map[string]any{
		"targets":   []any{map[string]any{"name": "member-0", "address": "http://a:8545"}, map[string]any{"name": "member-1", "address": "ws://b:8546"}},
		"operation": map[string]any{"chainId": 5, "seedFile": "/seed"},
		"load":      map[string]any{"model": "Open", "ratePerSecond": 100, "clients": 10},
		"measure":   map[string]any{"warmUpSeconds": 0, "windowSeconds": 10, "drainSeconds": 5},
	}
	for path, value := range changes {
		section, field, nested := strings.Cut(path, ".")
		if !nested {
			document[section] = value
			continue
		}
		document[section].(map[string]any)[field] = value
	}
	text, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestReadFillsInDefaults(t *testing.T) {
	got, err := readText(t, completeWorkload(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	want := Operation{ChainID: 5, SeedFile: "/seed", Accounts: 1000, BatchIntervalMillis: 200, Recipient: DefaultRecipient, ValueWei: "10",
		GasLimit: 21000, SignedAhead: 100000, MaxFeePerGasWei: "1000000000000", MaxPriorityFeePerGasWei: "1000000000"}
	if !reflect.DeepEqual(got.Operation, want) {
		t.Errorf("operation %+v, want %+v", got.Operation, want)
	}
}

func TestReadRefuses(t *testing.T) {
	for want, changes := range map[string]map[string]any{
		"targets: empty":                                                           {"targets": []any{}},
		"targets[0].name: empty":                                                   {"targets": []any{map[string]any{"address": "http://a"}}},
		`targets[0].address: "a:1" is not the URL`:                                 {"targets": []any{map[string]any{"name": "m", "address": "a:1"}}},
		"operation.chainId: not set":                                               {"operation.chainId": 0},
		"operation.seedFile: not set":                                              {"operation.seedFile": ""},
		"operation.accounts: -1; want 1 to":                                        {"operation.accounts": -1},
		"operation.accounts: 100001; want":                                         {"operation.accounts": 100001},
		"operation.batchSize: -1 is negative":                                      {"operation.batchSize": -1},
		"operation.batchIntervalMillis: -5":                                        {"operation.batchIntervalMillis": -5},
		"operation.signedAhead: -1 is neg":                                         {"operation.signedAhead": -1},
		"operation.gasLimit: 20999; a trans":                                       {"operation.gasLimit": 20999},
		`operation.recipient: "0x12" is no`:                                        {"operation.recipient": "0x12"},
		`operation.valueWei: "1.5" is not an am`:                                   {"operation.valueWei": "1.5"},
		`operation.maxFeePerGasWei: "-1" is`:                                       {"operation.maxFeePerGasWei": "-1"},
		"operation.maxPriorityFeePerGasWei: 1000000000 is above maxFeePerGasWei 5": {"operation.maxFeePerGasWei": "5"},
		"operation.heads: 1 URLs for 2 targets":                                    {"operation.heads": []string{"ws://a"}},
		`operation.heads[1]: "http://b" is not a WebSocket URL`:                    {"operation.heads": []string{"ws://a", "http://b"}},
		"load: not set; the evm driver needs one":                                  {"load": nil},
		`load.model: "Closed"; the evm driver supports only Open`:                  {"load.model": "Closed"},
		"load.ratePerSecond: 0 is not positive":                                    {"load.ratePerSecond": 0},
		"load.clients: 0;":                                                         {"load.clients": 0},
		"operation.batchSize: 50 transactions every 100 ms to each of 2 targets are 1000 a second, but load.ratePerSecond is 100; ": {"operation.batchSize": 50, "operation.batchIntervalMillis": 100},
		`operation.mix[0].kind: "Blob" is not a kind`:              {"operation.mix": []any{map[string]any{"kind": "Blob", "weight": 1}}},
		`operation.mix[0].recipients: "All"; want Same`:            {"operation.mix": []any{map[string]any{"kind": "TokenTransfer", "weight": 1, "recipients": "All"}}},
		"operation.mix[0].gas: 21000; want 30000 to 16777216":      {"operation.mix": []any{map[string]any{"kind": "Call", "weight": 1, "gas": 21000}}},
		"operation.mix[0].codeBytes: 24577; want 1 to 24576":       {"operation.mix": []any{map[string]any{"kind": "Deploy", "weight": 1, "codeBytes": 24577}}},
		"operation.mix[0].slots: -1; want 1 to 500":                {"operation.mix": []any{map[string]any{"kind": "Store", "weight": 1, "slots": -1}}},
		"operation.mix[0].gasLimit: 20999; want 21000 to 16777216": {"operation.mix": []any{map[string]any{"kind": "Mint", "weight": 1, "gasLimit": 20999}}},
		"operation.mix: all weights are 0":                         {"operation.mix": []any{map[string]any{"kind": "Mint"}}},
		"measure.windowSeconds: 0 is not positive":                 {"measure.windowSeconds": 0},
		"measure.warmUpSeconds: -1 is negative":                    {"measure.warmUpSeconds": -1},
		"measure.drainSeconds: -1 is negative":                     {"measure.drainSeconds": -1},
	} {
		if _, err := readText(t, completeWorkload(t, changes)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want %q", changes, err, want)
		}
	}
}

// TestLimitsOfAMix compares a mix with large transactions with plain transfers, which also a mix may consist of.
func TestLimitsOfAMix(t *testing.T) {
	for name, c := range map[string]struct {
		mix         []map[string]any
		calls       bool
		gas         uint64
		batch       int
		signedAhead int64
	}{
		"no mix":      {nil, false, 30_000, 5242, 100_000},
		"transfers":   {[]map[string]any{{"kind": "Transfer", "weight": 1}, {"kind": "Deploy", "weight": 0}}, false, 30_000, 5242, 100_000},
		"calls":       {[]map[string]any{{"kind": "Transfer", "weight": 1}, {"kind": "Call", "weight": 1}}, true, 240_000, 5242, 100_000},
		"deployments": {[]map[string]any{{"kind": "Deploy", "weight": 1, "codeBytes": 3600}}, true, 1_007_760, 524, 10_000},
	} {
		t.Run(name, func(t *testing.T) {
			w, err := readText(t, completeWorkload(t, map[string]any{"operation.mix": c.mix, "operation.gasLimit": 30_000}))
			if err != nil {
				t.Fatal(err)
			}
			o := &w.Operation
			if o.HasCalls() != c.calls || o.MaxGasLimit() != c.gas || o.MaxBatch() != c.batch || o.MaxSignedAhead() != c.signedAhead {
				t.Errorf("calls %t, gas limit %d, batch %d, signed ahead %d; want %+v", o.HasCalls(), o.MaxGasLimit(), o.MaxBatch(), o.MaxSignedAhead(), c)
			}
		})
	}
}

func TestMixedKinds(t *testing.T) {
	o := Operation{Mix: []MixEntry{{Kind: KindMint, Weight: 1}, {Kind: KindCall}, {Kind: KindTransfer, Weight: 2}, {Kind: KindMint, Weight: 3}}}
	if got := o.MixedKinds(); !slices.Equal(got, []string{"Mint", "Transfer"}) {
		t.Errorf("kinds %v", got)
	}
}

func TestRateSizeAndIntervalMayAgree(t *testing.T) {
	// The reference workload sends 8000 per second to each of two targets, 1600 every 200 ms.
	if _, err := readText(t, completeWorkload(t, map[string]any{"load.ratePerSecond": 16000, "operation.batchSize": 1600, "operation.batchIntervalMillis": 200})); err != nil {
		t.Error(err)
	}
}

func newWorkload(targets, accounts int, rate float64, size, interval int) *Workload {
	return &Workload{protocol.WorkloadFile[Operation]{Targets: make([]protocol.Target, targets), Load: &protocol.OfferedLoad{RatePerSecond: rate},
		Operation: Operation{Accounts: accounts, BatchSize: size, BatchIntervalMillis: interval}}}
}

func TestSharesCoverTargetsAndAccountsOnce(t *testing.T) {
	for _, c := range []struct{ targets, workers int }{{1, 1}, {4, 1}, {4, 3}, {4, 4}, {2, 3}, {3, 7}, {1, 5}} {
		w := newWorkload(c.targets, 100, 900, 0, 200)
		planned, owners, senders := make([]int64, c.targets), make([]int, 100), 0
		for worker := range c.workers {
			share := w.WorkerSenders(worker, c.workers)
			if len(share) == 0 {
				t.Errorf("%+v: worker %d has no sender", c, worker)
			}
			for _, s := range share {
				senders++
				total, _ := s.BatchTotals(10 * time.Second)
				planned[s.Target] += total
				for _, a := range s.Accounts {
					owners[a]++
				}
			}
		}
		if senders != w.SenderCount(c.workers) {
			t.Errorf("%+v: %d senders, want %d", c, senders, w.SenderCount(c.workers))
		}
		for i, n := range planned {
			if want := int64(9000 / c.targets); n != want {
				t.Errorf("%+v: target %d gets %d in 10 s, want %d", c, i, n, want)
			}
		}
		for a, n := range owners {
			if n != 1 {
				t.Errorf("%+v: account %d has %d senders", c, a, n)
			}
		}
	}
}
