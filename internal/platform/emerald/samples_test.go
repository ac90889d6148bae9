package emerald_test

import (
	"testing"

	"github.com/benchnet/benchnet/internal/platform/emerald"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
)

func TestGolden(t *testing.T) {
	platformtest.CheckGolden(t, emerald.New(), "emerald_e1")
}
