// Package payload generates transactions with the payload of CometBFT's load generator, which its report tool reads.
package payload

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"time"
)

// prefix is the key of all transactions, so that a key-value store keeps only the last of them.
const prefix = "a="

// Wire types of Protobuf.
const (
	wireVarint = 0
	wireBytes  = 2
)

// paddingLengthBytes is the fixed length of the varint with the length of the padding. A shorter one could not express
// every size of the transaction.
const paddingLengthBytes = 3

// Generator generates the transactions of one sender. It is not safe for concurrent use.
type Generator struct {
	size              int
	connections, rate uint64
	run               [16]byte
	sender, generated uint32
	random            *rand.ChaCha8
}

// NewGenerator returns a generator of transactions of an even size in bytes, at least
// transactions.MinTransactionBytes. The reference identifies the run, and sender the sender in it. Connections and rate
// are only recorded in the payload.
func NewGenerator(reference string, sender, size int, connections uint64, ratePerSecond float64) *Generator {
	run := sha256.Sum256([]byte(reference))
	seed := sha256.Sum256(binary.BigEndian.AppendUint32(run[:], uint32(sender)))
	g := &Generator{size: size, connections: connections, rate: uint64(math.Round(ratePerSecond)), run: [16]byte(run[:16]), sender: uint32(sender),
		random: rand.NewChaCha8(seed)}
	// Version 8 of RFC 9562: an ID of the application's own form.
	g.run[6], g.run[8] = g.run[6]&0x0f|0x80, g.run[8]&0x3f|0x80
	return g
}

// Next returns the next transaction, which records a time. The content is random, but unique to the sender.
func (g *Generator) Next(at time.Time) []byte {
	clock := appendUint(appendUint(nil, 1, uint64(at.Unix())), 2, uint64(at.Nanosecond()))
	message := make([]byte, 0, g.size/2)
	message = appendUint(message, 1, g.connections)
	message = appendUint(message, 2, g.rate)
	message = appendUint(message, 3, uint64(g.size))
	message = appendBytes(message, 4, clock)
	message = appendBytes(message, 5, g.run[:])
	message = append(message, 6<<3|wireBytes)
	padding := make([]byte, (g.size-len(prefix))/2-len(message)-paddingLengthBytes)
	_, _ = g.random.Read(padding)
	binary.BigEndian.PutUint32(padding, g.sender)
	binary.BigEndian.PutUint32(padding[4:], g.generated)
	g.generated++
	for i := range paddingLengthBytes - 1 {
		message = append(message, byte(len(padding)>>(7*i))|0x80)
	}
	message = append(message, byte(len(padding)>>(7*(paddingLengthBytes-1))))
	return hex.AppendEncode([]byte(prefix), append(message, padding...))
}

func appendUint(message []byte, field byte, value uint64) []byte {
	return binary.AppendUvarint(append(message, field<<3|wireVarint), value)
}

func appendBytes(message []byte, field byte, value []byte) []byte {
	return append(append(message, field<<3|wireBytes, byte(len(value))), value...)
}
