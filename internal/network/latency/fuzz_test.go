package latency

import "testing"

// FuzzParse checks that no configuration causes a panic, and that the impairment between two members is the same
// in both directions.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"", "{}", `{"network":"n","members":{"a":"LON","b":"NYC"},"runs":{"r":"LON"},"database":{"roundTripMicros":100},
		"links":[{"between":["LON","NYC"],"roundTripMicros":72000,"jitterMicros":10,"lossPercent":0.1,"bitsPerSecond":1000}]}`,
		`{"links":[{"between":["A"]}]}`, `{"links":[{"between":["A","B","C"],"roundTripMicros":9223372036854775807}]}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := ParseConfig(text)
		if err != nil {
			return
		}
		for from := range c.Members {
			for to := range c.Members {
				there, ok := c.ImpairmentFor(from, Peer{Kind: PeerMember, Name: to})
				back, known := c.ImpairmentFor(to, Peer{Kind: PeerMember, Name: from})
				if there != back || ok != known {
					t.Errorf("%s to %s is %+v, and back %+v", from, to, there, back)
				}
			}
			for run := range c.Runs {
				c.ImpairmentFor(from, Peer{Kind: PeerWorker, Name: run})
			}
			c.ImpairmentFor(from, Peer{Kind: PeerDatabase})
		}
	})
}
