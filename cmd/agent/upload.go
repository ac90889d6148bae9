package main

import (
	"context"
	"flag"
	"io"
	"os"

	"github.com/benchnet/benchnet/internal/agent/upload"
	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/subcommand"
)

func uploadFolders(flags *flag.FlagSet) subcommand.Action {
	to := upload.Target{AccessKeyID: os.Getenv(protocol.AccessKeyIDVariable), SecretAccessKey: os.Getenv(protocol.SecretAccessKeyVariable),
		CA: os.Getenv(protocol.UploadCAVariable)}
	flags.StringVar(&to.Endpoint, "endpoint", "", "`URL` of the server")
	flags.StringVar(&to.Region, "region", "", "`name` of the region")
	flags.StringVar(&to.Bucket, "bucket", "", "`name` of the bucket")
	flags.StringVar(&to.Prefix, "prefix", "", "`text` before the names of the files")
	return func(ctx context.Context, folders []string, _ io.Writer) (int, error) {
		if err := subcommand.RequireFlags("endpoint", to.Endpoint, "bucket", to.Bucket); err != nil {
			return 0, err
		}
		return 0, upload.Folders(ctx, to, folders)
	}
}
