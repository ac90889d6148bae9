package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
)

// JPaxosTransport carries messages between replicas. Clients always connect by TCP.
// +kubebuilder:validation:Enum=TCP;NIO;TCPNIO;UDP;Multicast;Generic
type JPaxosTransport string

// The transports.
const (
	// JPaxosTCP uses threads for each connection.
	JPaxosTCP JPaxosTransport = "TCP"
	// JPaxosNIO uses selectors.
	JPaxosNIO JPaxosTransport = "NIO"
	// JPaxosTCPNIO is the newer transport on selectors. It exists in JPaxos of 2021.
	JPaxosTCPNIO JPaxosTransport = "TCPNIO"
	JPaxosUDP    JPaxosTransport = "UDP"
	// JPaxosMulticast needs a pod network that carries multicast, which few do.
	JPaxosMulticast JPaxosTransport = "Multicast"
	// JPaxosGeneric uses UDP for small messages and TCP for large ones.
	JPaxosGeneric JPaxosTransport = "Generic"
)

// JPaxosCrashModel says which crashes the replicas survive, and so what they write to disk.
// +kubebuilder:validation:Enum=CrashStop;FullSS;ViewSS;EpochSS;Pmem
type JPaxosCrashModel string

// The crash models.
const (
	// JPaxosCrashStop writes nothing. A crashed replica does not come back.
	JPaxosCrashStop JPaxosCrashModel = "CrashStop"
	// JPaxosFullSS syncs every write to disk. All replicas may crash at the same time.
	JPaxosFullSS JPaxosCrashModel = "FullSS"
	// JPaxosViewSS writes when the view changes. A majority must stay up.
	JPaxosViewSS JPaxosCrashModel = "ViewSS"
	// JPaxosEpochSS writes when a replica starts. A majority must stay up.
	JPaxosEpochSS JPaxosCrashModel = "EpochSS"
	// JPaxosPmem keeps its log in persistent memory, by a native library that the image must contain. All replicas may crash.
	JPaxosPmem JPaxosCrashModel = "Pmem"
)

// JPaxosService is the service that is replicated.
// +kubebuilder:validation:Enum=Echo;Digest;Own
type JPaxosService string

// The services.
const (
	// JPaxosEcho replies with the request, as in the published runs.
	JPaxosEcho JPaxosService = "Echo"
	// JPaxosDigest replies with a digest over all requests so far.
	JPaxosDigest JPaxosService = "Digest"
	// JPaxosOwn is a class in the image.
	JPaxosOwn JPaxosService = "Own"
)

// JPaxosClientIDs says how replicas number their clients.
// +kubebuilder:validation:Enum=ViewEpoch;TimeBased;Simple
type JPaxosClientIDs string

