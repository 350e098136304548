package frame_test

import (
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/serial-data-protocol/sdp/mxp/go/frame"
)

func Example() {
	f := frame.Frame{Header: frame.Header{Type: frame.Event, MessageID: 1}, Payload: []byte("tempo=120")}
	buffer, err := f.Append(nil, frame.ChecksumOn)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(buffer), "bytes")

	got, err := frame.Decode(buffer, frame.Options{})
	fmt.Println(got.Type, got.MessageID, string(got.Payload), err)

	buffer[40] ^= 1
	_, err = frame.Decode(buffer, frame.Options{})
	fmt.Println(err, errors.Is(err, frame.ErrChecksum))
	// Output:
	// 49 bytes
	// Event 1 tempo=120 <nil>
	// frame_checksum at offset 41 true
}

// A payload that lies elsewhere is written without being copied: net.Buffers
// hands the pieces to the operating system in one call.
func ExampleEnvelope() {
	here, there := net.Pipe()
	go func() {
		payload := [][]byte{[]byte("two "), []byte("pieces")}
		var e frame.Envelope
		if err := e.Seal(frame.Header{Type: frame.StreamChunk, MessageID: 7}, frame.ChecksumOn, payload...); err != nil {
			fmt.Println(err)
			return
		}
		buffers := net.Buffers{e.Header[:], payload[0], payload[1], e.Trailer[:]}
		if _, err := buffers.WriteTo(here); err != nil {
			fmt.Println(err)
		}
		here.Close()
	}()
	all, _ := io.ReadAll(there)
	f, err := frame.Decode(all, frame.Options{})
	fmt.Println(f.Type, f.MessageID, string(f.Payload), err)
	// Output: StreamChunk 7 two pieces <nil>
}

// The owner of a connection hands on the bytes that it reads.
func ExampleReader() {
	var stream []byte
	for id := range uint64(3) {
		f := frame.Frame{Header: frame.Header{Type: frame.Ping, MessageID: id + 1}}
		stream, _ = f.Append(stream, frame.ChecksumOn)
	}
	r := frame.NewReader(frame.Options{Limit: 64 << 10})
	for len(stream) > 0 {
		piece := stream[:min(50, len(stream))] // what one read may give
		stream = stream[len(piece):]
		for {
			f, ok, err := r.Next(&piece)
			if err != nil {
				fmt.Println(err)
				return
			}
			if !ok {
				break
			}
			fmt.Println(f.Type, f.MessageID)
		}
	}
	fmt.Println(r.End())
	// Output:
	// Ping 1
	// Ping 2
	// Ping 3
	// <nil>
}
