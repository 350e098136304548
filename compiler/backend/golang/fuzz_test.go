package golang_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"hash/crc32"
	goruntime "runtime"
	"slices"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/backend/golang/testdata/golden/shapes"
	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/conformance/corpus"
	sdp "github.com/serial-data-protocol/sdp/runtime/go"
)

// seeds adds the inputs of a target that every language has.
func seeds(f *testing.F, target string) {
	f.Helper()
	for _, input := range corpus.Inputs(f, target) {
		f.Add(input)
	}
}

// typed is an input whose first byte chooses the type; it may have none, or one without a codec.
func typed(input []byte) (s *subject, data []byte, ok bool) {
	if len(input) == 0 {
		return nil, nil, false
	}
	s = &subjects[int(input[0])%len(subjects)]
	return s, input[1:], s.name != ""
}

// chooses is the byte that chooses a type.
func chooses(s *subject) byte {
	return byte(slices.IndexFunc(subjects, func(one subject) bool { return one.name == s.name }))
}

func FuzzDecodeRegistry(f *testing.F) {
	seeds(f, "registry")
	for s, encodings := range valid(f) {
		for _, data := range encodings {
			if s == &registrySubject {
				f.Add(data)
			}
		}
	}
	f.Add(make([]byte, 12))
	f.Fuzz(func(t *testing.T, data []byte) { registrySubject.check(t, data) })
}

