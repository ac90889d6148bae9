package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/internal/subcommand"
)

func callSubcommand(args ...string) (code int, stdout, stderr string) {
	var out, errors bytes.Buffer
	code = program.Run(args, &out, &errors)
	return code, out.String(), errors.String()
}

func TestAccountsArePrintedOrFunded(t *testing.T) {
	dir := t.TempDir()
	seed, path := filepath.Join(dir, "seed"), filepath.Join(dir, "genesis.json")
	for name, content := range map[string]string{seed: "0123456789abcdef", path: `{"config": {"chainId": 1}, "alloc": {}}`} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, printed, _ := callSubcommand("accounts", "--seed-file", seed, "--count", "2")
	addresses := strings.Fields(printed)
	if code != 0 || len(addresses) != 2 || addresses[0] != "0xF568DEFcA8Fd5251C3EAef7FAbC66624fAA73A1c" {
		t.Fatalf("exit %d, printed %q", code, printed)
	}
	code, _, stderr := callSubcommand("accounts", "--seed-file", seed, "--count", "2", "--fund", path, "--balance", "7", "--gas-limit", "256", "--chain-id", "9")
	text, err := os.ReadFile(path)
	if err != nil || code != 0 {
		t.Fatalf("exit %d, %s, %v", code, stderr, err)
	}
	for _, want := range append(addresses, `"0x6124fee993bc0000"`, `"chainId": 9`, `"gasLimit": "0x100"`) {
		if !strings.Contains(string(text), want) {
			t.Errorf("the genesis lacks %s: %s", want, text)
		}
	}
}

// TestFundingIntoAnotherFile checks that the source genesis stays unchanged: a genesis step may only read the
// output of an earlier one.
func TestFundingIntoAnotherFile(t *testing.T) {
	dir := t.TempDir()
	seed, from, to := filepath.Join(dir, "seed"), filepath.Join(dir, "genesis.json"), filepath.Join(dir, "network", "genesis.json")
	const unfunded = `{"config": {"chainId": 1}, "alloc": {}}`
	for name, content := range map[string]string{seed: "0123456789abcdef", from: unfunded} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if code, _, stderr := callSubcommand("accounts", "--seed-file", seed, "--count", "1", "--fund", from, "--out", to); code != 0 {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	if text, err := os.ReadFile(from); err != nil || string(text) != unfunded {
		t.Errorf("the genesis that was read is now %q, %v", text, err)
	}
	if text, err := os.ReadFile(to); err != nil || !strings.Contains(string(text), "0xF568DEFcA8Fd5251C3EAef7FAbC66624fAA73A1c") {
		t.Errorf("the funded genesis is %q, %v", text, err)
	}
}

func TestKeys(t *testing.T) {
	dir := t.TempDir()
	if code, _, stderr := callSubcommand("keys", "--count", "2", "--out", dir, "--address", "node-{i}.net:30303"); code != 0 {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	peers, err := os.ReadFile(filepath.Join(dir, "0", "peers"))
	if err != nil || !strings.HasSuffix(string(peers), "@node-1.net:30303") {
		t.Errorf("peers %q, %v", peers, err)
	}
}

func TestUsageErrors(t *testing.T) {
	for want, args := range map[string][]string{
		"evm: load on Ethereum nodes":                {},
		`no command "fly"`:                           {"fly"},
		"evm accounts: --seed-file must be given":    {"accounts"},
		"evm accounts: --count 0; want 1 to 100000":  {"accounts", "--seed-file", "s", "--count", "0"},
		"evm keys: --count 0; want at least 1":       {"keys", "--out", "d"},
		"evm keys: --out must be given":              {"keys", "--count", "1"},
		`evm keys: "more" is not understood`:         {"keys", "--count", "1", "more"},
		"flag provided but not defined: -unheard-of": {"keys", "--unheard-of"},
	} {
		if code, _, stderr := callSubcommand(args...); code != subcommand.ExitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit %d, said %q; want %q", args, code, stderr, want)
		}
	}
	if code, _, stderr := callSubcommand("accounts", "--seed-file", "/no/seed"); code != 1 || !strings.Contains(stderr, "read seed") {
		t.Errorf("exit %d, said %q", code, stderr)
	}
}

func TestGenesisIsWritten(t *testing.T) {
	dir := t.TempDir()
	seed, out := filepath.Join(dir, "seed"), filepath.Join(dir, "network", "genesis.json")
	if err := os.WriteFile(seed, []byte("0123456789abcdef"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := callSubcommand("genesis", "--seed-file", seed, "--accounts", "1", "--chain-id", "9", "--gas-limit", "30000000", "--out", out)
	text, err := os.ReadFile(out)
	if err != nil || code != 0 {
		t.Fatalf("exit %d, %s, %v", code, stderr, err)
	}
	for _, want := range []string{`"osakaTime": 0`, `"chainId": 9`, `"gasLimit": "0x1c9c380"`, "0xF568DEFcA8Fd5251C3EAef7FAbC66624fAA73A1c"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the genesis lacks %s: %s", want, text)
		}
	}
}

func TestGenesisRefusesArguments(t *testing.T) {
	out := filepath.Join(t.TempDir(), "genesis.json")
	for want, arguments := range map[string][]string{
		"--seed-file must be given":                                         nil,
		"--accounts 0; want 1 to 100000":                                    {"--seed-file", "seed", "--accounts", "0"},
		"--accounts 100001; want 1 to 100000":                               {"--seed-file", "seed", "--accounts", "100001"},
		"--gas-limit 4999; want 5000 to 9223372036854775807":                {"--seed-file", "seed", "--gas-limit", "4999"},
		"--gas-limit 9223372036854775808; want 5000 to 9223372036854775807": {"--seed-file", "seed", "--gas-limit", "9223372036854775808"},
		"--chain-id 0; want at least 1":                                     {"--seed-file", "seed", "--chain-id", "0"},
	} {
		t.Run(want, func(t *testing.T) {
			code, _, stderr := callSubcommand(append([]string{"genesis", "--out", out}, arguments...)...)
			if code != 2 || !strings.Contains(stderr, want) {
				t.Errorf("exit %d, %q", code, stderr)
			}
			if _, err := os.Stat(out); err == nil {
				t.Error("a genesis was written")
			}
		})
	}
}
