package sizing

import (
	"testing"
	"time"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

func TestPlannedOperations(t *testing.T) {
	measure := &v1alpha1.Measure{
		WarmUp: v1alpha1.Seconds{Duration: 500 * time.Millisecond},
		Window: v1alpha1.Seconds{Duration: 2 * time.Minute},
	}
	open := &v1alpha1.Load{Model: v1alpha1.LoadOpen, RatePerSecond: quantityPtr("2500m")}
	if got := PlannedOperations(open, measure, 1000); got != 302 {
		t.Errorf("open loop at 2.5/s for 120.5 s: got %d, want 302", got)
	}
	open.Arrivals = v1alpha1.ArrivalsPoisson
	if got := PlannedOperations(open, measure, 1000); got != 406 {
		t.Errorf("Poisson arrivals at 2.5/s for 120.5 s: got %d, want 301.25 and six standard deviations of 17.4, which is 406", got)
	}
	closed := &v1alpha1.Load{Model: v1alpha1.LoadClosed, Clients: 10}
	if got := PlannedOperations(closed, measure, 1000); got != 120_500 {
		t.Errorf("closed loop of at most 1000/s for 120.5 s: got %d, want 120500", got)
	}
	if got := PlannedOperations(nil, measure, 1000); got != 0 {
		t.Errorf("without a load: got %d, want 0", got)
	}
}

func TestMemberVolumeSize(t *testing.T) {
	for _, tc := range []struct {
		ledger LedgerData
		want   string
	}{
		{LedgerData{}, "2Gi"},
		{LedgerData{Transactions: 1}, "3Gi"},
		// 5 x 1e6 x (10 KB + 2 x 10 KB) = 150 GB = 139.7 GiB.
		{LedgerData{Transactions: 1, States: 2}.Times(1_000_000), "142Gi"},
		{LedgerData{Transactions: 50_000}.Add(LedgerData{States: 50_000}), "7Gi"},
		{LedgerData{Transactions: maxLedgerCount}.Add(LedgerData{Transactions: maxLedgerCount}), "46566131Gi"},
	} {
		got := MemberVolumeSize(tc.ledger)
		if got.String() != tc.want {
			t.Errorf("%+v: got %s, want %s", tc.ledger, got.String(), tc.want)
		}
	}
}
