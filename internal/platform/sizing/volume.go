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
	// baseVolumeBytes holds a member's logs, message journal and CorDapps: "several GB" (R3).
	baseVolumeBytes = 2 * gibibyte
)

// LedgerData is a planned amount of ledger data on one member.
type LedgerData struct {
	Transactions, States int64
}

// Add is the sum of two amounts.
func (v LedgerData) Add(other LedgerData) LedgerData {
	return LedgerData{Transactions: v.Transactions + other.Transactions, States: v.States + other.States}
}

// Times is the amount for n operations.
func (v LedgerData) Times(n int64) LedgerData {
	return LedgerData{Transactions: v.Transactions * n, States: v.States * n}
}

// Bytes of the amount in a database.
func (v LedgerData) Bytes() int64 { return v.Transactions*bytesPerTransaction + v.States*bytesPerState }

// PlannedOperations is an upper bound of the operations that a workload performs. With an open loop that is its rate over warm-up and
// window; with a closed loop the rate is the system's, so the caller names the highest it takes to be possible, per second.
func PlannedOperations(load *v1alpha1.Load, measure *v1alpha1.Measure, highestRate float64) int64 {
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

// MemberVolumeSize is the size of a member's own volume: logs and journal, and the ledger where the database lies in the member.
// It is a whole number of GiB.
func MemberVolumeSize(ledger LedgerData) resource.Quantity {
	gibibytes := (baseVolumeBytes + ledger.Bytes() + gibibyte - 1) / gibibyte
	return *resource.NewQuantity(gibibytes*gibibyte, resource.BinarySI)
}
