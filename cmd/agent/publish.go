package main

import (
	"context"
	"flag"
	"fmt"
	"strings"

	"github.com/benchnet/benchnet/internal/agent/kube"
	"github.com/benchnet/benchnet/internal/agent/publish"
)

func publishFiles(flags *flag.FlagSet) action {
	namespace := flags.String("namespace", "", "`namespace` of the Secrets")
	mark := flags.String("complete-annotation", "", "`KEY=VALUE` that all the Secrets get once all are filled")
	var secrets repeatedFlag
	root := flags.String("root", "", "`DIR` that holds the folders")
	flags.Var(&secrets, "secret", "`NAME=FOLDER` of a Secret that exists and a folder below --root whose files become its data; may be repeated")
	return func(ctx context.Context, _ []string) (int, error) {
		if err := requireFlags("namespace", *namespace, "complete-annotation", *mark, "root", *root, "secret", strings.Join(secrets, " ")); err != nil {
			return 0, err
		}
		complete, err := publish.ParseAnnotation(*mark)
		if err != nil {
			return 0, usageError{err}
		}
		var sources []publish.Source
		for _, text := range secrets {
			source, err := publish.ParseSource(text)
			if err != nil {
				return 0, usageError{err}
			}
			sources = append(sources, source)
		}
		cluster, err := kube.NewInCluster(*namespace)
		if err != nil {
			return 0, err
		}
		outcome, err := (&publish.Publisher{Secrets: cluster.Secrets, Complete: complete, Root: *root}).Publish(ctx, sources)
		if err != nil {
			return 0, err
		}
		fmt.Printf("%s: %d folders\n", outcome, len(sources))
		return 0, nil
	}
}
