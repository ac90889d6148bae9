package sizing

import (
	"math"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

const (
	// bytesPerTransaction and bytesPerState in a member's database (R3).
	bytesPerTransaction = 10_000
	bytesPerState       = 10_000
	// baseVolume holds a member's logs, message journal and CorDapps: "several GB" (R3).
	baseVolume = 2 * gibibyte
)

// Volume is a planned amount of ledger data on one member.
type Volume struct {
	Transactions, States int64
}

// Add is the sum of two amounts.
func (v Volume) Add(other Volume) Volume {
	return Volume{Transactions: v.Transactions + other.Transactions, States: v.States + other.States}
}

// Times is the amount for n operations.
func (v Volume) Times(n int64) Volume {
	return Volume{Transactions: v.Transactions * n, States: v.States * n}
}

// Bytes of the amount in a database.
func (v Volume) Bytes() int64 { return v.Transactions*bytesPerTransaction + v.States*bytesPerState }

// Operations is an upper bound of the operations that a workload performs. With an open loop that is its rate over warm-up and
// window; with a closed loop the rate is the system's, so the caller names the highest it takes to be possible, per second.
func Operations(load *v1alpha1.Load, measure *v1alpha1.Measure, highestRate float64) int64 {
	if load == nil {
		return 0 // A workload of another platform, which is refused when its turn comes.
	}
	rate := highestRate
	if load.Model == v1alpha1.LoadOpen && load.RatePerSecond != nil {
		rate = load.RatePerSecond.AsApproximateFloat64()
	}
	seconds := (measure.WarmUp.Duration + measure.Window.Duration).Seconds()
	return int64(math.Ceil(rate * seconds))
}

// MemberVolume is the size of a member's own volume: logs and journal, and the ledger where the database lies in the member.
// It is a whole number of GiB.
func MemberVolume(ledger Volume) resource.Quantity {
	gibibytes := (baseVolume + ledger.Bytes() + gibibyte - 1) / gibibyte
	return *resource.NewQuantity(gibibytes*gibibyte, resource.BinarySI)
}
