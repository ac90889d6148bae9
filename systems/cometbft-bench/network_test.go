package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	cfg "github.com/cometbft/cometbft/config"
	"github.com/cometbft/cometbft/store"
	"github.com/cometbft/cometbft/test/loadtime/payload"
	"github.com/cometbft/cometbft/types"
)

// patience bounds the wait for a condition; it only finds hangs.
const patience = 3 * time.Minute

// runAsProgram makes the test binary behave like the program, so that validators are processes that can be killed.
const runAsProgram = "COMETBFT_BENCH_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(runAsProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// validator is a validator process.
type validator struct {
	t                  *testing.T
	dir                string
	network, http, rpc string
	config             string
	process            *exec.Cmd
	index              int
}

// newNetwork generates a network of validators with voting powers, in which all dial all others, and whose configurations
// end with extra. One peer of validator 0 has a name that does not resolve.
func newNetwork(t *testing.T, powers []int64, extra string) []*validator {
	t.Helper()
	dir := t.TempDir()
	if err := initNetwork(dir, powers); err != nil {
		t.Fatal(err)
	}
	var validators []*validator
	for i := range powers {
		addresses := freeAddresses(t, 4)
		validators = append(validators, &validator{t: t, dir: dir, index: i, network: addresses[0], http: addresses[1], rpc: addresses[2],
			config: filepath.Join(dir, fmt.Sprintf("%d.toml", i))})
		text := minimalConfig(dir, i) + fmt.Sprintf("network.listen = %q\nhttp.listen = %q\nrpc.listen = %q\nmetrics.listen = %q\n",
			addresses[0], addresses[1], addresses[2], addresses[3])
		writeFile(t, validators[i].config, text+extra)
	}
	for i, v := range validators {
		var peers []string
		for j, other := range validators {
			address := other.network
			if i == 0 && j == len(powers)-1 {
				address = "validator.invalid:27000"
			}
			if j != i {
				peers = append(peers, fmt.Sprintf("\"%d@%s\"", j, address))
			}
		}
		text, err := os.ReadFile(v.config)
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, v.config, fmt.Sprintf("network.peers = [%s]\n%s", strings.Join(peers, ","), text))
	}
	return validators
}

func minimalConfig(dir string, index int) string {
	keys := filepath.Join(dir, "validators", fmt.Sprint(index))
	return fmt.Sprintf("moniker = \"validator-%d\"\nkey = %q\nnode_key = %q\ngenesis = %q\nnodes = %q\nhome = %q\n", index,
		keys+"/priv_validator_key.json", keys+"/node_key.json", dir+"/genesis.json", dir+"/nodes.json", filepath.Join(dir, "homes", fmt.Sprint(index)))
}

func freeAddresses(t *testing.T, count int) []string {
	t.Helper()
	var addresses []string
	for range count {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		addresses = append(addresses, l.Addr().String())
	}
	return addresses
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (v *validator) start() {
	v.t.Helper()
	v.process = exec.Command(os.Args[0], "start", "--config", v.config)
	v.process.Env = append(os.Environ(), runAsProgram+"=1")
	v.process.Stderr = os.Stderr
	if err := v.process.Start(); err != nil {
		v.t.Fatal(err)
	}
	process := v.process
	v.t.Cleanup(func() { _ = process.Process.Kill() })
}

func (v *validator) kill() {
	_ = v.process.Process.Kill()
	_ = v.process.Wait()
}

// stop ends the validator with SIGTERM and expects the exit code 0.
func (v *validator) stop() {
	v.t.Helper()
	if err := v.process.Process.Signal(syscall.SIGTERM); err != nil {
		v.t.Fatal(err)
	}
	if err := v.process.Wait(); err != nil {
		v.t.Errorf("validator %d: %v", v.index, err)
	}
}

// follow reads blocks from a height on until enough returns true.
func (v *validator) follow(from int64, enough func(entry) bool) {
	v.t.Helper()
	client := http.Client{Timeout: patience}
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		response, err := client.Get(fmt.Sprintf("http://%s/blocks?from=%d", v.http, from))
		if err != nil {
			continue // The server is not up yet.
		}
		lines := bufio.NewScanner(response.Body)
		for lines.Scan() {
			var e entry
			if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
				v.t.Fatalf("line %q: %v", lines.Text(), err)
			}
			from = e.Height + 1
			if enough(e) {
				response.Body.Close()
				return
			}
		}
		response.Body.Close()
	}
	v.t.Fatalf("validator %d: no such block within %s", v.index, patience)
}

