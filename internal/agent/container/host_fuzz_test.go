package container

import "testing"

// FuzzParsePressure parses arbitrary pressure files: the waiting time is never negative.
func FuzzParsePressure(f *testing.F) {
	for _, text := range []string{
		"", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1500000\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=3\n", "some total=-1", "some",
		"some total=9223372036854775807", "full total=1",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		if waited, known := parsePressure(content); waited < 0 || waited != 0 && !known {
			t.Errorf("%q is %v, known: %v", content, waited, known)
		}
	})
}