func FuzzDecodeEverything(f *testing.F) {
	seeds(f, "everything")
	for s, encodings := range valid(f) {
		for _, data := range encodings {
			if s == &everythingSubject {
				f.Add(data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) { everythingSubject.check(t, data) })
}

// FuzzViewMatchesDecode reads all that a view shows, of any type.
func FuzzViewMatchesDecode(f *testing.F) {
	seeds(f, "types")
	add := func(s *subject, data []byte) { f.Add(append([]byte{chooses(s)}, data...)) }
	add(&everythingSubject, encode(f, everything()))
	add(&logSubject, encode(f, &shapes.Log{Events: everything().Events}))
	add(&sparseSubject, append(le(2), append([]byte{2, 0, 0, 1, 1, 0}, bytes.Repeat([]byte{3}, 2000)...)...))
	add(&treeSubject, []byte{2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0})
	add(&gridSubject, rows(3))
	add(&nodeSubject, encode(f, everything().Tree))
	f.Fuzz(func(t *testing.T, input []byte) {
		s, data, ok := typed(input)
		if !ok {
			return
		}
		s.check(t, data)
		if s.name != everythingSubject.name {
			return
		}
		if view, err := shapes.ViewEverything(data); err == nil {
			mustShow(t, view, decode[shapes.Everything](t, data))
		}
	})
}

// check decodes data in each way and says what doesn't fit together. All refusals must be the same;
// accepted data must come back.
func (s *subject) check(t *testing.T, data []byte) {
	t.Helper()
	if crc32.ChecksumIEEE(data)%16 == 0 {
		s.checkMemory(t, data)
	}
	s.agree(t, data, true)
	if s.agree(t, data, false) != "" {
		return
	}
	v := s.empty()
	must(t, v.UnmarshalBinary(data))
	encoded, err := v.MarshalBinary()
	must(t, err)
	if v.EncodedSize() != len(encoded) {
		t.Errorf("EncodedSize is %d, the encoding has %d bytes", v.EncodedSize(), len(encoded))
	}
	if s.empty().DecodeExact(data) == nil {
		mustEqualBytes(t, "encoded again", encoded, data)
	}
	again := s.empty()
	must(t, again.UnmarshalBinary(encoded))
	mustEqualBytes(t, "encoded twice", encode(t, again), encoded)
	must(t, v.Validate())
	s.checkJSON(t, v, encoded)
}

// checkJSON compares the text with the interpreter's, and reads it back.
func (s *subject) checkJSON(t *testing.T, v value, encoded []byte) {
	t.Helper()
	text, err := v.AppendJSON(nil)
	must(t, err)
	var want bytes.Buffer
	must(t, codecs()[s.name].WriteJSON(&want, interp.FromBytes(encoded), interp.Options{}))
	if !bytes.Equal(text, want.Bytes()) {
		t.Errorf("the text is\n%s\nand the interpreter's\n%s", text, want.Bytes())
	}
	read := s.empty()
	must(t, read.UnmarshalJSON(text))
	mustEqualBytes(t, "read from JSON", encode(t, read), encoded)
}

// checkMemory looks at the memory of one input in a few: asking for the numbers
// takes longer than decoding.
func (s *subject) checkMemory(t *testing.T, data []byte) {
	t.Helper()
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	err := s.empty().UnmarshalBinary(data)
	goruntime.ReadMemStats(&after)
	if after.TotalAlloc-before.TotalAlloc > s.factor*uint64(len(data))+64<<10 {
		mustKeepBound(t, s, data) // which looks more closely
	}
	if errors.Is(err, sdp.ErrValueInvalid) {
		t.Errorf("%v, which no decoder reports", err)
	}
}

func FuzzMessageStream(f *testing.F) {
	seeds(f, "stream")
	data, starts, _ := stream(f)
	for _, data := range [][]byte{data, data[starts[1]:], bytes.Replace(data, []byte("SDP2\x03\x00"), []byte("SDP2\xff\x00"), 1)} {
		f.Add(append([]byte{7}, data...))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		if len(input) == 0 {
			return
		}
		data := input[1:] // behind what says in which pieces others read it
		r, slow := shapes.NewMessageReader(bytes.NewReader(data)), shapes.NewMessageReader(&slowReader{data})
		for rest := data; ; {
			message, err := r.Next()
			slowly, slowErr := slow.Next()
			if refusal(err) != refusal(slowErr) || err == nil && !equalMessages(message, slowly) {
				t.Fatalf("at once %v, slowly %v", err, slowErr)
			}
			skip := nextMessage(t, rest, message, err)
			if skip == 0 {
				return
			}
			rest = rest[skip:]
		}
	})
}

// nextMessage compares what a reader says with the slice that comes next, and
// returns how long that is; 0 where the stream ends.
func nextMessage(t *testing.T, rest []byte, message sdp.Message, err error) int {
	t.Helper()
	if len(rest) == 0 {
		if refusal(err) != "not a refusal: EOF" {
			t.Fatalf("at the end: %v", err)
		}
		return 0
	}
	if len(rest) < 10 {
		want := refusal(new(shapes.Absent).UnmarshalMessage(rest))
		if refusal(err) != want {
			t.Fatalf("a cut header: %v, want %s", err, want)
		}
		return 0
	}
	n := uint64(rest[6]) | uint64(rest[7])<<8 | uint64(rest[8])<<16 | uint64(rest[9])<<24
	_, want := shapes.DecodeMessage(rest[:min(10+n, uint64(len(rest)))])
	switch {
	case errors.Is(want, sdp.ErrPayloadLength), errors.Is(want, sdp.ErrTypeIDUnknown) && 10+n > uint64(len(rest)):
		mustRefuse(t, err, sdp.ErrTruncated, 6, "")
		return 0
	case refusal(err) != refusal(want):
		t.Fatalf("the reader says %v, the dispatcher %v", err, want)
	case err == nil:
		if message == nil {
			t.Fatal("no message and no error")
		}
		if _, err := message.AppendMessage(nil); err != nil {
			t.Fatal(err)
		}
	case !errors.Is(err, sdp.ErrTypeIDUnknown):
		return 0
	}
	return int(10 + n)
}

// slowReader yields a few bytes at a time.
type slowReader struct{ data []byte }

func (s *slowReader) Read(b []byte) (int, error) {
	n := copy(b[:min(len(b), 7)], s.data)
	s.data = s.data[n:]
	if n == 0 {
		return bytes.NewReader(nil).Read(b)
	}
	return n, nil
}

func FuzzJSON(f *testing.F) {
	few := registry(f)
	few.Plugins = few.Plugins[:1]
	few.Plugins[0].Parameters = few.Plugins[0].Parameters[:2]
	seeds(f, "json")
	add := func(s *subject, text string) { f.Add(append([]byte{chooses(s)}, text...)) }
	add(&everythingSubject, toJSON(f, everything()))
	add(&registrySubject, toJSON(f, few))
	add(&logSubject, toJSON(f, &shapes.Log{Events: everything().Events}))
	add(&treeSubject, ` { "kids" : [ { "kids" : [ ] } ] } `)
	add(&gridSubject, `{"cells":[[[[[[[[1,"2",4294967295]]]]]]]]}`)
	add(&nodeSubject, `{"value":1,"left":null,"right":{"value":0}}`)
	f.Fuzz(func(t *testing.T, input []byte) {
		s, text, ok := typed(input)
		if !ok {
			return
		}
		v := s.empty()
		err := v.UnmarshalJSON(text)
		wantBytes, want := codecs()[s.name].ParseJSON(text, interp.ByteMode)
		if err != nil {
			var e *sdp.Error
			if !errors.As(err, &e) || e.Kind != sdp.ErrJSONInvalid || e.Offset < 0 || e.Offset > len(text) {
				t.Fatalf("%v is no refusal of JSON", err)
			}
			if want == nil {
				t.Fatalf("the interpreter reads %q, which is refused: %v", text, err)
			}
			return
		}
		if !json.Valid(text) {
			t.Fatalf("%q is accepted", text)
		}
		encoded, err := v.MarshalBinary()
		if withoutPlace(err) != withoutPlace(want) {
			t.Fatalf("%q: encoding says %v, the interpreter %v", text, err, want)
		}
		if err == nil {
			mustEqualBytes(t, "encoding of the text", encoded, wantBytes)
			s.checkJSON(t, v, encoded)
		}
	})
}

// withoutPlace is the kind and path of a value that can't be encoded, which has no offset.
func withoutPlace(err error) string {
	var refused *interp.Refusal
	if errors.As(err, &refused) && refused.Offset >= 0 {
		return "a refusal of the text: " + refused.Error()
	}
	return refusal(err)
}
