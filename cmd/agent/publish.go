package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/benchnet/benchnet/internal/agent/kube"
	"github.com/benchnet/benchnet/internal/subcommand"
)

func newPublishCommand(flags *flag.FlagSet) subcommand.Action {
	namespace := flags.String("namespace", "", "`namespace` of the Secrets")
	mark := flags.String("complete-annotation", "", "`KEY=VALUE` that is added to all Secrets once all are filled")
	var secrets repeatedFlag
	root := flags.String("root", "", "`DIR` that contains the folders")
	flags.Var(&secrets, "secret", "`NAME=FOLDER` of a Secret that exists and a folder below --root whose files become its data; may be repeated")
	return subcommand.WithoutArguments(func(ctx context.Context, stdout io.Writer) error {
		if err := subcommand.RequireFlags("namespace", *namespace, "complete-annotation", *mark, "root", *root, "secret", strings.Join(secrets, " ")); err != nil {
			return err
		}
		complete, err := kube.ParseAnnotation(*mark)
		if err != nil {
			return subcommand.UsageErrorf("%w", err)
		}
		var sources []kube.SecretSource
		for _, text := range secrets {
			source, err := kube.ParseSecretSource(text)
			if err != nil {
				return subcommand.UsageErrorf("%w", err)
			}
			sources = append(sources, source)
		}
		cluster, err := kube.NewInCluster(*namespace)
		if err != nil {
			return err
		}
		outcome, err := (&kube.Publisher{Secrets: cluster.Secrets, Complete: complete, Root: *root}).Publish(ctx, sources)
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "%s: %d folders\n", outcome, len(sources))
		return nil
	})
}