// JPaxosPlatform configures a network of JPaxos replicas. members.count is their number: 3, 5, 7 or 9.
// +kubebuilder:validation:XValidation:rule="(self.service == 'Own') == has(self.serviceClass)",message="platform.jpaxos.serviceClass must be set when, and only when, platform.jpaxos.service is Own"
type JPaxosPlatform struct {
	// image is the container image of the replicas, with a JRE and JPaxos (docs/jpaxos.md), and a tag other than latest or a
	// digest.
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="!self.endsWith(':latest') && self.matches('(:|@sha256:)[A-Za-z0-9._-]+$')",message="must carry a tag other than latest, or a digest, for repeatable runs"
	// +kubebuilder:validation:MinLength=1
	// +required
	Image string `json:"image"`
	// classPath is the class path of JPaxos, slf4j and logback in the image, as java -cp takes it. Default:
	// /opt/jpaxos/*:/opt/jpaxos/lib/*.
	// +kubebuilder:default="/opt/jpaxos/*:/opt/jpaxos/lib/*"
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="self.matches('^/[^[:space:]:]*(:/[^[:space:]:]*)*$')",message="platform.jpaxos.classPath must be absolute paths joined by colons, such as /opt/jpaxos/*:/opt/jpaxos/lib/*"
	// +optional
	ClassPath string `json:"classPath,omitempty"`
	// service is the replicated service: Echo, Digest, or Own for your own class. Default: Echo.
	// +kubebuilder:default=Echo
	// +optional
	Service JPaxosService `json:"service,omitempty"`
	// serviceClass is the class whose main method starts a replica with service Own, which requires it. Its argument is the
	// replica's number. The service must accept any bytes as a request.
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z_][A-Za-z0-9_$]*([.][A-Za-z_][A-Za-z0-9_$]*)*$')",message="platform.jpaxos.serviceClass must be the full name of a class, such as com.example.Service"
	// +optional
	ServiceClass string `json:"serviceClass,omitempty"`
	// transport (Network) carries messages between replicas. Default: TCP.
	// +kubebuilder:default=TCP
	// +optional
	Transport JPaxosTransport `json:"transport,omitempty"`
	// crashModel says which crashes the replicas survive. Default: EpochSS, as published; JPaxos' own is FullSS.
	// +kubebuilder:default=EpochSS
	// +optional
	CrashModel JPaxosCrashModel `json:"crashModel,omitempty"`
	// tuning holds the other settings of paxos.properties. A key that is not the field's name with a capital is in brackets.
	// +kubebuilder:default={failureSuspectTimeout: "1s", failureSendInterval: "300ms", retransmitTimeout: "1s", tcpReconnectDelay: "1s", fetchBatchTimeout: "2500ms"}
	// +optional
	Tuning JPaxosTuning `json:"tuning,omitzero"`
	// extraProperties are keys of paxos.properties for your own JPaxos or service, which begin with lsr. or service.
	// +kubebuilder:validation:MaxProperties=64
	// +optional
	ExtraProperties map[string]Text `json:"extraProperties,omitempty"`
	// jvmArgs are appended to the arguments of the replicas' JVM. docs/jpaxos.md lists those that are allowed. The heap is
	// members.heap.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=256
	// +optional
	JVMArgs []string `json:"jvmArgs,omitempty"`
}

