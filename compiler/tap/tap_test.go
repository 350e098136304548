package tap

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
	"github.com/serial-data-protocol/sdp/compiler/talk"
	"github.com/serial-data-protocol/sdp/mxp/go/frame"
)

const shop = `
package shop;
struct Wish { name: str }
message Ware { price: u32 }
service Shop {
	call buy(Wish) -> Ware = 1;
	stream swap(stream Wish) -> stream Ware = 2;
	event closed(Wish) = 3;
}
`

func shopCatalog(t testing.TB) *talk.Catalog {
	t.Helper()
	found, problems := check.Program(check.Memory{"shop.sdp": shop}, []string{"shop.sdp"}, func(*syntax.File) string { return "" })
	if found == nil {
		t.Fatalf("%+v", problems.Sorted()[0])
	}
	catalog, err := talk.NewCatalog(plan.New(found))
	if err != nil {
		t.Fatal(err)
	}
	return catalog
}

// sealed is a whole frame.
func sealed(t testing.TB, h frame.Header, payload []byte, checksum frame.Checksum) []byte {
	t.Helper()
	f := frame.Frame{Header: h, Payload: payload}
	all, err := f.Append(nil, checksum)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// own makes a payload of the protocol's own, of JSON.
func ownPayload(t testing.TB, name, text string) []byte {
	t.Helper()
	payload, err := own(name).ParseJSON([]byte(text), interp.ByteMode)
	if err != nil {
		t.Fatal(err)
	}
	return payload
}

const helloText = `{"version": 1, "payload_bytes": 1000, "offers": 1, "services": [{"name": "shop.Shop"}], "types": []}`

// conversationOf are the frames of a connection on which everything is said.
func conversationOf(t testing.TB) []Record {
	hello := ownPayload(t, "Hello", helloText)
	start := func(number int, more string) []byte {
		return ownPayload(t, "CallStart", fmt.Sprintf(`{"head": {"service": 0, "method": %d, "deadline": 2000000, "trace": null, "metadata": [%s]}}`, number, more))
	}
	stream := ownPayload(t, "StreamStart", `{"head": {"service": 0, "method": 2, "deadline": 0, "trace": null, "metadata": []}, "grant": {"messages": 1, "bytes": 1}}`)
	answer := ownPayload(t, "ResponseStart", `{"head": {"metadata": [{"key": "seen", "value": "YnV5"}]}}`)
	wish, ware := []byte("\x01\x00\x00\x00x"), []byte("\x07\x00\x00\x00")
	var records []Record
	say := func(d Direction, kind frame.Type, flags frame.Flags, id uint64, checksum frame.Checksum, parts ...[]byte) {
		all := sealed(t, frame.Header{Type: kind, Flags: flags, MessageID: id}, bytes.Join(parts, nil), checksum)
		records = append(records, Record{Kind: Passed, At: time.Unix(0, 1e18).UTC(), Connection: 1, Direction: d, Bytes: all})
	}
	records = append(records, Record{Kind: Opened, At: time.Unix(0, 1e18).UTC(), Connection: 1, Listen: "here", Target: "there"})
	say(ToServer, frame.Hello, 0, 0, frame.ChecksumOn, hello)
	say(ToServer, frame.Call, 0, 1, frame.ChecksumOff, start(1, ""), wish) // too early for a service to be known
	say(ToClient, frame.Hello, 0, 0, frame.ChecksumOn, hello)
	say(ToServer, frame.Call, 0, 3, frame.ChecksumOff, start(1, `{"key": "key", "value": "AP8="}`), wish)
	say(ToServer, frame.Event, frame.RequiresAck, 5, frame.ChecksumOn, start(3, ""), wish)
	say(ToClient, frame.Response, 0, 3, frame.ChecksumOff, answer, ware)
	say(ToClient, frame.Ack, 0, 5, frame.ChecksumOn, ownPayload(t, "Taken", `{"chunk": 0}`))
	say(ToServer, frame.StreamOpen, 0, 7, frame.ChecksumOn, stream)
	say(ToServer, frame.StreamChunk, frame.Final, 7, frame.ChecksumOn, wish)
	say(ToClient, frame.StreamChunk, 0, 7, frame.ChecksumOn, ware)
	say(ToClient, frame.StreamChunk, 0, 7, frame.ChecksumOn, ware[1:])
	say(ToClient, frame.StreamClose, 0, 7, frame.ChecksumOn)
	say(ToServer, frame.Call, 0, 9, frame.ChecksumOn, start(9, ""), wish)
	say(ToClient, frame.Error, 0, 9, frame.ChecksumOn, ownPayload(t, "Failure", `{"status": 12, "refused": true, "name": "method_unknown", "text": "", "details": ""}`))
	say(ToServer, frame.AgentDiscover, 0, 11, frame.ChecksumOn, ownPayload(t, "Query", `{"capability": "x"}`))
	say(ToClient, frame.Response, 0, 11, frame.ChecksumOn, answer, ownPayload(t, "Agents", `{"agents": []}`))
	say(ToServer, frame.Ping, 0, 13, frame.ChecksumOn)
	say(ToServer, frame.StreamOpen, 0, 15, frame.ChecksumOn, stream)
	say(ToClient, frame.StreamChunks, 0, 15, frame.ChecksumOn, []byte{4, 0}, ware, []byte{0, 0}, []byte{3, 0}, ware[1:])
	say(ToClient, frame.StreamChunks, 0, 15, frame.ChecksumOn, []byte{4, 0}, ware, []byte{1, 0})
	say(ToClient, frame.StreamChunks, 0, 15, frame.ChecksumOn, []byte{4, 0}, ware, []byte{1})
	say(ToServer, frame.StreamChunks, frame.RequiresAck, 99, frame.ChecksumOn, []byte{1, 0, 7, 0, 0})
	say(ToServer, frame.Events, 0, 17, frame.ChecksumOn, start(3, ""), []byte{5, 0}, wish, []byte{5, 0}, wish)
	say(ToServer, frame.Call, 0, 19, frame.ChecksumOn, []byte{1, 2})
	records[len(records)-1].Bytes[33] ^= 1 // and its checksum is wrong
	records = append(records,
		Record{Kind: Unread, At: time.Unix(0, 1e18).UTC(), Connection: 1, Direction: ToServer, Bytes: []byte("GET / HTTP/1.1"), Why: "frame_magic"},
		Record{Kind: Ended, At: time.Unix(0, 1e18).UTC(), Connection: 1, Direction: ToServer},
		Record{Kind: Ended, At: time.Unix(0, 1e18).UTC(), Connection: 1, Direction: ToClient, Why: "broken pipe"})
	return records
}

func TestFramesAreSaidByTheirExchange(t *testing.T) {
	want := strings.Split(`-
Hello 0  version 1, payloads up to 1000 bytes, trailers may be 0, serves shop.Shop, 0 types
Call 1  service 0/1  5 bytes (01 00 00 00 78)  deadline 2s  the checksum is wrong
Hello 0  version 1, payloads up to 1000 bytes, trailers may be 0, serves shop.Shop, 0 types
Call 3  shop.Shop/buy  {"name":"x"}  deadline 2s  key=0x00ff
Event 5  shop.Shop/closed  {"name":"x"}  deadline 2s  requires ack
Response 3  shop.Shop/buy  {"price":7}  seen=buy
Ack 5  shop.Shop/closed  {"chunk":"0"}
StreamOpen 7  shop.Shop/swap
StreamChunk 7  shop.Shop/swap  {"name":"x"}  final
StreamChunk 7  shop.Shop/swap  {"price":7}
StreamChunk 7  shop.Shop/swap  3 bytes (00 00 00), refused: segment_partial at byte 0 in price: 4 bytes, but 3 are left
StreamClose 7  shop.Shop/swap
Call 9  shop.Shop/9  5 bytes (01 00 00 00 78)  deadline 2s
Error 9  shop.Shop/9  {"status":"Unimplemented","refused":true,"name":"method_unknown","text":"","details":""}
AgentDiscover 11  {"capability":"x","name":"","service":"","version":"0"}
Response 11  {"agents":[],"version":"0","age":"0"}  seen=buy
Ping 13
StreamOpen 15  shop.Shop/swap
StreamChunks 15  shop.Shop/swap  {"price":7}  0 bytes, refused: segment_partial at byte 0 in price: 4 bytes, but 0 are left  3 bytes (00 00 00), refused: segment_partial at byte 0 in price: 4 bytes, but 3 are left
StreamChunks 15  shop.Shop/swap  8 bytes (04 00 07 00 00 00 01 00), refused: length_exceeds_input at byte 6
StreamChunks 15  shop.Shop/swap  7 bytes (04 00 07 00 00 00 01), refused: truncated at byte 6
StreamChunks 99  1 byte (07)  0 bytes  requires ack
Events 17  shop.Shop/closed  {"name":"x"}  {"name":"x"}  deadline 2s
Call 19  2 bytes (01 03), refused: truncated at byte 0 in head: 4 bytes, but 2 are left  the checksum is wrong
-
-
-`, "\n")
	w := NewWatcher(shopCatalog(t))
	for i, record := range conversationOf(t) {
		f, err := w.See(&record)
		if err != nil {
			t.Fatal(err)
		}
		line := "-"
		if f != nil {
			line = f.Line()
		}
		if line != want[i] {
			t.Errorf("line %d is\n%s\nwant\n%s", i, line, want[i])
		}
	}
	if len(w.conns) != 0 {
		t.Errorf("the watcher remembers %d connections that are gone", len(w.conns))
	}
}

// TestExchangesAreForgotten has a peer that asks and never is answered.
func TestExchangesAreForgotten(t *testing.T) {
	w := NewWatcher(nil)
	payload := ownPayload(t, "CallStart", `{"head": {"service": 0, "method": 1, "deadline": 0, "trace": null, "metadata": []}}`)
	for id := range uint64(exchangesMax + 1000) {
		all := sealed(t, frame.Header{Type: frame.Call, MessageID: id}, payload, frame.ChecksumOn)
		if _, err := w.See(&Record{Kind: Passed, Connection: 1, Bytes: all}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(w.conns[1].open); n != exchangesMax {
		t.Errorf("%d exchanges are remembered", n)
	}
}

// split gives a splitter's results for bytes that come in pieces.
func split(s *splitter, all []byte, size func() int) (frames []string, unread string) {
	found := func(b []byte, why string) {
		if why == "" {
			frames = append(frames, string(b))
		} else {
			unread += string(b)
		}
	}
	for len(all) > 0 {
		n := min(size(), len(all))
		s.take(all[:n], found)
		all = all[n:]
	}
	s.end(found)
	return frames, unread
}

func TestSplitterFindsTheSameFramesHoweverBytesCome(t *testing.T) {
	var all []byte
	var want []string
	for _, n := range []int{0, 1, 31, 4096, 70000, freeBytes + 1, 3} {
		one := sealed(t, frame.Header{Type: frame.Call, MessageID: uint64(n)}, bytes.Repeat([]byte{byte(n)}, n), frame.ChecksumOn)
		all, want = append(all, one...), append(want, string(one))
	}
	all = append(all, "1PXM and then something that is no frame at all, but long enough"...)
	random := rand.New(rand.NewPCG(1, 2))
	for name, size := range map[string]func() int{
		"whole":  func() int { return len(all) },
		"bytes":  func() int { return 1 },
		"random": func() int { return 1 + random.IntN(5000) },
	} {
		var b budget
		frames, unread := split(&splitter{budget: &b}, all, size)
		if len(frames) != len(want) || strings.Join(frames, "") != strings.Join(want, "") {
			t.Errorf("%s: %d frames, want %d", name, len(frames), len(want))
		}
		if unread != string(all[len(strings.Join(want, "")):]) {
			t.Errorf("%s: what is not read is %q", name, unread)
		}
		if held := b.held.Load(); held != 0 {
			t.Errorf("%s: %d bytes are held", name, held)
		}
	}
}

// TestSplitterKeepsNoMoreThanItsBudget lets many peers begin large frames.
func TestSplitterKeepsNoMoreThanItsBudget(t *testing.T) {
	var b budget
	large := sealed(t, frame.Header{Type: frame.Call}, make([]byte, frame.PayloadBytes), frame.ChecksumOff)
	small := sealed(t, frame.Header{Type: frame.Call}, []byte("small"), frame.ChecksumOff)
	many := make([]splitter, 40)
	kept := 0
	for i := range many {
		many[i].budget = &b
		skipped := 0
		many[i].take(large[:1000], func(b []byte, why string) { skipped += len(b) })
		if skipped == 0 {
			kept++
			continue
		}
		var frames []string
		many[i].take(append(large[1000:len(large):len(large)], small...), func(b []byte, why string) {
			if why == "" {
				frames = append(frames, string(b))
			} else {
				skipped += len(b)
			}
		})
		if skipped != len(large) || len(frames) != 1 || frames[0] != string(small) {
			t.Fatalf("%d bytes were skipped, and %d frames found", skipped, len(frames))
		}
	}
	if kept != heldBytesMax/len(large) {
		t.Errorf("%d frames are kept", kept)
	}
	for i := range many {
		many[i].end(func([]byte, string) {})
	}
	if held := b.held.Load(); held != 0 {
		t.Errorf("%d bytes are held", held)
	}
}

func captured(t testing.TB) (all []byte, records []Record) {
	records = conversationOf(t)
	for i := range records {
		var err error
		if all, err = AppendRecord(all, &records[i]); err != nil {
			t.Fatal(err)
		}
	}
	return all, records
}

func TestCaptureIsReadAsItWasWritten(t *testing.T) {
	all, records := captured(t)
	if !BeginsCapture(all[:interp.HeaderBytes]) || BeginsCapture([]byte("SDP2\x01\x00\x00\x00\x00\x00")) || BeginsCapture(all[:9]) {
		t.Error("captures are not told from others")
	}
	reader := NewReader(bytes.NewReader(all))
	for i, want := range records {
		got, err := reader.Next()
		if err != nil {
			t.Fatal(err)
		}
		if len(want.Bytes) > 0 {
			if at := got.BytesAt; string(all[at:at+int64(len(want.Bytes))]) != string(want.Bytes) {
				t.Errorf("the bytes of record %d don't begin at %d", i, at)
			}
		}
		got.BytesAt = 0
		if fmt.Sprint(*got) != fmt.Sprint(want) {
			t.Errorf("record %d is\n%+v\nwant\n%+v", i, *got, want)
		}
	}
	if _, err := reader.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("at the end there is %v", err)
	}
}

// TestCaptureThatWasCutHasItsWholeRecords reads what a tap leaves behind that was
// killed at any point.
func TestCaptureThatWasCutHasItsWholeRecords(t *testing.T) {
	all, _ := captured(t)
	ends := map[int]int{0: 0}
	reader := NewReader(bytes.NewReader(all))
	for n := 1; ; n++ {
		if _, err := reader.Next(); err != nil {
			break
		}
		ends[int(reader.At())] = n
	}
	whole := 0
	for cut := range len(all) {
		reader := NewReader(bytes.NewReader(all[:cut]))
		n := 0
		var err error
		for ; err == nil; n++ {
			_, err = reader.Next()
		}
		n--
		if complete, there := ends[cut]; there {
			whole = complete
			if !errors.Is(err, io.EOF) {
				t.Fatalf("a capture of %d whole records ends with %v", n, err)
			}
		} else if !errors.As(err, new(*interp.Refusal)) {
			t.Fatalf("a capture that was cut at %d ends with %v", cut, err)
		}
		if n != whole {
			t.Fatalf("a capture that was cut at %d has %d records, want %d", cut, n, whole)
		}
	}
}
