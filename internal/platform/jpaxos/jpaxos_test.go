package jpaxos_test

import (
	"testing"

	"github.com/benchnet/benchnet/internal/platform/jpaxos"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
)

func TestConform(t *testing.T) {
	platformtest.Conform(t, jpaxos.New(), platformtest.Samples(t, "jpaxos"))
}

func TestGolden(t *testing.T) {
	platformtest.Golden(t, jpaxos.New(), platformtest.Samples(t, "jpaxos"))
}
