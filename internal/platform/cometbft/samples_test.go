package cometbft_test

import (
	"testing"

	"github.com/benchnet/benchnet/internal/platform/cometbft"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
)

func TestConformance(t *testing.T) {
	platformtest.CheckConformance(t, cometbft.New(), platformtest.LoadSamples(t, "cometbft"))
}

func TestGolden(t *testing.T) {
	platformtest.CheckGolden(t, cometbft.New(), "cometbft_blocks", platformtest.LoadSamples(t, "cometbft"))
}
