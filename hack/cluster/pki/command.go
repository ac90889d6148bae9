package pki

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Settings holds the target directory and the addresses in the certificates.
type Settings struct {
	Directory string
	// Nodes maps the name of each node to its IP address.
	Nodes map[string]string
	// ServerAddress is the IP address of the API server.
	ServerAddress string
	// ServiceAddress is the first IP address of the Service range, that of the Service `kubernetes`.
	ServiceAddress string
}

// NewCommand returns the command `cluster-pki`.
func NewCommand() *cobra.Command {
	var settings Settings
	command := &cobra.Command{
		Use:   "cluster-pki",
		Short: "Makes the certificates and kubeconfigs of the local cluster",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return WriteFiles(settings) },
	}
	flags := command.Flags()
	flags.StringVar(&settings.Directory, "directory", "", "where the files go; made if absent")
	flags.StringToStringVar(&settings.Nodes, "node", nil, "NAME=ADDRESS: a node and its IP address; repeat it for each node")
	flags.StringVar(&settings.ServerAddress, "server-address", "", "IP address of the API server")
	flags.StringVar(&settings.ServiceAddress, "service-address", "", "IP address of the Service kubernetes")
	for _, name := range []string{"directory", "node", "server-address", "service-address"} {
		cobra.CheckErr(command.MarkFlagRequired(name))
	}
	return command
}

// serverIdentities returns the identities that serve TLS or sign tokens.
func (s Settings) serverIdentities() []identity {
	identities := []identity{
		{file: "kube-apiserver", commonName: "kube-apiserver", hosts: []string{
			s.ServerAddress, s.ServiceAddress, "127.0.0.1", "localhost", "kubernetes", "kubernetes.default",
			"kubernetes.default.svc", "kubernetes.default.svc.cluster.local",
		}},
		{file: "etcd", commonName: "etcd", hosts: []string{"127.0.0.1", "localhost"}},
		{file: "etcd-client", commonName: "kube-apiserver"},
		{file: "kubelet-client", commonName: "kube-apiserver", organization: "system:masters"},
		{file: "service-account", commonName: "service-account"},
	}
	for name, address := range s.Nodes {
		identities = append(identities, identity{file: "kubelet-" + name, commonName: name, hosts: []string{name, address}})
	}
	return identities
}

// clientIdentities returns the clients of the API server. Each has a kubeconfig.
func (s Settings) clientIdentities() []identity {
	identities := []identity{
		{file: "admin", commonName: "admin", organization: "system:masters"},
		{file: "kube-controller-manager", commonName: "system:kube-controller-manager"},
		{file: "kube-scheduler", commonName: "system:kube-scheduler"},
		{file: "kube-proxy", commonName: "system:kube-proxy"},
		{file: "volume-provisioner", commonName: "benchnet:volume-provisioner"},
		{file: "kube-router", commonName: "benchnet:kube-router"},
	}
	for name := range s.Nodes {
		identities = append(identities, identity{file: "kubelet-" + name, commonName: "system:node:" + name, organization: "system:nodes"})
	}
	return identities
}

// WriteFiles writes all files, replacing existing ones: ca, NAME.crt and NAME.key for each identity,
// NAME.kubeconfig for each client.
func WriteFiles(settings Settings) error {
	if err := os.MkdirAll(settings.Directory, 0o700); err != nil {
		return fmt.Errorf("make directory: %w", err)
	}
	ca, err := newCA()
	if err != nil {
		return err
	}
	if err := ca.writeFiles(settings.Directory, "ca"); err != nil {
		return err
	}
	for _, id := range settings.serverIdentities() {
		signed, err := ca.issueFor(id)
		if err != nil {
			return err
		}
		if err := signed.writeFiles(settings.Directory, id.file); err != nil {
			return err
		}
	}
	for _, id := range settings.clientIdentities() {
		if err := settings.writeKubeconfig(ca, id); err != nil {
			return err
		}
	}
	return nil
}

// writeKubeconfig writes a kubeconfig with an embedded key pair.
func (s Settings) writeKubeconfig(ca keyPair, id identity) error {
	signed, err := ca.issueFor(id)
	if err != nil {
		return err
	}
	key, err := signed.keyPEM()
	if err != nil {
		return err
	}
	const name = "benchnet"
	config := clientcmdapi.NewConfig()
	config.Clusters[name] = &clientcmdapi.Cluster{
		Server:                   "https://" + s.ServerAddress + ":6443",
		CertificateAuthorityData: ca.certificatePEM(),
	}
	config.AuthInfos[id.file] = &clientcmdapi.AuthInfo{
		ClientCertificateData: signed.certificatePEM(),
		ClientKeyData:         key,
	}
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: id.file, Namespace: "default"}
	config.CurrentContext = name
	path := filepath.Join(s.Directory, id.file+".kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		return fmt.Errorf("write kubeconfig %s: %w", path, err)
	}
	return nil
}
