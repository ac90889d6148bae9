package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// CordaDistribution is an edition of Corda 4.
// +kubebuilder:validation:Enum=OpenSource;Enterprise
type CordaDistribution string

// The editions of Corda 4.
const (
	CordaOpenSource CordaDistribution = "OpenSource"
	CordaEnterprise CordaDistribution = "Enterprise"
)

// CordaNotaryType says how transactions of the network are notarized.
// +kubebuilder:validation:Enum=Single;SharedDatabase;Raft;BFT;None
type CordaNotaryType string

// The notary types.
const (
	CordaNotarySingle         CordaNotaryType = "Single"
	CordaNotarySharedDatabase CordaNotaryType = "SharedDatabase"
	CordaNotaryRaft           CordaNotaryType = "Raft"
	CordaNotaryBFT            CordaNotaryType = "BFT"
	CordaNotaryNone           CordaNotaryType = "None"
)

// CordaNotaryValidation says what a notary checks before it signs.
// +kubebuilder:validation:Enum=Validating;NonValidating
type CordaNotaryValidation string

// The kinds of validation.
const (
	CordaNotaryValidating    CordaNotaryValidation = "Validating"
	CordaNotaryNonValidating CordaNotaryValidation = "NonValidating"
)

// CordAppSource says where the CorDapps of a network come from.
// +kubebuilder:validation:Enum=Finance;Samples;Image;Volume
type CordAppSource string

// The sources of CorDapps.
const (
	// CordAppsFinance is R3's finance CorDapp of the node's version.
	CordAppsFinance CordAppSource = "Finance"
	// CordAppsSamples are the project's CorDapps, in the version of the network's other images.
	CordAppsSamples CordAppSource = "Samples"
	CordAppsImage   CordAppSource = "Image"
	CordAppsVolume  CordAppSource = "Volume"
)

// CordaPlatform configures a Corda 4 network.
// +kubebuilder:validation:XValidation:rule="!has(self.image) || !has(self.overrides) || self.overrides.all(o, !has(o.version) || has(o.image))",message="platform.corda.overrides[].image is required with version when platform.corda.image is set, which holds another version"
type CordaPlatform struct {
	// distribution is the edition of Corda. Enterprise is licensed, so you supply its image. Default: OpenSource.
	// +kubebuilder:default=OpenSource
	// +optional
	Distribution CordaDistribution `json:"distribution,omitempty"`
	// version is the major and minor version of Corda, from 4.3. The project has images of 4.3 to 4.10; later ones need image.
	// Default: 4.10.
	// +kubebuilder:default="4.10"
	// +kubebuilder:validation:MaxLength=8
	// +kubebuilder:validation:XValidation:rule="self.matches('^4[.]([3-9]|[1-9][0-9])$')",messageExpression="'must be 4.3 or a later 4.x, as major and minor number, not ' + self"
	// +optional
	Version string `json:"version,omitempty"`
	// image is the container image of the node, with a tag other than latest or a digest. Distribution Enterprise and versions
	// after 4.10 require it. Default: the project's image of the version.
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="!self.endsWith(':latest') && self.matches('(:|@sha256:)[A-Za-z0-9._-]+$')",message="must carry a tag other than latest, or a digest, for repeatable runs"
	// +optional
	Image string `json:"image,omitempty"`
	// notary configures the notary of the network.
	// +kubebuilder:default={type: Single, validation: NonValidating}
	// +optional
	Notary CordaNotary `json:"notary,omitzero"`
	// legalNames are the members' X.500 names in order, each with O, L and C. Default: O=Bank 0,L=London,C=GB and so on.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MinLength=9
	// +kubebuilder:validation:items:MaxLength=256
	// +optional
	LegalNames []string `json:"legalNames,omitempty"`
	// cordapps says which CorDapps every member runs.
	// +kubebuilder:default={type: Finance}
	// +optional
	CorDapps CorDappsSpec `json:"cordapps,omitzero"`
	// tuning overrides settings of the nodes. Those of Corda Enterprise are rejected with distribution OpenSource.
	// +optional
	Tuning *CordaTuning `json:"tuning,omitempty"`
	// overrides are members with another version or image. They need database.engine H2. Default: none.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +optional
	Overrides []CordaOverride `json:"overrides,omitempty"`
}

