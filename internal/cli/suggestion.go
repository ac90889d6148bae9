package cli

import (
	"fmt"
	"strings"

	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/benchnet/benchnet/internal/cli/cluster"
)

// suggest prints what to do next. It writes to the error output, so that results can be piped.
func (s *session) suggest(format string, arguments ...any) {
	fmt.Fprintf(s.ErrOut, "next: "+format+"\n", arguments...)
}

func (s *session) suggestCommand(command string, targets ...cluster.Target) {
	for _, target := range targets {
		s.suggest("kubectl benchnet %s -n %s %s", command, target.Namespace, target)
	}
}

// suggestPlanned suggests running the planned files, or changing them if they do not fit.
func (s *session) suggestPlanned(files *genericclioptions.FileNameFlags, fits bool) {
	var arguments []string
	for _, file := range *files.Filenames {
		arguments = append(arguments, "-f "+file)
	}
	if *files.Kustomize != "" {
		arguments = append(arguments, "-k "+*files.Kustomize)
	}
	switch {
	case !fits:
		s.suggest("request less, or add nodes: pods that do not fit wait for nodes")
	case len(arguments) > 0:
		s.suggest("kubectl benchnet run %s", strings.Join(arguments, " "))
	}
}
