package sizing

import (
	"math"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/loadgen"
)

const (
	// bytesPerTransaction and bytesPerState are the sizes in a member's database (R3).
	bytesPerTransaction = 10_000
	bytesPerState       = 10_000
	// embeddedFactor is how much more an embedded database takes: H2, with logs and journal, filled 2 GiB with 21,000
	// transactions of one state, 100 KB each.
	embeddedFactor = 5
	// baseVolumeBytes is the space for a member's logs, message journal and CorDapps: "several GB" (R3).
	baseVolumeBytes = 2 * gibibyte
)

// LedgerData is a planned amount of ledger data on one member.
type LedgerData struct {
	Transactions, States int64
}

// maxLedgerCount bounds sums, so that the size in bytes on a hundred members does not overflow.
const maxLedgerCount = 1_000_000_000_000

// Add returns the sum of two amounts, each at most maxLedgerCount.
func (v LedgerData) Add(other LedgerData) LedgerData {
	return LedgerData{Transactions: min(v.Transactions+other.Transactions, maxLedgerCount), States: min(v.States+other.States, maxLedgerCount)}
}

// Times returns the amount for n operations.
func (v LedgerData) Times(n int64) LedgerData {
	return LedgerData{Transactions: v.Transactions * n, States: v.States * n}
}

// Bytes returns the size of the amount in a database.
func (v LedgerData) Bytes() int64 { return v.Transactions*bytesPerTransaction + v.States*bytesPerState }

// poissonMargin is by how many standard deviations Poisson arrivals may exceed their mean. They exceed six once
// in about 10⁹ runs.
const poissonMargin = 6

// PlannedOperations returns an upper bound of the operations that a workload performs, and 0 without a load.
// An open loop performs its rate over warm-up and window. A closed loop runs at the rate of the system, so the
// caller passes highestRate, the highest possible rate per second.
func PlannedOperations(load *v1alpha1.Load, measure *v1alpha1.Measure, highestRate float64) int64 {
	if load == nil {
		return 0 // A workload of another platform, which validation rejects later.
	}
	planned := highestRate * (measure.WarmUp.Duration + measure.Window.Duration).Seconds()
	if load.Model == v1alpha1.LoadOpen {
		planned = loadgen.OfferedOperations(load, measure)
	}
	if load.Arrivals == v1alpha1.ArrivalsPoisson {
		planned += poissonMargin * math.Sqrt(planned)
	}
	return int64(math.Ceil(min(planned, maxLedgerCount)))
}

// NewSummary returns a workload of which PlannedOperations are the given number.
func NewSummary(operations int64) v1alpha1.Workload {
	w := v1alpha1.Workload{Load: &v1alpha1.Load{Model: v1alpha1.LoadOpen, RatePerSecond: resource.NewQuantity(operations, resource.DecimalSI)}}
	w.Measure.Window.Duration = time.Second
	return w
}

// MemberVolumeSize returns the size of a member's own volume in whole GiB. It has space for logs and journal,
// and for the given ledger if the member embeds its database.
func MemberVolumeSize(ledger LedgerData) resource.Quantity {
	gibibytes := (baseVolumeBytes + embeddedFactor*ledger.Bytes() + gibibyte - 1) / gibibyte
	return *resource.NewQuantity(gibibytes*gibibyte, resource.BinarySI)
}