// CordaOverride describes members with another version or image of Corda.
// +kubebuilder:validation:XValidation:rule="has(self.version) || has(self.image)",message="platform.corda.overrides[] needs version, image or both"
type CordaOverride struct {
	// members are names of members, such as member-0, or legal names, each member in one override only.
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MaxLength=256
	// +required
	Members []string `json:"members"`
	// version is the version of Corda. Default: platform.corda.version.
	// +kubebuilder:validation:MaxLength=8
	// +kubebuilder:validation:XValidation:rule="self.matches('^4[.]([3-9]|[1-9][0-9])$')",messageExpression="'must be 4.3 or a later 4.x, as major and minor number, not ' + self"
	// +optional
	Version string `json:"version,omitempty"`
	// image is the container image of the node. Default: platform.corda.image, or the project's image of the version.
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="!self.endsWith(':latest') && self.matches('(:|@sha256:)[A-Za-z0-9._-]+$')",message="must carry a tag other than latest, or a digest, for repeatable runs"
	// +optional
	Image string `json:"image,omitempty"`
}

// CordaNotary configures how transactions are notarized.
// +kubebuilder:validation:XValidation:rule="!(self.type in ['BFT', 'None']) || self.validation == 'NonValidating'",message="platform.corda.notary.validation Validating needs notary.type Single, SharedDatabase or Raft"
// +kubebuilder:validation:XValidation:rule="self.type != 'None' || !(has(self.size) || has(self.heap) || has(self.cores) || has(self.memory) || has(self.storage) || has(self.scheduling) || has(self.database))",message="platform.corda.notary: size, heap, cores, memory, storage, scheduling and database need notary.type Single, SharedDatabase, Raft or BFT"
// +kubebuilder:validation:XValidation:rule="!has(self.replicas) || self.type == 'SharedDatabase' || self.type == 'Raft' && self.replicas in [3, 5] || self.type == 'BFT' && self.replicas in [4, 7]",message="platform.corda.notary.replicas needs notary.type SharedDatabase, Raft with 3 or 5, or BFT with 4 or 7"
type CordaNotary struct {
	// type is Single, a service of several nodes (SharedDatabase, Raft or the experimental BFT), or None for flows that need no
	// notary. A service needs distribution OpenSource and version 4.6 or later, SharedDatabase also engine PostgreSQL, Raft and BFT
	// persistent storage (docs/corda.md). Default: Single.
	// +kubebuilder:default=Single
	// +optional
	Type CordaNotaryType `json:"type,omitempty"`
	// replicas is the number of nodes of a service: 1 to 8 with type SharedDatabase (default: 2), 3 or 5 with Raft (3), 4 or 7 with
	// BFT (4).
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=8
	// +optional
	Replicas *int32 `json:"replicas,omitempty"`
	// validation is Validating (whole transactions) or NonValidating (only inputs and time windows), as R3 measures. Default:
	// NonValidating.
	// +kubebuilder:default=NonValidating
	// +optional
	Validation   CordaNotaryValidation `json:"validation,omitempty"`
	NodeOverride `json:",inline"`
	// database gives the notary database instances of its own, one for each replica with Raft and BFT. {} means like those of the
	// members. It needs engine PostgreSQL with provider Managed, or Chart, where it must be {}. Default: an instance like a
	// member's.
	// +optional
	Database *DatabaseOverride `json:"database,omitempty"`
}

// CorDappsSpec says where the CorDapps of a network come from. Only the field that belongs to the type may be set.
// +kubebuilder:validation:XValidation:rule="(self.type == 'Image') == has(self.image) && (self.type == 'Volume') == has(self.claimName)",message="platform.corda.cordapps: type Image needs image, type Volume needs claimName, types Finance and Samples take neither"
type CorDappsSpec struct {
	// type is Finance (R3's CorDapp of the node's version), Samples (the project's CorDapps), Image or Volume. Default: Finance.
	// +kubebuilder:default=Finance
	// +unionDiscriminator
	// +optional
	Type CordAppSource `json:"type,omitempty"`
	// image is the image with the CorDapp jars in /cordapps, with a tag other than latest or a digest.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	// +optional
	Image string `json:"image,omitempty"`
	// claimName is a PersistentVolumeClaim with the label benchnet.dev/cordapps=true and the jars in its root. It is mounted read-only.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +optional
	ClaimName string `json:"claimName,omitempty"`
}