func (v *validator) waitForHeight(height int64) {
	v.t.Helper()
	v.follow(0, func(e entry) bool { return e.Height >= height })
}

// awaitTurn returns the next round in which the validator proposes.
func (v *validator) awaitTurn() turn {
	v.t.Helper()
	response, err := (&http.Client{Timeout: patience}).Get("http://" + v.http + "/turn")
	if err != nil {
		v.t.Fatal(err)
	}
	defer response.Body.Close()
	var next turn
	if err := json.NewDecoder(response.Body).Decode(&next); err != nil {
		v.t.Fatal(err)
	}
	return next
}

func (v *validator) isReady() bool {
	response, err := http.Get("http://" + v.http + "/ready")
	if err != nil {
		return false
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// openStore opens the block store of a stopped validator.
func (v *validator) openStore() *store.BlockStore {
	v.t.Helper()
	engine := cfg.DefaultConfig().SetRoot(filepath.Join(v.dir, "homes", fmt.Sprint(v.index)))
	db, err := cfg.DefaultDBProvider(&cfg.DBContext{ID: "blockstore", Config: engine})
	if err != nil {
		v.t.Fatal(err)
	}
	v.t.Cleanup(func() { _ = db.Close() })
	return store.NewBlockStore(db)
}

const fastGossip = `
consensus.gossip_sleep = "2ms"
consensus.timeout_propose = "300ms"
log.libraries = "error"
`

// TestNetwork kills one of three validators with a tenth of the power, and then the one with seven tenths. It expects blocks of the
// exact size from proposers in proportion to their powers, that the others go on without the first but not without the second, that
// the first catches up, and that all have the same blocks.
func TestNetwork(t *testing.T) {
	validators := newNetwork(t, []int64{70, 10, 10, 10}, fastGossip+"application.block_size = 5000\napplication.transaction_size = 2048\n")
	for _, v := range validators {
		v.start()
	}
	due, laterRounds, proposed := int64(1), 0, map[string]int{}
	validators[0].follow(1, func(e entry) bool {
		timed := e.ConsensusMicros > 0 && (due == 1 || e.ConsensusMicros < e.IntervalMicros)
		if e.Height != due || e.Bytes != 5000 || e.Transactions != 3 || len(e.Proposer) != 40 || (e.IntervalMicros > 0) != (due > 1) || !timed {
			t.Errorf("got %+v, want height %d, 5000 bytes in 3 transactions, a proposer, and an interval but for the first, longer than the consensus", e, due)
		}
		due++
		proposed[e.Proposer]++
		if e.Round > 0 {
			laterRounds++
		}
		return due > 30
	})
	genesis, err := types.GenesisDocFromFile(filepath.Join(validators[0].dir, "genesis.json"))
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range genesis.Validators {
		want := 30 * int(v.Power) / 100
		if got := proposed[strings.ToLower(v.Address.String())]; max(got-want, want-got) > laterRounds {
			t.Errorf("validator %d proposed %d of 30 blocks, want %d; %d took later rounds, each in the turn of another", i, got, want, laterRounds)
		}
	}
	killed := validators[3]
	killed.waitForHeight(30)
	killed.kill()
	var head int64
	validators[0].follow(due, func(e entry) bool { head = e.Height; return e.Height > 80 })

	killed.start()
	synced, first := 0, int64(0)
	killed.follow(1, func(e entry) bool {
		if first == 0 {
			first = e.Height
		}
		if e.Synced {
			synced++
		}
		if e.Synced && e.IntervalMicros+e.ConsensusMicros != 0 {
			t.Errorf("block %d is synced and has times", e.Height)
		}
		return e.Height > head && !e.Synced && e.IntervalMicros > 0
	})
	if first < 30 || synced == 0 {
		t.Errorf("the restarted validator began at height %d and synced %d blocks, want 30 or later and more than 0", first, synced)
	}
	for _, v := range validators {
		v.waitForHeight(head)
		if !v.isReady() {
			t.Errorf("validator %d is not ready after a decision", v.index)
		}
	}
	validators[0].stop()
	time.Sleep(time.Second)
	for _, v := range validators[1:] {
		v.stop()
	}
	want := validators[0].openStore()
	for _, v := range validators[1:] {
		got := v.openStore()
		if got.Height() > want.Height()+1 { // The last may have the votes of validator 0.
			t.Errorf("validator %d decided height %d: validator 0 with seven tenths of the power stopped at %d", v.index, got.Height(), want.Height())
		}
		for h := int64(1); h <= head; h++ {
			if a, b := want.LoadBlockMeta(h), got.LoadBlockMeta(h); a == nil || b == nil || !a.BlockID.Equals(b.BlockID) {
				t.Fatalf("validators 0 and %d differ at height %d", v.index, h)
			}
		}
	}
}

// TestTurns expects a validator to report its turns before their blocks are decided. Slow gossip makes heights of several 100 ms.
func TestTurns(t *testing.T) {
	validators := newNetwork(t, []int64{10, 10, 10, 10}, "application.block_size = 10\nlog.libraries = \"error\"\n")
	for _, v := range validators {
		v.start()
	}
	last := validators[3]
	last.waitForHeight(2)
	for range 3 {
		next := last.awaitTurn()
		read := time.Now()
		last.follow(next.Height, func(e entry) bool {
			if isOwn := e.Proposer == next.Proposer; e.Height != next.Height || e.Round < next.Round || isOwn != (e.Round == next.Round) {
				t.Errorf("the turn %+v led to %+v", next, e)
			}
			if e.TimeMillis < float64(read.UnixMilli()) {
				t.Errorf("the turn %+v was reported after the decision of %+v", next, e)
			}
			return true
		})
	}
	for _, v := range validators {
		v.stop()
	}
}

func TestPruning(t *testing.T) {
	v := newNetwork(t, []int64{defaultPower}, fastGossip+"application.block_size = 10\nstore.heights = 5\n")[0]
	v.start()
	v.waitForHeight(20)
	v.stop()
	blocks := v.openStore()
	if kept := blocks.Height() - blocks.Base() + 1; kept != 5 {
		t.Errorf("%d blocks are kept, want 5", kept)
	}
}

// TestKeyValueStore sends a batch of 500 transactions and expects each in exactly one block, also after a kill.
func TestKeyValueStore(t *testing.T) {
	v := newNetwork(t, []int64{defaultPower}, fastGossip+"application.type = \"kvstore\"\n")[0]
	v.start()
	v.waitForHeight(1)
	if code := v.broadcast("val=change")[0]; code == 0 {
		t.Error("a transaction that changes validators is accepted")
	}
	want := map[string]int{}
	var sent []string
	for i := range 500 {
		sent = append(sent, fmt.Sprintf("a=%d", i))
		want[sent[i]] = 1
	}
	for i, code := range v.broadcast(sent...) {
		if code != 0 {
			t.Errorf("transaction %q is refused with code %d", sent[i], code)
		}
	}
	total := 0
	var last int64
	v.follow(1, func(e entry) bool { total += e.Transactions; last = e.Height; return total >= len(sent) })
	v.kill()
	v.start()
	v.waitForHeight(last + 3)
	v.stop()
	blocks, got := v.openStore(), map[string]int{}
	for h := blocks.Base(); h <= blocks.Height(); h++ {
		for _, tx := range blocks.LoadBlock(h).Txs {
			got[string(tx)]++
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("blocks hold %d different transactions, want each of %d once", len(got), len(want))
	}
}

// TestLoadDriver lets the project's driver send transactions at a constant rate. CometBFT's loadtime must find each of them in the
// chain, and its latencies, up to the votes on a block, must not exceed those of the driver, up to its knowledge of the block.
func TestLoadDriver(t *testing.T) {
	const count, size = 300, 400
	v := newNetwork(t, []int64{defaultPower}, fastGossip+"application.type = \"kvstore\"\n")[0]
	v.start()
	v.waitForHeight(1)
	driver := runDriver(t, fmt.Sprintf(`{"targets": [{"name": "member-0", "address": "http://%s"}], "reference": "test",
		"operation": {"transactionBytes": %d}, "load": {"model": "Open", "clients": 7, "ratePerSecond": 100},
		"measure": {"windowSeconds": 3, "drainSeconds": 120}}`, v.rpc, size))
	if l := driver.result.Ledger; driver.completed != count || len(driver.result.Errors) > 0 || l.Expected != count+1 || l.Recorded != count+1 {
		t.Errorf("%d transactions completed, want %d: %+v", driver.completed, count, driver.result)
	}
	total, last := 0, int64(0)
	v.follow(1, func(e entry) bool { total += e.Transactions; last = e.Height; return total > count })
	v.waitForHeight(last + 2)
	v.stop()
	latencies, ids := readLoadtime(t, v.openStore(), &payload.Payload{Connections: 7, Rate: 100, Size: size})
	if len(latencies) != count+1 || len(ids) != 1 {
		t.Fatalf("%d transactions of %d runs, want %d and the trial of one", len(latencies), len(ids), count)
	}
	var sum time.Duration
	for _, latency := range latencies[1:] {
		if latency < 0 {
			t.Errorf("a latency of %s", latency)
		}
		sum += latency
	}
	// Loadtime's begin when a transaction was sent, those of the driver when it was due.
	lag := time.Duration(driver.result.Schedule.MaxLagMicros) * time.Microsecond
	if mean := sum / count; driver.latency < mean || driver.latency > mean+lag+time.Second {
		t.Errorf("the driver has a mean latency of %s, at most %s of it before sending, and loadtime one of %s", driver.latency, lag, mean)
	}
}

// driverOutcome is what a driver measured.
type driverOutcome struct {
	completed int64
	// latency is the mean of all completed operations.
	latency time.Duration
	result  struct {
		Errors   []any
		Schedule struct{ MaxLagMicros int64 }
		Ledger   struct{ Expected, Recorded int64 }
	}
}

// runDriver runs the driver with a workload file. The load starts one second later.
func runDriver(t *testing.T, workload string) driverOutcome {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "driver")
	build := exec.Command("go", "build", "-o", program, "./drivers/cometbft")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the driver: %v\n%s", err, out)
	}
	writeFile(t, filepath.Join(dir, "workload.json"), workload)
	writeFile(t, filepath.Join(dir, "start"), fmt.Sprintln(time.Now().Add(time.Second).UnixMilli()))
	command := exec.Command(program, "drive")
	command.Env = append(os.Environ(), "BENCHNET_DIR="+dir, "BENCHNET_WORKLOAD="+filepath.Join(dir, "workload.json"))
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("the driver: %v\n%s", err, out)
	}
	var progress struct {
		Totals struct {
			LatencyCounts    []int64
			LatencySumMicros int64
		}
	}
	var o driverOutcome
	readJSON(t, filepath.Join(dir, "progress.json"), &progress)
	readJSON(t, filepath.Join(dir, "result.json"), &o.result)
	for _, n := range progress.Totals.LatencyCounts {
		o.completed += n
	}
	o.latency = time.Duration(progress.Totals.LatencySumMicros/max(1, o.completed)) * time.Microsecond
	return o
}

