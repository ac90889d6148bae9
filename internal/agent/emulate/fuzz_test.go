package emulate

import (
	"encoding/binary"
	"testing"

	"golang.org/x/sys/unix"
)

// FuzzParse parses arbitrary kernel messages with arbitrary packets: a packet has the source or destination address of its own
// header and a possible length.
func FuzzParse(f *testing.F) {
	four := append([]byte{0x45, 0, 0, 60, 0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2}, make([]byte, 20)...)
	six := append([]byte{0x60, 0, 0, 0, 0, 20, 6, 64}, make([]byte, 52)...)
	for _, packet := range [][]byte{four, six, four[:19], six[:39], {}} {
		f.Add(packet, []byte{}, uint32(7), false)
		f.Add(packet, []byte{8, 0, byte(attributePayload), 0, 1}, uint32(1), true)
	}
	f.Add([]byte{}, []byte{0, 0, 0, 0, 3, 0, 0xff, 0xff}, uint32(0), false)
	f.Fuzz(func(t *testing.T, packet, more []byte, id uint32, toPeer bool) {
		if len(packet) > 1<<15 {
			return
		}
		attributes := encodeAttribute(attributePacketHeader, binary.BigEndian.AppendUint32(nil, id))
		a := parsePacket(append(attributes, encodeAttribute(attributePayload, packet)...), toPeer)
		if a.id != id {
			t.Errorf("packet %d became %d", id, a.id)
		}
		at4, at6 := 12, 8
		if toPeer {
			at4, at6 = 16, 24
		}
		switch {
		case !a.peer.IsValid() && a.bytes != 0:
			t.Errorf("%d bytes without a peer", a.bytes)
		case a.peer.Is4() && string(a.peer.AsSlice()) != string(packet[at4:at4+4]), a.peer.Is6() && string(a.peer.AsSlice()) != string(packet[at6:at6+16]):
			t.Errorf("%x has peer %s", packet, a.peer)
		case a.bytes < 0 || a.bytes > 40+1<<16:
			t.Errorf("%x has %d bytes", packet, a.bytes)
		}
		parsePacket(more, toPeer)
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
