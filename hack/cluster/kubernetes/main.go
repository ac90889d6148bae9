// Command kubernetes contains every program of a small Kubernetes cluster in one binary. The name of the
// executable selects the program. One binary links the shared libraries once, which halves the build time and
// the disk space.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	_ "k8s.io/client-go/plugin/pkg/client/auth"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	kubectlutil "k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	manager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"

	"github.com/benchnet/benchnet/hack/cluster/pki"
	"github.com/benchnet/benchnet/hack/cluster/volumes"
)

// commands maps names to programs. etcd and kubectl end the process themselves.
var commands = map[string]func(){
	"kube-apiserver":          cobraProgram(apiserver.NewAPIServerCommand),
	"kube-controller-manager": cobraProgram(manager.NewControllerManagerCommand),
	"kube-scheduler":          cobraProgram(func() *cobra.Command { return scheduler.NewSchedulerCommand() }),
	"kubelet":                 cobraProgram(func() *cobra.Command { return kubelet.NewKubeletCommand(context.Background()) }),
	"kube-proxy":              cobraProgram(proxy.NewProxyCommand),
	"kubectl":                 runKubectl,
	"etcd":                    func() { etcdmain.Main(os.Args) },
	"cluster-pki":             cobraProgram(pki.NewCommand),
	"volume-provisioner":      cobraProgram(volumes.NewCommand),
}

func main() {
	name := filepath.Base(os.Args[0])
	command, known := commands[name]
	if !known {
		fmt.Fprintf(os.Stderr, "%s: not one of the programs of this binary\n", name)
		os.Exit(2)
	}
	command()
}

// cobraProgram creates the command only when it is called, because each command registers global flags.
func cobraProgram(make func() *cobra.Command) func() {
	return func() { os.Exit(cli.Run(make())) }
}

func runKubectl() {
	if err := cli.RunNoErrOutput(kubectl.NewDefaultKubectlCommand()); err != nil {
		kubectlutil.CheckErr(err)
	}
}