func readJSON(t *testing.T, path string, content any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, content)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// readLoadtime reads the transactions of a chain as CometBFT's loadtime does, and expects the fields of want in all. It returns their
// latencies up to the time of the next block, which is that of the votes on their block, in the order of the chain, and the IDs of
// their runs.
func readLoadtime(t *testing.T, blocks *store.BlockStore, want *payload.Payload) (latencies []time.Duration, ids map[string]bool) {
	t.Helper()
	ids = map[string]bool{}
	for h := blocks.Base(); h < blocks.Height(); h++ {
		decided := blocks.LoadBlock(h + 1).Time
		for _, tx := range blocks.LoadBlock(h).Txs {
			p, err := payload.FromBytes(tx)
			if err != nil {
				t.Fatalf("transaction %q: %v", tx, err)
			}
			if p.Connections != want.Connections || p.Rate != want.Rate || p.Size != want.Size || len(tx) != int(want.Size) {
				t.Fatalf("a transaction of %d bytes has the payload %+v, want %+v", len(tx), p, want)
			}
			latencies, ids[string(p.Id)] = append(latencies, decided.Sub(p.Time.AsTime())), true
		}
	}
	return latencies, ids
}

// broadcast sends transactions in one batch and returns the code of each.
func (v *validator) broadcast(transactions ...string) []int {
	v.t.Helper()
	var calls []string
	for i, tx := range transactions {
		calls = append(calls, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"broadcast_tx_sync","params":{"tx":%q}}`,
			i, base64.StdEncoding.EncodeToString([]byte(tx))))
	}
	response, err := http.Post("http://"+v.rpc, "application/json", strings.NewReader("["+strings.Join(calls, ",")+"]"))
	if err != nil {
		v.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	if len(transactions) == 1 { // The server answers a batch of one with an object.
		text = []byte("[" + strings.Trim(strings.TrimSpace(string(text)), "[]") + "]")
	}
	var answers []struct{ Result struct{ Code int } }
	if err := json.Unmarshal(text, &answers); err != nil || len(answers) != len(transactions) {
		v.t.Fatalf("%d answers to %d calls, error %v: %.200s", len(answers), len(transactions), err, text)
	}
	var codes []int
	for _, a := range answers {
		codes = append(codes, a.Result.Code)
	}
	return codes
}
