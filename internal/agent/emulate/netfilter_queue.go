package emulate

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

const (
	// queueNumber is the first netfilter queue, that of regions. Nothing else in a pod's network namespace uses queues.
	queueNumber = 100
	// queueLength is the maximum number of queued packets. The scheduler's limit in bytes takes effect first.
	queueLength = 1 << 16
	// headerBytes are read of each packet, which covers the addresses and the length of both IP versions.
	headerBytes = 40
	// readBatchSize is the maximum number of packets read at a time.
	readBatchSize = 64
	// socketBuffer holds the kernel's messages of about 50,000 packets while this process waits for a core.
	socketBuffer = 16 << 20
)

// Constants of linux/netfilter/nfnetlink_queue.h that the libraries lack.
const (
	messagePacket, messageVerdict, messageConfig = 0, 1, 2

	attributePacketHeader, attributeVerdict, attributeTimestamp, attributePayload = 1, 2, 4, 10

	configCommand, configParameters, configLength, configMask, configFlags = 1, 2, 3, 4, 5

	commandBind = 1
	copyPacket  = 2
	flagGSO     = 4 // NFQA_CFG_F_GSO: a packet that the network card would segment arrives in one piece.

	verdictDrop, verdictAccept = 0, 1

	// familyHeader is the size of the header with address family and queue that follows each message's header.
	familyHeader = 4
	// verdictBytes is the size of a message with a verdict.
	verdictBytes = 32
)

// segmentSize selects the size of the packets in the queue.
type segmentSize int

const (
	// largeSegments are as large as the sender's kernel made them, up to 64 KiB, which is fast.
	largeSegments segmentSize = iota
	// wireSegments are as large as on the wire, so that single ones can be lost or delayed.
	wireSegments
)

// netfilterQueue is a netfilter queue, in which packets wait in the kernel for a verdict.
type netfilterQueue struct {
	packetQueue
	connection *netlink.Conn
	fd         int
	// readBuffer holds the last message read, pendingVerdicts the verdicts to send.
	readBuffer, pendingVerdicts []byte
}

type queuedPacket struct {
	id    uint32
	peer  netip.Addr
	bytes int
	// arrivedMicros is the time of arrival in Unix microseconds; 0 if the kernel did not record it.
	arrivedMicros int64
}

// openNetfilterQueue creates the queue. Rules can send packets to it afterwards.
func openNetfilterQueue(at packetQueue, p segmentSize) (*netfilterQueue, error) {
	connection, err := netlink.Dial(unix.NETLINK_NETFILTER, nil)
	if err != nil {
		return nil, fmt.Errorf("open netfilter's socket: %w", err)
	}
	q := &netfilterQueue{packetQueue: at, connection: connection, readBuffer: make([]byte, 1<<20), pendingVerdicts: make([]byte, 0, 1024*verdictBytes)}
	if err := q.configureSocket(p); err != nil {
		_ = connection.Close()
		return nil, err
	}
	return q, nil
}

func (q *netfilterQueue) configureSocket(p segmentSize) error {
	raw, err := q.connection.SyscallConn()
	if err != nil {
		return fmt.Errorf("use netfilter's socket: %w", err)
	}
	var options error
	err = raw.Control(func(fd uintptr) {
		q.fd = int(fd)
		options = errors.Join(unix.SetsockoptInt(q.fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, socketBuffer),
			unix.SetsockoptInt(q.fd, unix.SOL_NETLINK, unix.NETLINK_NO_ENOBUFS, 1),
			// The kernel records arrival times while any socket requests them.
			unix.SetsockoptInt(q.fd, unix.SOL_SOCKET, unix.SO_TIMESTAMP, 1))
	})
	if err := errors.Join(err, options); err != nil {
		return fmt.Errorf("set up netfilter's socket: %w", err)
	}
	var flags uint32
	if p == largeSegments {
		flags = flagGSO
	}
	parameters := append(binary.BigEndian.AppendUint32(nil, headerBytes), copyPacket)
	for _, step := range []struct {
		what       string
		attributes []netlink.Attribute
	}{
		{"take over queue", []netlink.Attribute{{Type: configCommand, Data: []byte{commandBind, 0, 0, 0}}}},
		{"set the copied range of queue", []netlink.Attribute{{Type: configParameters, Data: parameters}}},
		{"set the length of queue", []netlink.Attribute{{Type: configLength, Data: binary.BigEndian.AppendUint32(nil, queueLength)}}},
		{"set the flags of queue", []netlink.Attribute{
			{Type: configFlags, Data: binary.BigEndian.AppendUint32(nil, flags)},
			{Type: configMask, Data: binary.BigEndian.AppendUint32(nil, flagGSO)}}},
	} {
		if err := q.sendConfig(step.attributes); err != nil {
			return fmt.Errorf("%s %d: %w", step.what, q.number, err)
		}
	}
	return nil
}

// sendConfig configures the queue. The kernel answers on the packet socket, so this must precede the first packet.
func (q *netfilterQueue) sendConfig(attributes []netlink.Attribute) error {
	data, err := netlink.MarshalAttributes(attributes)
	if err != nil {
		return err
	}
	header := netlink.Header{Type: netlink.HeaderType(unix.NFNL_SUBSYS_QUEUE<<8 | messageConfig), Flags: netlink.Request | netlink.Acknowledge}
	address := binary.BigEndian.AppendUint16([]byte{unix.AF_UNSPEC, unix.NFNETLINK_V0}, q.number)
	_, err = q.connection.Execute(netlink.Message{Header: header, Data: append(address, data...)})
	return err
}

