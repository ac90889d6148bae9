package emerald_test

import (
	"testing"

	"github.com/benchnet/benchnet/internal/platform/emerald"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
)

func TestConformance(t *testing.T) {
	platformtest.CheckConformance(t, emerald.New(), platformtest.LoadSamples(t, "emerald"))
}

func TestGolden(t *testing.T) {
	platformtest.CheckGolden(t, emerald.New(), "emerald_e1", platformtest.LoadSamples(t, "emerald"))
}
