package golang_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/serial-data-protocol/sdp/compiler/backend/golang/testdata/golden/shapes"
	sdp "github.com/serial-data-protocol/sdp/runtime/go"
)

// stream is three messages of different types in a row, and where each begins.
func stream(t testing.TB) (data []byte, starts []int, messages []sdp.Message) {
	t.Helper()
	kept := everything().Kept
	messages = []sdp.Message{everything(), &kept, &shapes.Absent{}}
	var out bytes.Buffer
	w := shapes.NewMessageWriter(&out)
	for _, m := range messages {
		starts = append(starts, out.Len())
		must(t, w.Write(m))
	}
	return out.Bytes(), append(starts, out.Len()), messages
}

func equalMessages(a, b sdp.Message) bool {
	x, errX := a.AppendMessage(nil)
	y, errY := b.AppendMessage(nil)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

func TestMessageReaderReturnsEachMessage(t *testing.T) {
	data, _, messages := stream(t)
	for name, source := range map[string]io.Reader{
		"at once":              bytes.NewReader(data),
		"byte by byte":         iotest.OneByteReader(bytes.NewReader(data)),
		"with the end at once": iotest.DataErrReader(bytes.NewReader(data)),
	} {
		r := shapes.NewMessageReader(source)
		i := 0
		for m, err := range r.All() {
			if err != nil || !equalMessages(m, messages[i]) {
				t.Fatalf("%s: message %d: %v", name, i, err)
			}
			i++
		}
		if i != len(messages) {
			t.Errorf("%s: %d messages", name, i)
		}
		if _, err := r.Next(); err != io.EOF {
			t.Errorf("%s: behind the end: %v", name, err)
		}
	}
}

// [WIRE-11.7, WIRE-11.8]
func TestAPreambleStandsInFrontOfMessages(t *testing.T) {
	data, _, messages := stream(t)
	var out bytes.Buffer
	w := shapes.NewMessageWriter(&out)
	layout := shapes.EverythingLayout()
	must(t, w.WritePreamble(shapes.EverythingTypeID, layout))
	header := binary.LittleEndian.AppendUint16([]byte("SDPS"), shapes.EverythingTypeID)
	header = binary.LittleEndian.AppendUint32(header, uint32(len(layout)))
	if out.String() != string(header)+layout {
		t.Errorf("the preamble is %q", out.Bytes())
	}
	out.Write(data)
	n := 0
	for m, err := range shapes.NewMessageReader(iotest.OneByteReader(&out)).All() {
		if err != nil || !equalMessages(m, messages[n]) {
			t.Fatalf("message %d: %v", n, err)
		}
		n++
	}
	if n != len(messages) {
		t.Errorf("%d messages", n)
	}
	out.Reset()
	err := w.WritePreamble(1, strings.Repeat("x", sdp.LayoutTextBytes+1))
	if !errors.Is(err, sdp.ErrValueTooLarge) || out.Len() > 0 {
		t.Errorf("a text over the limit: %v, and %d bytes", err, out.Len())
	}
	must(t, w.WritePreamble(shapes.AbsentTypeID, layout))
	_, err = shapes.NewMessageReader(&out).Next()
	var refusal *sdp.Error
	if !errors.As(err, &refusal) || refusal.Kind != sdp.ErrLayoutMismatch || refusal.Offset != 10 || !strings.HasPrefix(refusal.Path, "shapes.Absent") {
		t.Errorf("another type's layout: %v", err)
	}
}

// TestMessageReaderTellsACutStreamFromItsEnd cuts a stream at every byte.
func TestMessageReaderTellsACutStreamFromItsEnd(t *testing.T) {
	data, starts, messages := stream(t)
	for cut := range len(data) {
		whole := 0
		for starts[whole+1] <= cut {
			whole++
		}
		r := shapes.NewMessageReader(bytes.NewReader(data[:cut]))
		for i := range whole {
			if m, err := r.Next(); err != nil || !equalMessages(m, messages[i]) {
				t.Fatalf("cut at %d: message %d: %v", cut, i, err)
			}
		}
		_, err := r.Next()
		at := 0
		switch n := cut - starts[whole]; {
		case n == 0:
			if err != io.EOF {
				t.Fatalf("cut at %d: %v, want the end", cut, err)
			}
			continue
		case n >= 6:
			at = 6
		case n >= 4:
			at = 4
		}
		mustRefuse(t, err, sdp.ErrTruncated, at, "")
		if _, again := r.Next(); again != err {
			t.Fatalf("cut at %d: reading again: %v", cut, again)
		}
	}
}

func TestMessageReaderGoesOnBehindAnUnknownType(t *testing.T) {
	data, starts, messages := stream(t)
	data = bytes.Clone(data)
	data[starts[1]+4] = 99
	r := shapes.NewMessageReader(bytes.NewReader(data))
	var kinds []error
	var got []sdp.Message
	for m, err := range r.All() {
		kinds = append(kinds, err)
		got = append(got, m)
	}
	if len(got) != 3 || kinds[0] != nil || kinds[2] != nil || !equalMessages(got[0], messages[0]) || !equalMessages(got[2], messages[2]) {
		t.Fatalf("got %v", kinds)
	}
	mustRefuse(t, kinds[1], sdp.ErrTypeIDUnknown, 4, "")
	if got[1] != nil {
		t.Error("the unknown message is not nil")
	}
	r = shapes.NewMessageReader(bytes.NewReader(data[:starts[2]-1]))
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		_, err := r.Next()
		if errors.Is(err, sdp.ErrTypeIDUnknown) {
			continue
		}
		mustRefuse(t, err, sdp.ErrTruncated, 6, "")
	}
}

