package emulate

import (
	"encoding/binary"
	"testing"

	"golang.org/x/sys/unix"
)

// FuzzParse parses arbitrary kernel messages with arbitrary packets: a packet has the source address of its own
// header and a possible length.
func FuzzParse(f *testing.F) {
	four := append([]byte{0x45, 0, 0, 60, 0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2}, make([]byte, 20)...)
	six := append([]byte{0x60, 0, 0, 0, 0, 20, 6, 64}, make([]byte, 52)...)
	for _, packet := range [][]byte{four, six, four[:19], six[:39], {}} {
		f.Add(packet, []byte{}, uint32(7))
		f.Add(packet, []byte{8, 0, byte(attributePayload), 0, 1}, uint32(1))
	}
	f.Add([]byte{}, []byte{0, 0, 0, 0, 3, 0, 0xff, 0xff}, uint32(0))
	f.Fuzz(func(t *testing.T, packet, more []byte, id uint32) {
		if len(packet) > 1<<15 {
			return
		}
		attributes := encodeAttribute(attributePacketHeader, binary.BigEndian.AppendUint32(nil, id))
		a := parsePacket(append(attributes, encodeAttribute(attributePayload, packet)...))
		if a.id != id {
			t.Errorf("packet %d became %d", id, a.id)
		}
		switch {
		case !a.source.IsValid() && a.bytes != 0:
			t.Errorf("%d bytes without a sender", a.bytes)
		case a.source.Is4() && string(a.source.AsSlice()) != string(packet[12:16]), a.source.Is6() && string(a.source.AsSlice()) != string(packet[8:24]):
			t.Errorf("%x is from %s", packet, a.source)
		case a.bytes < 0 || a.bytes > 40+1<<16:
			t.Errorf("%x has %d bytes", packet, a.bytes)
		}
		parsePacket(more)
		forEachRecord(more, unix.SizeofNlMsghdr, func(_ uint16, body []byte) {
			if len(body) > len(more)-unix.SizeofNlMsghdr {
				t.Errorf("%d of %d bytes are a message", len(body), len(more))
			}
		})
	})
}

// encodeAttribute encodes an attribute like the kernel.
func encodeAttribute(kind uint16, value []byte) []byte {
	all := binary.NativeEndian.AppendUint16(nil, uint16(unix.SizeofNlAttr+len(value)))
	all = append(binary.NativeEndian.AppendUint16(all, kind), value...)
	return append(all, make([]byte, -len(value)&3)...)
}
