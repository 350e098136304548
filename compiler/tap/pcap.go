package tap

import (
	"io"
	"net"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

// PacketWriter writes records as a pcap file, for tools that read packets. Each connection appears
// as TCP between made-up addresses, also where it was none; its segments have the bytes that
// passed, all of them, in order and once.
type PacketWriter struct {
	file  *pcapgo.Writer
	out   gopacket.SerializeBuffer
	conns map[uint32]*flow
	piece int // how much is in a packet at most
}

// flow is a connection as packets have it.
type flow struct {
	port  uint16    // the client's
	next  [2]uint32 // sequence numbers, by the direction of the bytes
	ended [2]bool   // directions
}

const (
	// serverPort is the port of all servers in a file; clients have those above it,
	// by the number of the connection.
	serverPort  = 49152
	clientPorts = 1<<16 - serverPort - 1
	// segmentBytes is how much of a frame a packet has at most: one of IP has 65,535
	// bytes.
	segmentBytes = 65000
	headersBytes = 20 + 20
)

// loopback is the address of both sides.
var loopback = net.IPv4(127, 0, 0, 1).To4()

// NewPacketWriter writes the file's header.
func NewPacketWriter(target io.Writer) (*PacketWriter, error) {
	w := &PacketWriter{pcapgo.NewWriterNanos(target), gopacket.NewSerializeBuffer(), map[uint32]*flow{}, segmentBytes}
	return w, w.file.WriteFileHeader(segmentBytes+headersBytes, layers.LinkTypeIPv4)
}

// Write writes the packets of a record.
func (w *PacketWriter) Write(r *Record) error {
	f := w.conns[r.Connection]
	if f == nil { // also where the record of its opening is missing
		f = &flow{port: uint16(serverPort + 1 + r.Connection%clientPorts)}
		w.conns[r.Connection] = f
		if err := w.handshake(f, r.At); err != nil {
			return err
		}
	}
	switch r.Kind {
	case Passed, Unread:
		for bytes := r.Bytes; len(bytes) > 0; {
			n := min(len(bytes), w.piece)
			if err := w.segment(f, r.At, r.Direction, layers.TCP{ACK: true, PSH: n == len(bytes)}, bytes[:n]); err != nil {
				return err
			}
			bytes = bytes[n:]
		}
	case Ended:
		f.ended[r.Direction] = true
		if f.ended[r.Direction.back()] {
			delete(w.conns, r.Connection)
		}
		return w.segment(f, r.At, r.Direction, layers.TCP{ACK: true, FIN: true}, nil)
	}
	return nil
}

// handshake writes the three packets that open a connection.
func (w *PacketWriter) handshake(f *flow, now time.Time) error {
	err := w.segment(f, now, ToServer, layers.TCP{SYN: true}, nil)
	if err == nil {
		err = w.segment(f, now, ToClient, layers.TCP{SYN: true, ACK: true}, nil)
	}
	if err == nil {
		err = w.segment(f, now, ToServer, layers.TCP{ACK: true}, nil)
	}
	return err
}

// segment writes a packet.
func (w *PacketWriter) segment(f *flow, now time.Time, d Direction, tcp layers.TCP, payload []byte) error {
	tcp.SrcPort, tcp.DstPort = layers.TCPPort(f.port), serverPort
	if d == ToClient {
		tcp.SrcPort, tcp.DstPort = tcp.DstPort, tcp.SrcPort
	}
	tcp.Seq, tcp.Window = f.next[d], 1<<16-1
	if tcp.ACK {
		tcp.Ack = f.next[d.back()]
	}
	f.next[d] += uint32(len(payload))
	if tcp.SYN || tcp.FIN {
		f.next[d]++
	}
	ip := layers.IPv4{Version: 4, TTL: 64, Protocol: layers.IPProtocolTCP, SrcIP: loopback, DstIP: loopback}
	if err := tcp.SetNetworkLayerForChecksum(&ip); err != nil {
		return err
	}
	options := gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}
	if err := gopacket.SerializeLayers(w.out, options, &ip, &tcp, gopacket.Payload(payload)); err != nil {
		return err
	}
	n := len(w.out.Bytes())
	return w.file.WritePacket(gopacket.CaptureInfo{Timestamp: now, CaptureLength: n, Length: n}, w.out.Bytes())
}
