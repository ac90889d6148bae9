package jpaxos_test

import (
	"testing"

	"github.com/benchnet/benchnet/internal/platform/jpaxos"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
)

func TestConformance(t *testing.T) {
	platformtest.CheckConformance(t, jpaxos.New(), platformtest.LoadSamples(t, "jpaxos"))
}

func TestGolden(t *testing.T) {
	platformtest.CheckGolden(t, jpaxos.New(), "jpaxos_j1", platformtest.LoadSamples(t, "jpaxos"))
}
