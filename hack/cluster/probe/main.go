// Command probe runs in the pods of `hack/cluster/check`. Its subcommands serve and request HTTP, resolve
// names, store files and burn CPU, and print the outcome.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"
)

// requestTimeout bounds every network request.
const requestTimeout = 5 * time.Second

// actions are the subcommands, each with its one argument.
var actions = map[string]func(argument string) error{
	"serve":   serveHostName,
	"get":     printResponse,
	"resolve": printAddresses,
	"write":   storeInput,
	"read":    printFile,
	"burn":    burnCPU,
}

func main() {
	if len(os.Args) != 3 || actions[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: probe serve ADDRESS | get URL | resolve NAME | write FILE | read FILE | burn DURATION")
		os.Exit(2)
	}
	if err := actions[os.Args[1]](os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "probe:", err)
		os.Exit(1)
	}
}

// serveHostName answers every request with the name of the host, or for the path /client with the address of the client.
// It logs that it started.
func serveHostName(address string) error {
	host, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("read host name: %w", err)
	}
	fmt.Println("serving as", host)
	http.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, host) })
	http.HandleFunc("/client", writeClientAddress)
	return http.ListenAndServe(address, nil)
}

func writeClientAddress(w http.ResponseWriter, request *http.Request) {
	host, _, err := net.SplitHostPort(request.RemoteAddr)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	fmt.Fprintln(w, host)
}

func printResponse(url string) error {
	client := http.Client{Timeout: requestTimeout}
	response, err := client.Get(url)
	if err != nil {
		return fmt.Errorf("get %s: %w", url, err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(os.Stdout, response.Body); err != nil {
		return fmt.Errorf("read answer of %s: %w", url, err)
	}
	return nil
}

// printAddresses prints the addresses, or `no such name` if the server says so. A timeout is an error.
func printAddresses(name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), requestTimeout)
	defer cancel()
	addresses, err := net.DefaultResolver.LookupHost(ctx, name)
	var failure *net.DNSError
	if errors.As(err, &failure) && failure.IsNotFound {
		fmt.Println("no such name")
		return nil
	}
	if err != nil {
		return fmt.Errorf("resolve %s: %w", name, err)
	}
	fmt.Println(strings.Join(addresses, " "))
	return nil
}

// storeInput writes its standard input to a file.
func storeInput(file string) error {
	content, err := io.ReadAll(os.Stdin)
	if err != nil {
		return fmt.Errorf("read input: %w", err)
	}
	return os.WriteFile(file, content, 0o600)
}

func printFile(file string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(content)
	return err
}

// burnCPU keeps one core busy for the duration and prints the CPU time that it used, in milliseconds.
func burnCPU(duration string) error {
	length, err := time.ParseDuration(duration)
	if err != nil {
		return fmt.Errorf("parse duration: %w", err)
	}
	for end := time.Now().Add(length); time.Now().Before(end); {
	}
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return fmt.Errorf("read CPU time: %w", err)
	}
	fmt.Println((time.Duration(usage.Utime.Nano() + usage.Stime.Nano())).Milliseconds())
	return nil
}