// CordaTuning overrides the settings that the operator derives. An unset field keeps the derived value or the node's own default.
type CordaTuning struct {
	// flowThreads sets enterpriseConfiguration.tuning.flowThreadPoolSize, only in Corda Enterprise: others run flows on one thread.
	// Default: 4 per core.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1024
	// +optional
	FlowThreads *int32 `json:"flowThreads,omitempty"`
	// rpcThreads sets enterpriseConfiguration.tuning.rpcThreadPoolSize, only in Corda Enterprise. Default: the number of cores, at
	// least 4 and at most the flow threads.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1024
	// +optional
	RPCThreads *int32 `json:"rpcThreads,omitempty"`
	// p2pCompression sets enableP2PCompression, only in Corda Enterprise. Default: the node's.
	// +optional
	P2PCompression *Switch `json:"p2pCompression,omitempty"`
	// openSSL sets useOpenSsl, only in Corda Enterprise. Default: the node's.
	// +optional
	OpenSSL *Switch `json:"openSSL,omitempty"`
	// journalBufferTimeout sets enterpriseConfiguration.tuning.journalBufferTimeout, only in Corda Enterprise. Default: the node's.
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+([.][0-9]+)?(m|s|ms|us|µs|ns))+$') && duration(self) <= duration('10m')",message="platform.corda.tuning.journalBufferTimeout must be a duration from 0s to 10m, such as 3333333ns"
	// +optional
	JournalBufferTimeout *metav1.Duration `json:"journalBufferTimeout,omitempty"`
	// brokerConnectionTTLCheckInterval sets enterpriseConfiguration.tuning.brokerConnectionTtlCheckIntervalMs, only in Corda
	// Enterprise. Default: the node's.
	// +optional
	BrokerConnectionTTLCheckInterval *Timeout `json:"brokerConnectionTTLCheckInterval,omitempty"`
	// transactionCacheSize sets transactionCacheSizeMegaBytes, at most half of the heap. Default: 8 MB + 5 % of the heap above 300
	// MB, the node's own rule.
	// +optional
	TransactionCacheSize *resource.Quantity `json:"transactionCacheSize,omitempty"`
	// attachmentCacheSize sets attachmentContentCacheSizeMegaBytes, at most half of the heap. Default: 10 MB.
	// +optional
	AttachmentCacheSize *resource.Quantity `json:"attachmentCacheSize,omitempty"`
	// flowExternalOperationThreads sets flowExternalOperationThreadPoolSize, from Corda 4.4. Default: the number of cores, at most
	// 10.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1024
	// +optional
	FlowExternalOperationThreads *int32 `json:"flowExternalOperationThreads,omitempty"`
	// jvmArgs are appended to the derived arguments of the node's JVM. docs/corda.md lists those that are allowed. The heap is
	// members.heap.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=256
	// +optional
	JVMArgs []string `json:"jvmArgs,omitempty"`
	// extraConfig is merged into node.conf last. It maps dotted keys that tune a node to one HOCON value each (docs/corda.md). Keys
	// below notary apply only to the notary.
	// +kubebuilder:validation:MaxProperties=64
	// +optional
	ExtraConfig map[string]Text `json:"extraConfig,omitempty"`
}

// CordaOperation is an operation of the finance CorDapp, or a flow of any CorDapp: exactly one of them.
type CordaOperation struct {
	// finance is an operation of the finance CorDapp.
	// +optional
	Finance *CordaFinance `json:"finance,omitempty"`
	// flow is a flow by its class name.
	// +optional
	Flow *CordaFlow `json:"flow,omitempty"`
}

// CordaMixEntry is one of the operations of a mix.
type CordaMixEntry struct {
	MixShare       `json:",inline"`
	CordaOperation `json:",inline"`
}

// CordaWorkload is the operation that a workload performs on a Corda network, or a mix of operations.
type CordaWorkload struct {
	CordaOperation `json:",inline"`
	// mix holds weighted operations instead of finance or flow.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=2
	// +kubebuilder:validation:MaxItems=8
	// +optional
	Mix []CordaMixEntry `json:"mix,omitempty"`
	// initiators are the names or legal names of the members that the clients call in turn. Default: only member-0.
	// +listType=set
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MaxLength=256
	// +optional
	Initiators []string `json:"initiators,omitempty"`
	// counterparty is the name or legal name of the member that is paid, or that a Party argument means. Default: the member after the
	// initiator.
	// +kubebuilder:validation:MaxLength=256
	// +optional
	Counterparty string `json:"counterparty,omitempty"`
	// phaseSamplePercent is the share of flows whose steps the clients follow over RPC, which costs the member a message per step. 0
	// records no phases. Default: 10.
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	// +optional
	PhaseSamplePercent *int32 `json:"phaseSamplePercent,omitempty"`
}

