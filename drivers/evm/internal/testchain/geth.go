package testchain

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/benchnet/benchnet/drivers/evm/internal/genesis"
	"github.com/benchnet/benchnet/drivers/evm/internal/transaction"
)

// gethPackage is the package of geth. go.mod pins its version as a tool.
const gethPackage = "github.com/ethereum/go-ethereum/cmd/geth"

// ChainID is the chain ID of the test chain.
const ChainID = 12345

// nodeTimeout bounds how long geth takes to start listening.
const nodeTimeout = 5 * time.Minute

// GethOptions configures a node.
type GethOptions struct {
	// Seed and Accounts define the accounts that the genesis funds.
	Seed     transaction.Seed
	Accounts int
	// Ether is the balance of each account. Default: 1000000.
	Ether string
	// GasLimit is the gas limit of blocks. Default: 1000000000.
	GasLimit uint64
	// Flags are further flags for geth.
	Flags []string
}

// Geth is a running geth that makes a block every second. It is built once from its Go module, and each node has its own genesis and
// chain on the loopback interface.
type Geth struct {
	// HTTP and WebSocket are the URLs of its JSON-RPC.
	HTTP, WebSocket string
	arguments       []string
	command         *exec.Cmd
	logPath         string
	ended           chan struct{}
}

// StartGeth runs a node until the test ends.
func StartGeth(t testing.TB, o GethOptions) *Geth {
	t.Helper()
	dir := t.TempDir()
	node, err := prepareNode(buildGeth(t), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		node.Kill()
		if t.Failed() {
			t.Logf("geth said:\n%s", logTail(node.logPath))
		}
	})
	if err := node.Run(); err != nil {
		t.Fatal(err)
	}
	return node
}

// buildGeth builds geth into the cache unless it exists, and returns its path.
func buildGeth(t testing.TB) string {
	t.Helper()
	version, err := exec.Command("go", "list", "-f", "{{.Module.Version}}", gethPackage).Output()
	if err != nil {
		t.Fatalf("find geth's module: %v", err)
	}
	path := filepath.Join(cacheFolder(t), "geth", strings.TrimSpace(string(version)), "geth")
	if _, err := os.Stat(path); err == nil {
		return path
	}
	unlock := lockFolder(t, filepath.Dir(path))
	defer unlock()
	if _, err := os.Stat(path); err == nil {
		return path
	}
	t.Logf("building geth %s (minutes, once)", version)
	fresh := path + ".new"
	if out, err := exec.Command("nice", "go", "build", "-trimpath", "-ldflags=-s -w", "-o", fresh, gethPackage).CombinedOutput(); err != nil {
		t.Fatalf("build geth: %v\n%s", err, out)
	}
	if err := os.Rename(fresh, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// cacheFolder returns the project's cache folder.
func cacheFolder(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv("BENCHNET_CACHE"); dir != "" {
		return dir
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "benchnet")
}

// lockFolder prevents concurrent builds into dir.
func lockFolder(t testing.TB, dir string) (unlock func()) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(dir, ".lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	return func() { f.Close() }
}

// prepareNode creates a chain in dir and the command line of its node.
func prepareNode(geth, dir string, o GethOptions) (*Geth, error) {
	if o.Ether == "" {
		o.Ether = "1000000"
	}
	if o.GasLimit == 0 {
		o.GasLimit = 1_000_000_000
	}
	path, data := filepath.Join(dir, "genesis.json"), filepath.Join(dir, "data")
	change := genesis.Change{Seed: o.Seed, Accounts: o.Accounts, Ether: o.Ether, GasLimit: o.GasLimit, ChainID: ChainID}
	if err := genesis.Write(path, change); err != nil {
		return nil, err
	}
	if out, err := exec.Command(geth, "init", "--datadir", data, path).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("geth init: %w\n%s", err, out)
	}
	ports, err := freePorts(2)
	if err != nil {
		return nil, err
	}
	n := &Geth{HTTP: "http://127.0.0.1:" + ports[0], WebSocket: "ws://127.0.0.1:" + ports[1], logPath: filepath.Join(dir, "log")}
	n.arguments = append([]string{geth, "--verbosity", "2", "--datadir", data, "--dev", "--dev.period", "1", "--ipcdisable", "--nodiscover", "--maxpeers", "0",
		"--http", "--http.port", ports[0], "--http.api", "eth,net,txpool", "--ws", "--ws.port", ports[1], "--ws.api", "eth,net,txpool",
		"--miner.gaslimit", strconv.FormatUint(o.GasLimit, 10), "--txpool.globalslots", "200000", "--txpool.accountslots", "2000",
		"--txpool.globalqueue", "200000", "--txpool.accountqueue", "2000"}, o.Flags...)
	return n, nil
}

// Run starts the node, also again after Kill or Stop, and waits until it listens.
func (n *Geth) Run() error {
	log, err := os.OpenFile(n.logPath, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	n.command = exec.Command(n.arguments[0], n.arguments[1:]...)
	n.command.Stdout, n.command.Stderr = log, log
	n.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := n.command.Start(); err != nil {
		return fmt.Errorf("start geth: %w", err)
	}
	ended := make(chan struct{})
	n.ended = ended
	go func(c *exec.Cmd) {
		_ = c.Wait()
		close(ended)
	}(n.command)
	return n.awaitListening()
}

func (n *Geth) awaitListening() error {
	ctx, cancel := context.WithTimeout(context.Background(), nodeTimeout)
	defer cancel()
	for {
		if isListening(ctx, n.HTTP) && isListening(ctx, n.WebSocket) {
			return nil
		}
		select {
		case <-n.ended:
			return fmt.Errorf("geth ended:\n%s", logTail(n.logPath))
		case <-ctx.Done():
			return fmt.Errorf("geth does not answer:\n%s", logTail(n.logPath))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func isListening(ctx context.Context, url string) bool {
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", url[strings.LastIndex(url, "/")+1:])
	if err != nil {
		return false
	}
	return c.Close() == nil
}

// Kill kills the node, as in a crash.
func (n *Geth) Kill() {
	if n.command == nil {
		return
	}
	if err := n.command.Process.Kill(); err == nil || errors.Is(err, os.ErrProcessDone) {
		<-n.ended
	}
	n.command = nil
}

// Stop stops the node gracefully. The node keeps its chain, and its pool only if geth's flags persist it.
func (n *Geth) Stop() error {
	if err := n.command.Process.Signal(syscall.SIGINT); err != nil {
		return fmt.Errorf("stop geth: %w", err)
	}
	<-n.ended
	n.command = nil
	return nil
}

// PID returns the process ID of the running node.
func (n *Geth) PID() int { return n.command.Process.Pid }

func freePorts(n int) ([]string, error) {
	var ports []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		_, port, err := net.SplitHostPort(l.Addr().String())
		if err != nil {
			return nil, err
		}
		ports = append(ports, port)
	}
	return ports, nil
}

// logTail returns the end of a log.
func logTail(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-6000):])
}
