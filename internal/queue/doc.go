// Package queue decides which networks may begin and which have to wait, at what position and for what. It is pure.
//
// Networks take places: in the cluster, and in the pool of nodes that they ask for. Who has a place keeps it until its network is
// gone. The others wait in one line for each pool, by priority, then by creation, then by name. Nobody overtakes in a line, so
// that what needs many places gets them one day. Networks that are of use together alone, such as those of an interleaved
// comparison, are a group: all of a group begins or none of it, so that two halves never wait for each other.
package queue

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/benchnet/benchnet/internal/capacity"
)

// Limits of how many networks may stand at one time.
type Limits struct {
	// MaxNetworks in all of the cluster; 0: as many as there are.
	MaxNetworks int
	// Pools with limits of their own. A network belongs to the first whose nodeSelector its members ask for.
	Pools []Pool
}

// Pool is a part of the nodes.
type Pool struct {
	// Name for people.
	Name string `json:"name"`
	// NodeSelector that the members of its networks have in their placement, among others.
	NodeSelector map[string]string `json:"nodeSelector"`
	// MaxNetworks at one time, at least 1.
	MaxNetworks int `json:"maxNetworks"`
}

// Set tells whether there are any limits.
func (l Limits) Set() bool { return l.MaxNetworks > 0 || len(l.Pools) > 0 }

// Network as the queue sees it.
type Network struct {
	UID             types.UID
	Namespace, Name string
	// Priority: higher goes first.
	Priority int32
	Created  time.Time
	// NodeSelector of its members.
	NodeSelector map[string]string
	// Group of networks that begin together, by a name that is unique in the namespace; empty: it begins by itself.
	Group string
	// GroupSize is how many networks the group has when all are there.
	GroupSize int
	// Holds tells that it has a place.
	Holds bool
	// Note about one that has a place, for people, such as finished.
	Note string
}

// Decision about a network without a place.
type Decision struct {
	// Admitted tells that it has one from now on.
	Admitted bool
	// Withdrawn tells that the network has no place any more even if it was admitted.
	Withdrawn bool
	// Never tells that waiting will not help.
	Never bool
	// Pool it belongs to; empty: none.
	Pool string
	// Position for people, such as 3 of 5; empty for who does not wait in line.
	Position string
	// Reason of the condition Admitted.
	Reason string
	// Message for people.
	Message string
}

// Use of a pool, or of all that is in none.
type Use struct {
	// Pool is its name; empty: in none.
	Pool string
	// Limit of networks; 0: none.
	Limit int
	// Admitted have a place, Waiting have not.
	Admitted, Waiting int
}

// Outcome of one look at all networks.
type Outcome struct {
	// Decisions by network; who had a place has none.
	Decisions map[types.UID]Decision
	// Uses of the pools in their order, and last of what is in none.
	Uses []Use
	// NoRoom tells that a network waits for what no event of a network tells of: room on nodes.
	NoRoom bool
}

// Room tells whether the nodes can hold networks beside all that have a place.
type Room func(networks []*Network) capacity.Finding