// waitReadable waits until the queue or also is readable, or until limit has passed. A negative limit never passes.
func (q *netfilterQueue) waitReadable(limit time.Duration, also int) error {
	fds := []unix.PollFd{{Fd: int32(q.fd), Events: unix.POLLIN}, {Fd: int32(also), Events: unix.POLLIN}}
	var timeout *unix.Timespec
	if limit >= 0 {
		timeout = new(unix.NsecToTimespec(limit.Nanoseconds()))
	}
	if _, err := unix.Ppoll(fds, timeout, nil); err != nil && !errors.Is(err, unix.EINTR) {
		return fmt.Errorf("wait for packets: %w", err)
	}
	return nil
}

// readPackets passes waiting packets to handle without blocking. It reads at most readBatchSize, so that held
// packets are released on time.
func (q *netfilterQueue) readPackets(handle func(queuedPacket)) error {
	for range readBatchSize {
		n, _, err := unix.Recvfrom(q.fd, q.readBuffer, unix.MSG_DONTWAIT)
		switch {
		case errors.Is(err, unix.EAGAIN):
			return nil
		case errors.Is(err, unix.EINTR), errors.Is(err, unix.ENOBUFS):
			continue
		case err != nil:
			return fmt.Errorf("read packets: %w", err)
		}
		forEachRecord(q.readBuffer[:n], unix.SizeofNlMsghdr, func(kind uint16, body []byte) {
			if kind == unix.NFNL_SUBSYS_QUEUE<<8|messagePacket && len(body) > familyHeader {
				handle(parsePacket(body[familyHeader:], q.rule.toPeers))
			}
		})
	}
	return nil
}

func parsePacket(attributes []byte, toPeer bool) queuedPacket {
	var a queuedPacket
	forEachRecord(attributes, unix.SizeofNlAttr, func(kind uint16, value []byte) {
		switch {
		case kind == attributePacketHeader && len(value) >= 4:
			a.id = binary.BigEndian.Uint32(value)
		case kind == attributeTimestamp && len(value) >= 16:
			a.arrivedMicros = int64(binary.BigEndian.Uint64(value)*1e6 + binary.BigEndian.Uint64(value[8:]))
		case kind == attributePayload:
			a.peer, a.bytes = parseIPHeader(value, toPeer)
		}
	})
	return a
}

// forEachRecord iterates over netlink messages, or over the attributes of one: both start with their length and have
// their type at byte 4 and 2 respectively. Unlike the library's decoders, it allocates no memory per packet.
func forEachRecord(data []byte, header int, handle func(kind uint16, body []byte)) {
	for len(data) >= header {
		length, kind := int(binary.NativeEndian.Uint16(data)), binary.NativeEndian.Uint16(data[2:])
		if header == unix.SizeofNlMsghdr {
			length, kind = int(binary.NativeEndian.Uint32(data)), binary.NativeEndian.Uint16(data[4:])
		}
		if length < header || length > len(data) {
			return
		}
		handle(kind, data[header:length])
		data = data[min((length+3)&^3, len(data)):]
	}
}

// parseIPHeader returns the address of the peer that an IP packet is from or to, and its length.
func parseIPHeader(ip []byte, toPeer bool) (netip.Addr, int) {
	at4, at6 := 12, 8
	if toPeer {
		at4, at6 = 16, 24
	}
	switch {
	case len(ip) >= 20 && ip[0]>>4 == 4:
		return netip.AddrFrom4([4]byte(ip[at4 : at4+4])), int(binary.BigEndian.Uint16(ip[2:]))
	case len(ip) >= 40 && ip[0]>>4 == 6:
		return netip.AddrFrom16([16]byte(ip[at6 : at6+16])), 40 + int(binary.BigEndian.Uint16(ip[4:]))
	}
	return netip.Addr{}, 0
}

// addVerdict buffers the verdict on a packet; flushVerdicts sends the buffer.
func (q *netfilterQueue) addVerdict(id, verdict uint32) error {
	if len(q.pendingVerdicts)+verdictBytes > cap(q.pendingVerdicts) {
		if err := q.flushVerdicts(); err != nil {
			return err
		}
	}
	native, network := binary.NativeEndian, binary.BigEndian
	q.pendingVerdicts = native.AppendUint32(q.pendingVerdicts, verdictBytes)
	q.pendingVerdicts = native.AppendUint16(q.pendingVerdicts, unix.NFNL_SUBSYS_QUEUE<<8|messageVerdict)
	q.pendingVerdicts = native.AppendUint16(q.pendingVerdicts, unix.NLM_F_REQUEST)
	q.pendingVerdicts = native.AppendUint64(q.pendingVerdicts, 0) // Sequence and port; no answer is requested.
	q.pendingVerdicts = append(q.pendingVerdicts, unix.AF_UNSPEC, unix.NFNETLINK_V0)
	q.pendingVerdicts = network.AppendUint16(q.pendingVerdicts, q.number)
	q.pendingVerdicts = native.AppendUint16(q.pendingVerdicts, 12)
	q.pendingVerdicts = native.AppendUint16(q.pendingVerdicts, attributeVerdict)
	q.pendingVerdicts = network.AppendUint32(q.pendingVerdicts, verdict)
	q.pendingVerdicts = network.AppendUint32(q.pendingVerdicts, id)
	return nil
}

func (q *netfilterQueue) flushVerdicts() error {
	if len(q.pendingVerdicts) == 0 {
		return nil
	}
	_, err := unix.Write(q.fd, q.pendingVerdicts)
	q.pendingVerdicts = q.pendingVerdicts[:0]
	if err != nil && !errors.Is(err, unix.ENOENT) {
		return fmt.Errorf("send verdicts: %w", err)
	}
	return nil
}

func (q *netfilterQueue) closeSocket() { _ = q.connection.Close() }
