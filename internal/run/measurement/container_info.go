package measurement

// ContainerRole is the role of a container in a run.
type ContainerRole string

// The roles of containers.
const (
	RoleMember   ContainerRole = "Member"
	RoleDatabase ContainerRole = "Database"
	RoleWorker   ContainerRole = "Worker"
)

// ContainerInfo is the node and size of a container of a pod.
type ContainerInfo struct {
	// Name is the name of the pod.
	Name string `json:"name"`
	// Container is the name of the container in the pod.
	Container string        `json:"container"`
	Role      ContainerRole `json:"role"`
	// Subject is the name of the pod in the rest of the result: a member, a database instance, worker-0.
	Subject string `json:"subject,omitempty"`
	Node    string `json:"node"`
	// CPURequest and CPULimit are in cores, MemoryRequest and MemoryLimit in bytes; 0 means none.
	CPURequest    float64 `json:"cpuRequest"`
	CPULimit      float64 `json:"cpuLimit"`
	MemoryRequest int64   `json:"memoryRequest"`
	MemoryLimit   int64   `json:"memoryLimit"`
}
