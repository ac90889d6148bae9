package malachite_test

import (
	"testing"

	"github.com/benchnet/benchnet/internal/platform/malachite"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
)

func TestConformance(t *testing.T) {
	platformtest.CheckConformance(t, malachite.New(), platformtest.LoadSamples(t, "malachite"))
}

func TestGolden(t *testing.T) {
	platformtest.CheckGolden(t, malachite.New(), "malachite_m1", platformtest.LoadSamples(t, "malachite"))
}

func TestEVMConformance(t *testing.T) {
	platformtest.CheckConformance(t, malachite.NewEVM(), platformtest.LoadSamples(t, "malachiteevm"))
}

func TestEVMGolden(t *testing.T) {
	platformtest.CheckGolden(t, malachite.NewEVM(), "malachiteevm_e1", platformtest.LoadSamples(t, "malachiteevm"))
}
