// Command agent is benchnet's helper inside pods. It starts members and load workers as the first process of
// their container, publishes genesis files into Secrets and results into ConfigMaps, and serves its container's
// usage as metrics.
//
// It is one static program and runs in any image: "agent install" copies it to a shared volume.
package main

import (
	"log/slog"
	"os"
	"strings"

	"github.com/benchnet/benchnet/internal/subcommand"
)

var program = subcommand.Program{Name: "agent", Purpose: "benchnet's helper inside pods", Commands: []subcommand.Command{
	{Name: "install", Synopsis: "--to DIR [--renew DIR --epoch ID]",
		Purpose: "copy this program to DIR/agent, and empty a folder from another epoch", DeclareFlags: newInstallCommand},
	{Name: "copy", Synopsis: "--from DIR --to DIR",
		Purpose: "copy the files of a folder, as of a user's image", DeclareFlags: newCopyCommand},
	{Name: "supervise", Synopsis: "[flags] -- COMMAND ARG...",
		Purpose: "run COMMAND as the first process of a container", DeclareFlags: newSuperviseCommand},
	{Name: "check", Synopsis: "[--file FILE [--reason URL]] [--get URL --match REGEXP]",
		Purpose: "exit with 0 if FILE exists and the content at URL matches, for an exec probe", DeclareFlags: newReadinessCommand},
	{Name: "publish", Synopsis: "--namespace NS --secret NAME=DIR... --complete-annotation KEY=VALUE",
		Purpose: "publish files in existing Secrets, all or nothing", DeclareFlags: newPublishCommand},
	{Name: "work", Synopsis: "[--metrics-addr ADDRESS] --namespace NS --barrier NAME --report NAME [--plan FILE.jmx] -- COMMAND ARG... | --stream URL",
		Purpose: "run a load driver as the first process of a worker, or observe a network that makes its own load", DeclareFlags: newWorkerCommand},
	{Name: "emulate", Synopsis: "--config FILE --member NAME --namespace NS --report NAME",
		Purpose: "emulate the latency to the peers of this pod, as its sidecar", DeclareFlags: newEmulateCommand},
	{Name: "upload", Synopsis: "--endpoint URL --bucket NAME [--region NAME] [--prefix TEXT] DIR...",
		Purpose: "copy the files of folders to an S3-compatible server", DeclareFlags: newUploadCommand},
	{Name: "notify", Synopsis: "--url URL --id TEXT FILE",
		Purpose: "send a file to a webhook", DeclareFlags: newNotifyCommand},
	{Name: "ping", Synopsis: "--to HOST:PORT [--count N]",
		Purpose: "print the round trips to a peer in microseconds, measured by connecting", DeclareFlags: newPingCommand},
}}

func main() {
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, nil)))
	os.Exit(program.Run(os.Args[1:], os.Stdout, os.Stderr))
}

// repeatedFlag is a flag that can be given several times.
type repeatedFlag []string

func (v *repeatedFlag) String() string { return strings.Join(*v, " ") }

func (v *repeatedFlag) Set(value string) error {
	*v = append(*v, value)
	return nil
}
