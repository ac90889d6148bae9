package malachite_test

import (
	"testing"

	"github.com/benchnet/benchnet/internal/platform/malachite"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
)

func TestGolden(t *testing.T) {
	platformtest.CheckGolden(t, malachite.New(), "malachite_m1")
}

func TestEVMGolden(t *testing.T) {
	platformtest.CheckGolden(t, malachite.NewEVM(), "malachiteevm_e1")
}
