package jpaxos_test

import (
	"testing"

	"github.com/benchnet/benchnet/internal/platform/jpaxos"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
)

func TestGolden(t *testing.T) {
	platformtest.CheckGolden(t, jpaxos.New(), "jpaxos_j1")
}