// FinanceOperation is an operation of the finance CorDapp.
// +kubebuilder:validation:Enum=Issue;Pay;IssueAndPay
type FinanceOperation string

// The finance operations.
const (
	// FinanceIssue issues cash. It is not notarized.
	FinanceIssue FinanceOperation = "Issue"
	// FinancePay pays cash that was issued before the load.
	FinancePay FinanceOperation = "Pay"
	// FinanceIssueAndPay issues cash and pays the same amount, in two transactions.
	FinanceIssueAndPay FinanceOperation = "IssueAndPay"
)

// CordaFinance is an operation of the finance CorDapp with its parameters.
type CordaFinance struct {
	// operation is Issue, Pay or IssueAndPay.
	// +required
	Operation FinanceOperation `json:"operation"`
	// identities is WellKnown, or Anonymous: flows first exchange fresh keys, which takes one more round trip. Default: WellKnown.
	// +kubebuilder:default=WellKnown
	// +optional
	Identities CordaIdentities `json:"identities,omitempty"`
	// amount is the amount of one operation in whole units of the currency. Default: 100.
	// +kubebuilder:default=100
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000000
	// +optional
	Amount int64 `json:"amount,omitempty"`
	// currency is the ISO 4217 code of the currency. Default: USD.
	// +kubebuilder:default=USD
	// +kubebuilder:validation:Pattern=`^[A-Z]{3}$`
	// +optional
	Currency string `json:"currency,omitempty"`
}

// CordaFlow is a flow by its class name, with its data and preparation.
type CordaFlow struct {
	CordaCall `json:",inline"`
	// data is a CSV file for the placeholders ${csv:COLUMN}. The result records its hash.
	// +optional
	Data *CordaData `json:"data,omitempty"`
	// seed is the seed of the placeholders ${random:FROM:TO}. It gives operations of the same number the same values. Default: 0.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=9007199254740991
	// +optional
	Seed *int64 `json:"seed,omitempty"`
	// setUp is a flow that one worker runs once on the first initiator before the load, such as to issue states. If it fails, the
	// run fails.
	// +optional
	SetUp *CordaCall `json:"setUp,omitempty"`
}

// CordaCall is a flow class and its arguments.
type CordaCall struct {
	// class is the full name of an @StartableByRPC flow of the CorDapps.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:Pattern=`^[A-Za-z_][\w$]*(\.[A-Za-z_][\w$]*)+$`
	// +required
	Class string `json:"class"`
	// arguments are those of the flow's constructor, in order.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +optional
	Arguments []FlowArgument `json:"arguments,omitempty"`
}

// CordaData is a CSV file in UTF-8: a header with the names of the columns, and rows. Cells are separated by commas, and those with
// commas are in double quotes.
type CordaData struct {
	// configMapName is the ConfigMap in the namespace that holds the file.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +required
	ConfigMapName string `json:"configMapName"`
	// key is the key of the file in the ConfigMap. Default: data.csv.
	// +kubebuilder:default=data.csv
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[-_a-zA-Z0-9][-._a-zA-Z0-9]*$`
	// +optional
	Key string `json:"key,omitempty"`
}

// CordaIdentities says which identities the finance flows use.
// +kubebuilder:validation:Enum=WellKnown;Anonymous
type CordaIdentities string

// The kinds of identities.
const (
	CordaWellKnown CordaIdentities = "WellKnown"
	CordaAnonymous CordaIdentities = "Anonymous"
)

// FlowArgument is a typed argument of a flow.
type FlowArgument struct {
	// type is the type of the argument.
	// +kubebuilder:validation:Enum=String;Int;Long;Double;Decimal;Boolean;Instant;UUID;Currency;Amount;OpaqueBytes;SecureHash;StateRef;UniqueIdentifier;X500Name;Party
	// +required
	Type string `json:"type"`
	// value is text of the type, such as 100.50 USD, or for a Party a legal name, self, counterparty or notary. It may have
	// placeholders (docs/corda.md).
	// +required
	Value Text `json:"value"`
}
