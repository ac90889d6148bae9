// Command sink serves a JSON-RPC endpoint that accepts every transaction, to measure senders. It prints the
// number of accepted transactions after each block, and the total when it stops.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os/signal"
	"syscall"
	"time"

	"github.com/benchnet/benchnet/drivers/evm/internal/testchain"
)

func main() {
	address := flag.String("listen", "127.0.0.1:8545", "address to serve")
	chainID := flag.Uint64("chain-id", 12345, "chain id")
	every := flag.Duration("block-time", time.Second, "time between blocks")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	err := serveChain(ctx, *address, testchain.NewSink(*chainID), *every)
	stop()
	if err != nil {
		log.Fatal(err)
	}
}

func serveChain(ctx context.Context, address string, chain *testchain.Sink, every time.Duration) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	server := &http.Server{Handler: chain, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		<-ctx.Done()
		_ = server.Close()
	}()
	go func() {
		for last := int64(0); ; {
			time.Sleep(every)
			chain.SealBlock()
			taken := chain.AcceptedCount()
			fmt.Printf("%d\t%d\n", time.Now().Unix(), taken-last)
			last = taken
		}
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	fmt.Printf("total\t%d\n", chain.AcceptedCount())
	return nil
}
