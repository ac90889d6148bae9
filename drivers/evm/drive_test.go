package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/benchnet/benchnet/drivers/evm/internal/testchain"
	"github.com/benchnet/benchnet/drivers/internal/drivertest"
)

const testSeed = "the seed of the driver's end-to-end tests"

// driverPath is the path of the driver binary, which is built once.
var driverPath string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "evm-driver")
	if err != nil {
		panic(err)
	}
	driverPath = filepath.Join(dir, "evm")
	if out, err := exec.Command("go", "build", "-o", driverPath, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the driver: %v\n%s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// startDriver starts the worker with the given index and workload file. It adds the seed file unless the
// orders name one.
func startDriver(t *testing.T, index, workers int, orders map[string]any) *drivertest.Process {
	t.Helper()
	dir := t.TempDir()
	seed := filepath.Join(dir, "seed")
	if err := os.WriteFile(seed, []byte(testSeed+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	operation := orders["operation"].(map[string]any)
	if operation["seedFile"] == nil {
		operation["seedFile"] = seed
	}
	return drivertest.Start(t, driverPath, dir, index, workers, orders)
}

// newOrders returns the workload file for the targets. The rate is the total over all of them.
func newOrders(rate float64, warmUp, window, drain int, operation map[string]any, addresses ...string) map[string]any {
	var targets []map[string]string
	for i, address := range addresses {
		targets = append(targets, map[string]string{"name": fmt.Sprintf("member-%d", i), "address": address})
	}
	all := map[string]any{"chainId": testchain.ChainID, "accounts": 100}
	for name, value := range operation {
		all[name] = value
	}
	return map[string]any{"targets": targets, "operation": all, "reference": "test",
		"load":    map[string]any{"model": "Open", "clients": 16, "ratePerSecond": rate},
		"measure": map[string]any{"warmUpSeconds": warmUp, "windowSeconds": window, "drainSeconds": drain}}
}

func startGeth(t *testing.T, flags ...string) *testchain.Geth {
	return testchain.StartGeth(t, testchain.GethOptions{Seed: []byte(testSeed), Accounts: 100, Flags: flags})
}
