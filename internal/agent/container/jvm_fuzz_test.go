package container

import (
	"encoding/binary"
	"math"
	"testing"
)

// FuzzParsePerfData parses perf data that any process of a member could write: the results are valid counters.
func FuzzParsePerfData(f *testing.F) {
	values := map[string]int64{"sun.os.hrt.frequency": 1e9, "sun.gc.collector.0.time": 25e8, "sun.gc.collector.0.invocations": 40}
	f.Add(encodePerfData(f, binary.LittleEndian, values))
	f.Add(encodePerfData(f, binary.BigEndian, values))
	f.Add(encodePerfData(f, binary.BigEndian, map[string]int64{"sun.os.hrt.frequency": 1, "sun.gc.collector.0.time": -1, "sun.gc.collector.0.invocations": math.MinInt64}))
	f.Add([]byte{0xca, 0xfe, 0xc0, 0xc0})
	f.Fuzz(func(t *testing.T, content []byte) {
		c, err := parsePerfData(content)
		if err != nil {
			return
		}
		seconds, count, _ := c.sumCollections()
		if !(seconds >= 0) || !(count >= 0) || math.IsInf(seconds, 0) {
			t.Errorf("%v s in %v collections of %v", seconds, count, c)
		}
	})
}
