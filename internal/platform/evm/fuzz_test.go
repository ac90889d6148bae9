package evm

import "testing"

// FuzzRead checks that the amounts of every accepted workload file are non-negative numbers.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"", "{}", `{"targets":[{"name":"member-0","address":"http://member-0:8545"}],"operation":{"chainId":1,"seedFile":"/s","valueWei":"1"},"load":{"model":"Open","ratePerSecond":10,"clients":1}}`,
		`{"operation":{"valueWei":"0x1","recipient":"0x"},"load":{"ratePerSecond":1e400}}`, `{"operation":{"maxFeePerGasWei":"-1"}}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		w, err := readText(t, text)
		if err != nil {
			return
		}
		for _, amount := range []string{w.Operation.ValueWei, w.Operation.MaxFeePerGasWei, w.Operation.MaxPriorityFeePerGasWei} {
			if n := ParseWei(amount); n == nil || n.Sign() < 0 {
				t.Errorf("%q was accepted as an amount", amount)
			}
		}
	})
}
