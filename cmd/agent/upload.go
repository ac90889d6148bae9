package main

import (
	"context"
	"flag"
	"io"
	"os"

	"github.com/benchnet/benchnet/internal/agent/delivery"
	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/subcommand"
)

func newUploadCommand(flags *flag.FlagSet) subcommand.Action {
	to := delivery.Bucket{AccessKeyID: os.Getenv(protocol.AccessKeyIDVariable), SecretAccessKey: os.Getenv(protocol.SecretAccessKeyVariable),
		Authorities: os.Getenv(protocol.AuthoritiesVariable)}
	flags.StringVar(&to.Endpoint, "endpoint", "", "`URL` of the server")
	flags.StringVar(&to.Region, "region", "", "`name` of the region")
	flags.StringVar(&to.Name, "bucket", "", "`name` of the bucket")
	flags.StringVar(&to.Prefix, "prefix", "", "`text` before the names of the files")
	return func(ctx context.Context, folders []string, _ io.Writer) (int, error) {
		if err := subcommand.RequireFlags("endpoint", to.Endpoint, "bucket", to.Name); err != nil {
			return 0, err
		}
		return 0, delivery.UploadFolders(ctx, to, folders)
	}
}
