package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/benchnet/benchnet/internal/agent/delivery"
	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/subcommand"
)

func newNotifyCommand(flags *flag.FlagSet) subcommand.Action {
	to := delivery.Webhook{SigningKey: os.Getenv(protocol.SigningKeyVariable), Authorities: os.Getenv(protocol.AuthoritiesVariable)}
	var id string
	flags.StringVar(&to.URL, "url", "", "`URL` of the webhook")
	flags.StringVar(&id, "id", "", "`text` that is the same in all attempts")
	return func(ctx context.Context, files []string, _ io.Writer) (int, error) {
		if err := subcommand.RequireFlags("url", to.URL, "id", id); err != nil {
			return 0, err
		}
		if len(files) != 1 {
			return 0, errors.New("give one file")
		}
		if _, isSet := os.LookupEnv(protocol.SigningKeyVariable); isSet && strings.TrimSpace(to.SigningKey) == "" {
			return 0, errors.New("signingKey is empty")
		}
		document, err := os.ReadFile(files[0])
		if err != nil {
			return 0, fmt.Errorf("read the document: %w", err)
		}
		return 0, delivery.PostDocument(ctx, to, id, document, time.Now())
	}
}
