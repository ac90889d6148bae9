package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// JPaxosTransport carries messages between replicas; clients always connect by TCP.
// +kubebuilder:validation:Enum=TCP;NIO;TCPNIO;UDP;Multicast;Generic
type JPaxosTransport string

// The transports.
const (
	// JPaxosTCP has threads for each connection.
	JPaxosTCP JPaxosTransport = "TCP"
	// JPaxosNIO has selectors.
	JPaxosNIO JPaxosTransport = "NIO"
	// JPaxosTCPNIO is the newer one on selectors, of JPaxos of 2021.
	JPaxosTCPNIO JPaxosTransport = "TCPNIO"
	JPaxosUDP    JPaxosTransport = "UDP"
	// JPaxosMulticast needs a pod network that carries multicast; few do.
	JPaxosMulticast JPaxosTransport = "Multicast"
	// JPaxosGeneric is UDP for small messages and TCP for large ones.
	JPaxosGeneric JPaxosTransport = "Generic"
)

// JPaxosCrashModel says which crashes the replicas survive, and so what they write to disk.
// +kubebuilder:validation:Enum=CrashStop;FullSS;ViewSS;EpochSS;Pmem
type JPaxosCrashModel string

// The crash models.
const (
	// JPaxosCrashStop writes nothing: a crashed replica does not come back.
	JPaxosCrashStop JPaxosCrashModel = "CrashStop"
	// JPaxosFullSS syncs every write to disk; all replicas may crash at once.
	JPaxosFullSS JPaxosCrashModel = "FullSS"
	// JPaxosViewSS writes when the view changes; a majority must stay up.
	JPaxosViewSS JPaxosCrashModel = "ViewSS"
	// JPaxosEpochSS writes when a replica starts; a majority must stay up.
	JPaxosEpochSS JPaxosCrashModel = "EpochSS"
	// JPaxosPmem keeps its log in persistent memory, by a native library that the image must have; all may crash at once.
	JPaxosPmem JPaxosCrashModel = "Pmem"
)

// JPaxosService is what is replicated.
// +kubebuilder:validation:Enum=Echo;Digest;Own
type JPaxosService string

// The services.
const (
	// JPaxosEcho replies with the request, as in the published runs.
	JPaxosEcho JPaxosService = "Echo"
	// JPaxosDigest replies with a digest over all requests so far.
	JPaxosDigest JPaxosService = "Digest"
	// JPaxosOwn is a class of the image.
	JPaxosOwn JPaxosService = "Own"
)

// JPaxosClientIDs says how replicas number their clients.
// +kubebuilder:validation:Enum=ViewEpoch;TimeBased;Simple
type JPaxosClientIDs string

// JPaxosPlatform configures a network of JPaxos replicas; members.count is their number: 3, 5, 7 or 9.
// +kubebuilder:validation:XValidation:rule="(self.service == 'Own') == has(self.serviceClass)",message="platform.jpaxos.serviceClass must be set when, and only when, platform.jpaxos.service is Own"
type JPaxosPlatform struct {
	// image with a JRE and JPaxos. It is on no registry, so it is yours to build; docs/jpaxos.md says what must be in it.
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="!self.endsWith(':latest') && self.matches('(:|@sha256:)[A-Za-z0-9._-]+$')",message="platform.jpaxos.image must carry a tag other than latest, or a digest, so that a run can be repeated"
	// +kubebuilder:validation:MinLength=1
	// +required
	Image string `json:"image"`
	// classPath of JPaxos, slf4j and logback in the image, as java -cp takes it. Default: /opt/jpaxos/*:/opt/jpaxos/lib/*.
	// +kubebuilder:default="/opt/jpaxos/*:/opt/jpaxos/lib/*"
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="self.matches('^/[^[:space:]:]*(:/[^[:space:]:]*)*$')",message="platform.jpaxos.classPath must be absolute paths joined by colons, such as /opt/jpaxos/*:/opt/jpaxos/lib/*"
	// +optional
	ClassPath string `json:"classPath,omitempty"`
	// service that is replicated: Echo, Digest, or a class of your Own. Default: Echo.
	// +kubebuilder:default=Echo
	// +optional
	Service JPaxosService `json:"service,omitempty"`
	// serviceClass whose main starts a replica with the service, with service Own. Its only argument is the replica's number; it must take
	// any bytes as a request.
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z_][A-Za-z0-9_$]*([.][A-Za-z_][A-Za-z0-9_$]*)*$')",message="platform.jpaxos.serviceClass must be the full name of a class, such as com.example.Service"
	// +optional
	ServiceClass string `json:"serviceClass,omitempty"`
	// transport between replicas (Network). Default: TCP.
	// +kubebuilder:default=TCP
	// +optional
	Transport JPaxosTransport `json:"transport,omitempty"`
	// crashModel (CrashModel). Default: EpochSS, as in the published runs; JPaxos' own is FullSS.
	// +kubebuilder:default=EpochSS
	// +optional
	CrashModel JPaxosCrashModel `json:"crashModel,omitempty"`
	// tuning of the replicas.
	// +kubebuilder:default={}
	// +optional
	Tuning JPaxosTuning `json:"tuning,omitzero"`
	// extraProperties of paxos.properties that have no field here. Keys that have one are refused.
	// +kubebuilder:validation:MaxProperties=64
	// +optional
	ExtraProperties map[string]Text `json:"extraProperties,omitempty"`
	// jvmArgs are appended to the arguments of the replicas' JVM. -Xmx and -Xms come from members.heap.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=256
	// +optional
	JVMArgs []string `json:"jvmArgs,omitempty"`
}

