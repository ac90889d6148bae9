package payload

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/benchnet/benchnet/internal/platform/cometbft/transactions"
)

// decodeMessage returns the numbers and the texts of a Protobuf message by field.
func decodeMessage(t *testing.T, message []byte) (map[uint64]uint64, map[uint64]string) {
	t.Helper()
	numbers, texts := map[uint64]uint64{}, map[uint64]string{}
	next := func() uint64 {
		value, n := binary.Uvarint(message)
		if n <= 0 {
			t.Fatalf("not a varint: %x", message)
		}
		message = message[n:]
		return value
	}
	for len(message) > 0 {
		switch tag := next(); tag & 7 {
		case 0:
			numbers[tag>>3] = next()
		case 2:
			length := next()
			texts[tag>>3], message = string(message[:length]), message[length:]
		default:
			t.Fatalf("tag %d", tag)
		}
	}
	return numbers, texts
}

func TestPayloadHasItsSizeAndFields(t *testing.T) {
	at := time.Unix(1_800_000_000, 999_999_999)
	sizes := []int{transactions.MinTransactionBytes, 134, 1024, 8192, transactions.MaxTransactionBytes}
	// Around this size the length of the padding needs a second byte.
	for size := 340; size < 400; size += 2 {
		sizes = append(sizes, size)
	}
	for _, size := range sizes {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			tx := NewGenerator("run", 1<<20, size, math.MaxInt32, 1e18).Next(at)
			encoded, ok := strings.CutPrefix(string(tx), "a=")
			message, err := hex.DecodeString(encoded)
			if len(tx) != size || !ok || err != nil {
				t.Fatalf("%d bytes, %q, %v", len(tx), tx, err)
			}
			numbers, texts := decodeMessage(t, message)
			if want := map[uint64]uint64{1: math.MaxInt32, 2: 1e18, 3: uint64(size)}; !maps.Equal(numbers, want) {
				t.Errorf("numbers %v, want %v", numbers, want)
			}
			clock, _ := decodeMessage(t, []byte(texts[4]))
			if want := map[uint64]uint64{1: 1_800_000_000, 2: 999_999_999}; !maps.Equal(clock, want) {
				t.Errorf("time %v, want %v", clock, want)
			}
			if len(texts) != 3 || len(texts[5]) != 16 || len(texts[6]) < 8 {
				t.Errorf("ID of %d bytes, padding of %d", len(texts[5]), len(texts[6]))
			}
		})
	}
}

func TestTransactionsDiffer(t *testing.T) {
	seen := map[string]bool{}
	ids := map[string]bool{}
	for _, reference := range []string{"one", "two"} {
		for sender := range 2 {
			g := NewGenerator(reference, sender, transactions.MinTransactionBytes, 1, 1)
			for range 1000 {
				tx := string(g.Next(time.Unix(1, 0)))
				message, _ := hex.DecodeString(tx[2:])
				_, texts := decodeMessage(t, message)
				seen[tx], ids[texts[5]] = true, true
			}
		}
	}
	if len(seen) != 4000 || len(ids) != 2 {
		t.Errorf("%d different transactions of %d runs, want 4000 of 2", len(seen), len(ids))
	}
}
