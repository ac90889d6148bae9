// Command metrics writes docs/metrics.md, the page of all metrics, recording rules and alerts. Run it in the
// root of the repository.
package main

import (
	"fmt"
	"os"

	"github.com/benchnet/benchnet/hack/metrics/reference"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "metrics:", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	if len(arguments) != 1 {
		return fmt.Errorf("usage: metrics FILE")
	}
	all, err := reference.Collect(os.DirFS("."))
	if err != nil {
		return err
	}
	file, err := os.Create(arguments[0])
	if err != nil {
		return fmt.Errorf("make the page of metrics: %w", err)
	}
	if err := all.WritePage(file); err != nil {
		file.Close()
		return err
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("write the page of metrics: %w", err)
	}
	return nil
}