// JPaxosTuning holds the other settings of paxos.properties. A key that is not the field's name with a capital is in brackets.
// Defaults are those of the published runs of 2013. JPaxos has the same defaults unless a description says otherwise.
// +kubebuilder:validation:XValidation:rule="[self.failureSuspectTimeout, self.failureSendInterval, self.retransmitTimeout, self.tcpReconnectDelay, self.fetchBatchTimeout].all(t, t.matches('^([0-9]+m|[0-9]+(m|[.][0-9]{1,3})?s)+$') && [duration('1ms'), duration(t), duration('10m')].isSorted())",message="tuning: failureSuspectTimeout, failureSendInterval, retransmitTimeout, tcpReconnectDelay and fetchBatchTimeout must be whole milliseconds from 1ms to 10m, such as 3s"
type JPaxosTuning struct {
	// windowSize is the number of instances that are proposed at the same time. Default: 10, as published; JPaxos' own is 2.
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
	// maxBatchDelay is the longest wait of the leader for a batch to fill. Default: 10ms.
	// +kubebuilder:default="10ms"
	// +optional
	MaxBatchDelay Delay `json:"maxBatchDelay"`
	// forwardMaxBatchSizeBytes (replica.ForwardMaxBatchSize) is the largest batch that a follower forwards to the leader, in bytes.
	// Default: 65507, as published; JPaxos' own is 1450.
	// +kubebuilder:default=65507
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=16777216
	// +optional
	ForwardMaxBatchSizeBytes int32 `json:"forwardMaxBatchSizeBytes,omitempty"`
	// forwardMaxBatchDelay (replica.ForwardMaxBatchDelay) is the longest wait of a follower for a batch to fill. Default: 25ms, as
	// published; JPaxos' own is 50ms.
	// +kubebuilder:default="25ms"
	// +optional
	ForwardMaxBatchDelay Delay `json:"forwardMaxBatchDelay"`
	// clientRequestBufferBytes (replica.ClientRequestBufferSize) is the read buffer of a client connection in bytes. A request
	// needs 20 more than its payload. Default: 8212.
	// +kubebuilder:default=8212
	// +kubebuilder:validation:Minimum=32
	// +kubebuilder:validation:Maximum=16777216
	// +optional
	ClientRequestBufferBytes int32 `json:"clientRequestBufferBytes,omitempty"`
	// selectorThreads (replica.SelectorThreads) is the number of threads that serve clients. With -1 it follows from the number of
	// processors. Default: -1.
	// +kubebuilder:default=-1
	// +kubebuilder:validation:Minimum=-1
	// +kubebuilder:validation:Maximum=256
	// +optional
	SelectorThreads int32 `json:"selectorThreads"`
	// decidedButNotExecutedThreshold is the number of instances that may be decided but not executed before the leader stops
	// proposing. JPaxos of 2013 ignores it. Default: 128.
	// +kubebuilder:default=128
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	// +optional
	DecidedButNotExecutedThreshold int32 `json:"decidedButNotExecutedThreshold,omitempty"`
	// indirectConsensus makes the replicas decide on the identifiers of batches, which are sent separately. Default: Disabled.
	// +kubebuilder:default=Disabled
	// +optional
	IndirectConsensus Switch `json:"indirectConsensus,omitempty"`
	// augmentedPaxos turns on Augmented Paxos. It exists in JPaxos of 2021. Default: Disabled.
	// +kubebuilder:default=Disabled
	// +optional
	AugmentedPaxos Switch `json:"augmentedPaxos,omitempty"`
	// redirectClientsFromLeader sends clients of the leader to another replica. It exists in JPaxos of 2021. Default: Disabled.
	// +kubebuilder:default=Disabled
	// +optional
	RedirectClientsFromLeader Switch `json:"redirectClientsFromLeader,omitempty"`
	// clientIDGenerator is ViewEpoch, TimeBased or Simple. Only ViewEpoch is correct in every crash model. Default: ViewEpoch.
	// +kubebuilder:default=ViewEpoch
	// +optional
	ClientIDGenerator JPaxosClientIDs `json:"clientIDGenerator,omitempty"`
	// failureSuspectTimeout (FDSuspectTimeout) is the time without a message from the leader after which replicas suspect it,
	// longer than failureSendInterval. Default: 1s.
	// +kubebuilder:default="1s"
	// +optional
	FailureSuspectTimeout Wait `json:"failureSuspectTimeout,omitzero"`
	// failureSendInterval (FDSendTimeout) is the time between two heartbeats of the leader. Default: 300ms, as published; JPaxos'
	// own is 500ms.
	// +kubebuilder:default="300ms"
	// +optional
	FailureSendInterval Wait `json:"failureSendInterval,omitzero"`
	// retransmitTimeout (RetransmitTimeoutMilisecs) is the time after which a message is first sent again. Default: 1s.
	// +kubebuilder:default="1s"
	// +optional
	RetransmitTimeout Wait `json:"retransmitTimeout,omitzero"`
	// tcpReconnectDelay (TcpReconnectMilisecs) is the time after which a replica tries to restore a lost connection. Default: 1s.
	// +kubebuilder:default="1s"
	// +optional
	TCPReconnectDelay Wait `json:"tcpReconnectDelay,omitzero"`
	// fetchBatchTimeout (TimeoutFetchBatchValue) is the longest wait of a replica that catches up for the values of batches.
	// Default: 2500ms.
	// +kubebuilder:default="2500ms"
	// +optional
	FetchBatchTimeout Wait `json:"fetchBatchTimeout,omitzero"`
	// catchUpWindowSizeViolationAllowance is how far beyond the window a proposal may lie before a replica considers itself late.
	// It exists in JPaxos of 2021. Default: 0.
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000000
	// +optional
	CatchUpWindowSizeViolationAllowance int32 `json:"catchUpWindowSizeViolationAllowance"`
	// firstSnapshotEstimateBytes is the assumed size in bytes of a snapshot before the first one exists. Default: 1024.
	// +kubebuilder:default=1024
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1073741824
	// +optional
	FirstSnapshotEstimateBytes int32 `json:"firstSnapshotEstimateBytes,omitempty"`
	// snapshotAskRatio is the ratio of log to snapshot at which the service is asked for a snapshot. Default: 1.
	// +kubebuilder:default="1"
	// +optional
	SnapshotAskRatio resource.Quantity `json:"snapshotAskRatio,omitzero"`
	// snapshotForceRatio is the ratio of log to snapshot at which a snapshot is forced, at least snapshotAskRatio. Default: 2.
	// +kubebuilder:default="2"
	// +optional
	SnapshotForceRatio resource.Quantity `json:"snapshotForceRatio,omitzero"`
	// snapshotMinInstances (MinimumInstancesForSnapshotRatioSample) is the number of instances before the ratios apply. Default:
	// 50.
	// +kubebuilder:default=50
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	// +optional
	SnapshotMinInstances int32 `json:"snapshotMinInstances,omitempty"`
	// snapshotMinLogBytes (MinLogSizeForRatioCheckBytes) is the size in bytes of the log before the ratios apply. Default: 10240,
	// as published; JPaxos' own is 102400.
	// +kubebuilder:default=10240
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1073741824
	// +optional
	SnapshotMinLogBytes int32 `json:"snapshotMinLogBytes,omitempty"`
	// maxUDPPacketBytes (MaxUDPPacketSize) is the size of a message in bytes above which transport Generic uses TCP. Default:
	// 65507, as published; JPaxos' own is 8192.
	// +kubebuilder:default=65507
	// +kubebuilder:validation:Minimum=512
	// +kubebuilder:validation:Maximum=65507
	// +optional
	MaxUDPPacketBytes int32 `json:"maxUDPPacketBytes,omitempty"`
	// multicastAddress (MulticastIpAddress) is the IPv4 address of transport Multicast. Default: 224.0.0.144.
	// +kubebuilder:default="224.0.0.144"
	// +kubebuilder:validation:MaxLength=15
	// +kubebuilder:validation:XValidation:rule="self.matches('^(22[4-9]|23[0-9])([.](25[0-5]|2[0-4][0-9]|1?[0-9]{1,2})){3}$')",message="platform.jpaxos.tuning.multicastAddress must be an IPv4 multicast address, 224.0.0.0 to 239.255.255.255"
	// +optional
	MulticastAddress string `json:"multicastAddress,omitempty"`
	// multicastPort is the port of transport Multicast. Default: 3000.
	// +kubebuilder:default=3000
	// +kubebuilder:validation:Minimum=1024
	// +kubebuilder:validation:Maximum=65535
	// +optional
	MulticastPort int32 `json:"multicastPort,omitempty"`
	// mtuBytes (NetworkMtuSize) is the MTU of the pod network in bytes, for transport Multicast. Default: 1492.
	// +kubebuilder:default=1492
	// +kubebuilder:validation:Minimum=576
	// +kubebuilder:validation:Maximum=65535
	// +optional
	MTUBytes int32 `json:"mtuBytes,omitempty"`
	// nvmPoolBytes (NvmPoolSize) is the pool of crash model Pmem in bytes. Default: 268435456.
	// +kubebuilder:default=268435456
	// +kubebuilder:validation:Minimum=8388608
	// +kubebuilder:validation:Maximum=1099511627776
	// +optional
	NVMPoolBytes int64 `json:"nvmPoolBytes,omitempty"`
}