// JPaxosTuning is the rest of paxos.properties; the key stands in brackets. Defaults are those of the published runs of 2013,
// which are JPaxos' own unless said otherwise.
type JPaxosTuning struct {
	// windowSize (WindowSize) is how many instances are proposed at the same time. Default: 10, as in the published runs; JPaxos' own is 2.
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	// +optional
	WindowSize int32 `json:"windowSize,omitempty"`
	// batchSizeBytes (BatchSize) is the largest batch that the leader proposes, in bytes. Default: 65507.
	// +kubebuilder:default=65507
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=16777216
	// +optional
	BatchSizeBytes int32 `json:"batchSizeBytes,omitempty"`
	// maxBatchDelay (MaxBatchDelay) is the longest time for which the leader waits for a batch to fill. Default: 10ms.
	// +kubebuilder:default="10ms"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+(m|s|ms)|[0-9]+[.][0-9]{1,3}s)+$') && duration(self) >= duration('0s') && duration(self) <= duration('1m')",message="platform.jpaxos.tuning.maxBatchDelay must be whole milliseconds from 0s to 1m, such as 10ms"
	// +optional
	MaxBatchDelay metav1.Duration `json:"maxBatchDelay"`
	// forwardMaxBatchSizeBytes (replica.ForwardMaxBatchSize) is the largest batch that a follower forwards to the leader, in bytes.
	// Default: 65507, as in the published runs; JPaxos' own is 1450.
	// +kubebuilder:default=65507
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=16777216
	// +optional
	ForwardMaxBatchSizeBytes int32 `json:"forwardMaxBatchSizeBytes,omitempty"`
	// forwardMaxBatchDelay (replica.ForwardMaxBatchDelay) is the longest time for which a follower waits for a batch to fill.
	// Default: 25ms, as in the published runs. The default of JPaxos is 50ms.
	// +kubebuilder:default="25ms"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+(m|s|ms)|[0-9]+[.][0-9]{1,3}s)+$') && duration(self) >= duration('0s') && duration(self) <= duration('1m')",message="platform.jpaxos.tuning.forwardMaxBatchDelay must be whole milliseconds from 0s to 1m, such as 25ms"
	// +optional
	ForwardMaxBatchDelay metav1.Duration `json:"forwardMaxBatchDelay"`
	// clientRequestBufferBytes (replica.ClientRequestBufferSize) is read into for each client connection; a request takes 20 bytes more
	// than its payload. Default: 8212.
	// +kubebuilder:default=8212
	// +kubebuilder:validation:Minimum=32
	// +kubebuilder:validation:Maximum=16777216
	// +optional
	ClientRequestBufferBytes int32 `json:"clientRequestBufferBytes,omitempty"`
	// selectorThreads (replica.SelectorThreads) serve the clients' connections; -1: by the number of processors. Default: -1.
	// +kubebuilder:default=-1
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=256
	// +optional
	SelectorThreads int32 `json:"selectorThreads"`
	// decidedButNotExecutedThreshold (DecidedButNotExecutedThreshold) is how many instances may be decided and wait for execution before
	// proposing stalls. Default: 128. Unknown to JPaxos of 2013, which ignores it.
	// +kubebuilder:default=128
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	// +optional
	DecidedButNotExecutedThreshold int32 `json:"decidedButNotExecutedThreshold,omitempty"`
	// indirectConsensus (IndirectConsensus) decides on the names of batches, which travel apart. Default: Disabled.
	// +kubebuilder:default=Disabled
	// +optional
	IndirectConsensus Switch `json:"indirectConsensus,omitempty"`
	// augmentedPaxos (AugmentedPaxos), of JPaxos of 2021. Default: Disabled.
	// +kubebuilder:default=Disabled
	// +optional
	AugmentedPaxos Switch `json:"augmentedPaxos,omitempty"`
	// redirectClientsFromLeader (RedirectClientsFromLeader), of JPaxos of 2021, sends clients of the leader to another replica. Default: Disabled.
	// +kubebuilder:default=Disabled
	// +optional
	RedirectClientsFromLeader Switch `json:"redirectClientsFromLeader,omitempty"`
	// clientIDGenerator (ClientIDGenerator) is ViewEpoch, TimeBased or Simple, of which only the first is right in every crash model. Default: ViewEpoch.
	// +kubebuilder:default=ViewEpoch
	// +optional
	ClientIDGenerator JPaxosClientIDs `json:"clientIDGenerator,omitempty"`
	// failureSuspectTimeout (FDSuspectTimeout) is the time without a message from the leader after which replicas suspect it.
	// It must be longer than failureSendInterval. Default: 1s.
	// +kubebuilder:default="1s"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+(m|s|ms)|[0-9]+[.][0-9]{1,3}s)+$') && duration(self) >= duration('1ms') && duration(self) <= duration('10m')",message="platform.jpaxos.tuning.failureSuspectTimeout must be whole milliseconds from 1ms to 10m, such as 1s"
	// +optional
	FailureSuspectTimeout metav1.Duration `json:"failureSuspectTimeout,omitzero"`
	// failureSendInterval (FDSendTimeout) is the time between two messages of the leader that show it is alive. Default: 300ms, as in the
	// published runs. The default of JPaxos is 500ms.
	// +kubebuilder:default="300ms"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+(m|s|ms)|[0-9]+[.][0-9]{1,3}s)+$') && duration(self) >= duration('1ms') && duration(self) <= duration('10m')",message="platform.jpaxos.tuning.failureSendInterval must be whole milliseconds from 1ms to 10m, such as 300ms"
	// +optional
	FailureSendInterval metav1.Duration `json:"failureSendInterval,omitzero"`
	// retransmitTimeout (RetransmitTimeoutMilisecs) is the time after which a message is first sent again. Default: 1s.
	// +kubebuilder:default="1s"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+(m|s|ms)|[0-9]+[.][0-9]{1,3}s)+$') && duration(self) >= duration('1ms') && duration(self) <= duration('10m')",message="platform.jpaxos.tuning.retransmitTimeout must be whole milliseconds from 1ms to 10m, such as 1s"
	// +optional
	RetransmitTimeout metav1.Duration `json:"retransmitTimeout,omitzero"`
	// tcpReconnectDelay (TcpReconnectMilisecs) is the time after which a replica tries to restore a lost connection. Default: 1s.
	// +kubebuilder:default="1s"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+(m|s|ms)|[0-9]+[.][0-9]{1,3}s)+$') && duration(self) >= duration('1ms') && duration(self) <= duration('10m')",message="platform.jpaxos.tuning.tcpReconnectDelay must be whole milliseconds from 1ms to 10m, such as 1s"
	// +optional
	TCPReconnectDelay metav1.Duration `json:"tcpReconnectDelay,omitzero"`
	// fetchBatchTimeout (TimeoutFetchBatchValue) is the longest time for which a replica that catches up waits for the values of batches.
	// Default: 2500ms.
	// +kubebuilder:default="2500ms"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+(m|s|ms)|[0-9]+[.][0-9]{1,3}s)+$') && duration(self) >= duration('1ms') && duration(self) <= duration('10m')",message="platform.jpaxos.tuning.fetchBatchTimeout must be whole milliseconds from 1ms to 10m, such as 2500ms"
	// +optional
	FetchBatchTimeout metav1.Duration `json:"fetchBatchTimeout,omitzero"`
	// catchUpWindowSizeViolationAllowance (CatchUpWindowSizeViolationAllowance), of JPaxos of 2021, is how far beyond the window a proposal
	// may lie before a replica takes itself to be late. Default: 0.
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000000
	// +optional
	CatchUpWindowSizeViolationAllowance int32 `json:"catchUpWindowSizeViolationAllowance"`
	// firstSnapshotEstimateBytes (FirstSnapshotEstimateBytes) is what a snapshot is taken to have before there is one. Default: 1024.
	// +kubebuilder:default=1024
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1073741824
	// +optional
	FirstSnapshotEstimateBytes int32 `json:"firstSnapshotEstimateBytes,omitempty"`
	// snapshotAskRatio (SnapshotAskRatio) of log to snapshot at which the service is asked for a snapshot. Default: 1.
	// +kubebuilder:default="1"
	// +optional
	SnapshotAskRatio resource.Quantity `json:"snapshotAskRatio,omitzero"`
	// snapshotForceRatio (SnapshotForceRatio) of log to snapshot at which a snapshot is forced. Default: 2.
	// +kubebuilder:default="2"
	// +optional
	SnapshotForceRatio resource.Quantity `json:"snapshotForceRatio,omitzero"`
	// snapshotMinInstances (MinimumInstancesForSnapshotRatioSample) before the ratios count. Default: 50.
	// +kubebuilder:default=50
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	// +optional
	SnapshotMinInstances int32 `json:"snapshotMinInstances,omitempty"`
	// snapshotMinLogBytes (MinLogSizeForRatioCheckBytes) of log before the ratios count. Default: 10240, as in the published runs; JPaxos' own
	// is 102400.
	// +kubebuilder:default=10240
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1073741824
	// +optional
	SnapshotMinLogBytes int32 `json:"snapshotMinLogBytes,omitempty"`
	// maxUDPPacketBytes (MaxUDPPacketSize) above which transport Generic takes TCP. Default: 65507, as in the published runs; JPaxos' own is 8192.
	// +kubebuilder:default=65507
	// +kubebuilder:validation:Minimum=512
	// +kubebuilder:validation:Maximum=65507
	// +optional
	MaxUDPPacketBytes int32 `json:"maxUDPPacketBytes,omitempty"`
	// multicastAddress (MulticastIpAddress) of transport Multicast. Default: 224.0.0.144.
	// +kubebuilder:default="224.0.0.144"
	// +kubebuilder:validation:MaxLength=15
	// +kubebuilder:validation:XValidation:rule="self.matches('^(22[4-9]|23[0-9])([.](25[0-5]|2[0-4][0-9]|1?[0-9]{1,2})){3}$')",message="platform.jpaxos.tuning.multicastAddress must be an IPv4 multicast address, 224.0.0.0 to 239.255.255.255"
	// +optional
	MulticastAddress string `json:"multicastAddress,omitempty"`
	// multicastPort (MulticastPort) of transport Multicast. Default: 3000.
	// +kubebuilder:default=3000
	// +kubebuilder:validation:Minimum=1024
	// +kubebuilder:validation:Maximum=65535
	// +optional
	MulticastPort int32 `json:"multicastPort,omitempty"`
	// mtuBytes (NetworkMtuSize) is the largest packet of the pods' network, for transport Multicast. Default: 1492.
	// +kubebuilder:default=1492
	// +kubebuilder:validation:Minimum=576
	// +kubebuilder:validation:Maximum=65535
	// +optional
	MTUBytes int32 `json:"mtuBytes,omitempty"`
	// nvmPoolBytes (NvmPoolSize) is the pool of crash model Pmem. Default: 268435456.
	// +kubebuilder:default=268435456
	// +kubebuilder:validation:Minimum=8388608
	// +kubebuilder:validation:Maximum=1099511627776
	// +optional
	NVMPoolBytes int64 `json:"nvmPoolBytes,omitempty"`
}

// JPaxosContent says what a request is made of.
// +kubebuilder:validation:Enum=Repeated;Random
type JPaxosContent string

// The contents of a request.
const (
	// JPaxosRepeated is the same bytes in every request, as in the published runs.
	JPaxosRepeated JPaxosContent = "Repeated"
	// JPaxosRandom is new bytes for each request.
	JPaxosRandom JPaxosContent = "Random"
)

// JPaxosWorkload is a load of requests on a JPaxos network. Each client has a connection of its own, to a replica by chance.
type JPaxosWorkload struct {
	// requestBytes is the size of a request's payload; 20 bytes of header come on top. Default: 128.
	// +kubebuilder:default=128
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1048576
	// +optional
	RequestBytes int32 `json:"requestBytes,omitempty"`
	// content of a request: Repeated or Random bytes. Default: Repeated, as in the published runs.
	// +kubebuilder:default=Repeated
	// +optional
	Content JPaxosContent `json:"content,omitempty"`
}
