package volumes

import (
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller"
)

// ProvisionerName is the provisioner name in StorageClasses.
const ProvisionerName = "benchnet.dev/directory"

// NewCommand returns the command `volume-provisioner`, which runs until it is stopped.
func NewCommand() *cobra.Command {
	var kubeconfig, root string
	command := &cobra.Command{
		Use:   "volume-provisioner",
		Short: "Provisions directories of this node as PersistentVolumes",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
			if err != nil {
				return fmt.Errorf("load kubeconfig %s: %w", kubeconfig, err)
			}
			client, err := kubernetes.NewForConfig(config)
			if err != nil {
				return fmt.Errorf("make client: %w", err)
			}
			controller.NewProvisionController(command.Context(), client, ProvisionerName, directoryProvisioner{root: root},
				controller.LeaderElection(false)).Run(command.Context())
			return nil
		},
	}
	command.Flags().StringVar(&kubeconfig, "kubeconfig", "", "how to reach the API server")
	command.Flags().StringVar(&root, "root", "", "directory that holds the directories of the volumes")
	cobra.CheckErr(command.MarkFlagRequired("kubeconfig"))
	cobra.CheckErr(command.MarkFlagRequired("root"))
	return command
}