func TestMessageReaderEndsAtAnyOtherRefusal(t *testing.T) {
	data, starts, _ := stream(t)
	for name, c := range map[string]struct {
		at   int
		b    byte
		kind sdp.Kind
		says int
	}{
		"magic":   {starts[1], 'X', sdp.ErrMagicInvalid, 0},
		"version": {starts[1] + 3, '9', sdp.ErrVersionUnsupported, 3},
		"limit":   {starts[1] + 9, 0xff, sdp.ErrLimitMessageBytes, 6},
		"payload": {starts[1] + 6, 2, sdp.ErrSegmentPartial, 11},
	} {
		damaged := bytes.Clone(data)
		damaged[c.at] = c.b
		r := shapes.NewMessageReader(bytes.NewReader(damaged))
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			_, err := r.Next()
			if !errors.Is(err, c.kind) || err.(*sdp.Error).Offset != c.says {
				t.Errorf("%s: got %v", name, err)
			}
		}
	}
}

func TestMessageReaderReportsErrorsOfItsSource(t *testing.T) {
	data, _, _ := stream(t)
	broken := errors.New("the cable is out")
	for _, n := range []int{0, 5, 10, 100} {
		r := shapes.NewMessageReader(io.MultiReader(bytes.NewReader(data[:n]), iotest.ErrReader(broken)))
		if _, err := r.Next(); err != broken {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
}

// TestADeclaredLengthThatNeverComesCostsNoMemory declares as much as the limit
// allows and sends ten bytes.
func TestADeclaredLengthThatNeverComesCostsNoMemory(t *testing.T) {
	header := []byte{'S', 'D', 'P', '2', 4, 0, 0, 0, 0, 8}
	sent := append(header, make([]byte, 10)...)
	n := allocated(func() {
		_, err := shapes.NewMessageReader(bytes.NewReader(sent)).Next()
		mustRefuse(t, err, sdp.ErrTruncated, 6, "")
	})
	if n > 256<<10 {
		t.Errorf("%d bytes were allocated", n)
	}
}

func TestMessageWriterWritesNothingOfARefusedMessage(t *testing.T) {
	var out bytes.Buffer
	w := shapes.NewMessageWriter(&out)
	if err := w.Write(&shapes.Everything{}); !errors.Is(err, sdp.ErrValueInvalid) || out.Len() > 0 {
		t.Errorf("%d bytes, %v", out.Len(), err)
	}
	must(t, w.Write(&shapes.Absent{}))
	if out.String() != "SDP2\x05\x00\x01\x00\x00\x00\x00" {
		t.Errorf("got %q", out.String())
	}
}

// shortWriter takes fewer bytes than it is given and says nothing.
type shortWriter struct{}

func (shortWriter) Write(b []byte) (int, error) { return len(b) - 1, nil }

func TestWritersReportShortWrites(t *testing.T) {
	for name, err := range map[string]error{
		"message": shapes.NewMessageWriter(shortWriter{}).Write(&shapes.Absent{}),
		"value":   shapes.EncodeAbsentToWriter(&shapes.Absent{}, shortWriter{}),
	} {
		if err != io.ErrShortWrite {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestValuesAreReadFromAndWrittenToStreams(t *testing.T) {
	var out bytes.Buffer
	must(t, shapes.EncodeEverythingToWriter(everything(), &out))
	mustEqualBytes(t, "written", out.Bytes(), encode(t, everything()))
	var v shapes.Everything
	must(t, shapes.DecodeEverythingFromReader(&v, iotest.HalfReader(bytes.NewReader(out.Bytes()))))
	if !v.Equal(everything()) {
		t.Error("the value differs")
	}
	err := shapes.DecodeEverythingFromReader(&v, bytes.NewReader(out.Bytes()[:81]))
	mustRefuse(t, err, sdp.ErrTruncated, 78, "scalars.gain")
	broken := errors.New("the cable is out")
	if err := shapes.DecodeEverythingFromReader(&v, iotest.ErrReader(broken)); err != broken {
		t.Errorf("got %v", err)
	}
}
