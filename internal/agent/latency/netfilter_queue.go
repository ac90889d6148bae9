package latency

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
	// queueNumber is the netfilter queue to which the rules send packets; a pod's network has no other user of queues.
	queueNumber = 100
	// queueLength is how many packets the kernel keeps for us at most; the holder's bound in bytes comes first.
	queueLength = 1 << 16
	// headerBytes of each packet are read: enough for the addresses and the length of either IP version.
	headerBytes = 40
	// readBatchSize is how many packets are read at a time.
	readBatchSize = 64
	// socketBuffer takes the kernel's messages of some 50,000 packets, should this process have to wait for a core.
	socketBuffer = 16 << 20
)

// What linux/netfilter/nfnetlink_queue.h defines and the libraries do not.
const (
	messagePacket, messageVerdict, messageConfig = 0, 1, 2

	attributePacketHeader, attributeVerdict, attributeTimestamp, attributePayload = 1, 2, 4, 10

	configCommand, configParameters, configLength, configMask, configFlags = 1, 2, 3, 4, 5

	commandBind = 1
	copyPacket  = 2
	flagGSO     = 4 // NFQA_CFG_F_GSO: what the sender's kernel left to the network card to segment comes in one piece.

	verdictDrop, verdictAccept = 0, 1

	// familyHeader has the address family and the queue, after each message's header.
	familyHeader = 4
	// verdictBytes is a whole message with a verdict.
	verdictBytes = 32
)

// segmentSize says how large packets are that come through the queue.
type segmentSize int

const (
	// largeSegments are as large as the sender's kernel made them: up to 64 KiB, which is fast.
	largeSegments segmentSize = iota
	// wireSegments are as they would be on a wire, so that single ones can be lost or take their time.
	wireSegments
)

// netfilterQueue is a netfilter queue: packets wait in the kernel until their verdict.
type netfilterQueue struct {
	connection *netlink.Conn
	fd         int
	// readBuffer is what was read last, out the verdicts that are not sent yet.
	readBuffer, pendingVerdicts []byte
}

// queuedPacket is a packet in the queue.
type queuedPacket struct {
	id     uint32
	source netip.Addr
	bytes  int
	// arrivedMicros since 1970 at which it arrived; 0 if the kernel did not note it.
	arrivedMicros int64
}

// openNetfilterQueue makes the queue; a rule can send packets to it from then on.
func openNetfilterQueue(p segmentSize) (*netfilterQueue, error) {
	connection, err := netlink.Dial(unix.NETLINK_NETFILTER, nil)
	if err != nil {
		return nil, fmt.Errorf("open netfilter's socket: %w", err)
	}
	q := &netfilterQueue{connection: connection, readBuffer: make([]byte, 1<<20), pendingVerdicts: make([]byte, 0, 1024*verdictBytes)}
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
			// The kernel notes when a packet arrived as long as any socket asks for it.
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
		{"set what is read of queue", []netlink.Attribute{{Type: configParameters, Data: parameters}}},
		{"set the length of queue", []netlink.Attribute{{Type: configLength, Data: binary.BigEndian.AppendUint32(nil, queueLength)}}},
		{"set the pieces of queue", []netlink.Attribute{
			{Type: configFlags, Data: binary.BigEndian.AppendUint32(nil, flags)},
			{Type: configMask, Data: binary.BigEndian.AppendUint32(nil, flagGSO)}}},
	} {
		if err := q.sendConfig(step.attributes); err != nil {
			return fmt.Errorf("%s %d: %w", step.what, queueNumber, err)
		}
	}
	return nil
}

// sendConfig configures the queue. The kernel answers on the socket on which packets come, so that this must be done before they do.
func (q *netfilterQueue) sendConfig(attributes []netlink.Attribute) error {
	data, err := netlink.MarshalAttributes(attributes)
	if err != nil {
		return err
	}
	header := netlink.Header{Type: netlink.HeaderType(unix.NFNL_SUBSYS_QUEUE<<8 | messageConfig), Flags: netlink.Request | netlink.Acknowledge}
	message := netlink.Message{Header: header, Data: append([]byte{unix.AF_UNSPEC, unix.NFNETLINK_V0, 0, queueNumber}, data...)}
	_, err = q.connection.Execute(message)
	return err
}

// waitReadable until there is something to read or the time is over; forever if it is negative.
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

// readPackets tells of the packets that there are, without waiting; not of all when there are many, so that none waits for its release.
func (q *netfilterQueue) readPackets(tell func(queuedPacket)) error {
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
				tell(parsePacket(body[familyHeader:]))
			}
		})
	}
	return nil
}

// parsePacket reads the attributes of one packet.
func parsePacket(attributes []byte) queuedPacket {
	var a queuedPacket
	forEachRecord(attributes, unix.SizeofNlAttr, func(kind uint16, value []byte) {
		switch {
		case kind == attributePacketHeader && len(value) >= 4:
			a.id = binary.BigEndian.Uint32(value)
		case kind == attributeTimestamp && len(value) >= 16:
			a.arrivedMicros = int64(binary.BigEndian.Uint64(value)*1e6 + binary.BigEndian.Uint64(value[8:]))
		case kind == attributePayload:
			a.source, a.bytes = parseIPHeader(value)
		}
	})
	return a
}

// forEachRecord walks over netlink's messages, or the attributes in one: both begin with their length and have their type 4 and 2
// bytes from the start. It takes no memory, which the library's decoders do for every packet.
func forEachRecord(data []byte, header int, tell func(kind uint16, body []byte)) {
	for len(data) >= header {
		length, kind := int(binary.NativeEndian.Uint16(data)), binary.NativeEndian.Uint16(data[2:])
		if header == unix.SizeofNlMsghdr {
			length, kind = int(binary.NativeEndian.Uint32(data)), binary.NativeEndian.Uint16(data[4:])
		}
		if length < header || length > len(data) {
			return
		}
		tell(kind, data[header:length])
		data = data[min((length+3)&^3, len(data)):]
	}
}

// parseIPHeader address and length of an IP packet.
func parseIPHeader(ip []byte) (netip.Addr, int) {
	switch {
	case len(ip) >= 20 && ip[0]>>4 == 4:
		return netip.AddrFrom4([4]byte(ip[12:16])), int(binary.BigEndian.Uint16(ip[2:]))
	case len(ip) >= 40 && ip[0]>>4 == 6:
		return netip.AddrFrom16([16]byte(ip[8:24])), 40 + int(binary.BigEndian.Uint16(ip[4:]))
	}
	return netip.Addr{}, 0
}

// addVerdict notes the verdict on a packet; flush sends what is noted.
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
	q.pendingVerdicts = native.AppendUint64(q.pendingVerdicts, 0) // Sequence and port: no answer is wanted.
	q.pendingVerdicts = append(q.pendingVerdicts, unix.AF_UNSPEC, unix.NFNETLINK_V0)
	q.pendingVerdicts = network.AppendUint16(q.pendingVerdicts, queueNumber)
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
