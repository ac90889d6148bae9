package emerald_test

import (
	"testing"

	"github.com/benchnet/benchnet/internal/platform/emerald"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
)

func TestConform(t *testing.T) {
	platformtest.Conform(t, emerald.New(), platformtest.Samples(t, "emerald"))
}

func TestGolden(t *testing.T) {
	platformtest.Golden(t, emerald.New(), platformtest.Samples(t, "emerald"))
}