// JPaxosContent says which bytes a request holds.
// +kubebuilder:validation:Enum=Repeated;Random
type JPaxosContent string

// The contents of a request.
const (
	// JPaxosRepeated sends the same bytes in every request, as in the published runs.
	JPaxosRepeated JPaxosContent = "Repeated"
	// JPaxosRandom sends new bytes in each request.
	JPaxosRandom JPaxosContent = "Random"
)

// JPaxosMixEntry is one of the sizes of the requests of a mix.
type JPaxosMixEntry struct {
	MixShare `json:",inline"`
	// requestBytes is the payload in bytes.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1048576
	// +required
	RequestBytes int32 `json:"requestBytes"`
}

// JPaxosWorkload is a load of requests on a JPaxos network. Each client has its own connection to a random replica.
type JPaxosWorkload struct {
	// requestBytes is the payload of a request in bytes, without the header of 20. Default: 128 without mix.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1048576
	// +optional
	RequestBytes int32 `json:"requestBytes,omitempty"`
	// mix holds weighted sizes instead of requestBytes.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=2
	// +kubebuilder:validation:MaxItems=8
	// +optional
	Mix []JPaxosMixEntry `json:"mix,omitempty"`
	// content says which bytes a request holds. Default: Repeated, as in the published runs.
	// +kubebuilder:default=Repeated
	// +optional
	Content JPaxosContent `json:"content,omitempty"`
}
