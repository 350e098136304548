package interp_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/interp"
)

const streamSchema = `
@id(1) struct One { v: u8 }
@id(2) message Two { s: str, @since(2) n: u8 }`

// streamEvents reads a stream and lists what it gives, skipping the messages
// that skip says.
func streamEvents(t *testing.T, text string, opts interp.Options, skip string) []string {
	t.Helper()
	program := compile(t, streamSchema)
	s := interp.NewStream(program, program.Schema.Roots[0], &slowReader{[]byte(text), 3}, opts)
	var got []string
	for range 10 {
		d, err := s.Next()
		if errors.Is(err, io.EOF) {
			return append(got, "end")
		}
		if err == nil && d.DeclName() != skip {
			_, err = s.Decode(interp.Options{})
		}
		switch {
		case err != nil:
			got = append(got, err.(*interp.Refusal).Kind.String())
		case d != nil:
			got = append(got, d.DeclName())
		}
	}
	return got
}

func TestStreamsGiveMessagesOneAtATime(t *testing.T) {
	const (
		one     = "SDP2\x01\x00\x01\x00\x00\x00\x05"
		two     = "SDP2\x02\x00\x07\x00\x00\x00\x02\x00\x00\x00hi\x01"
		unknown = "SDP2\x09\x00\x03\x00\x00\x00abc"
		damaged = "SDP2\x01\x00\x02\x00\x00\x00\x05\x06"
	)
	cases := []struct{ about, text, skip, want string }{
		{"nothing", "", "", "end"},
		{"three", one + two + one, "", "One Two One end"},
		{"one passed over", one + two + one, "Two", "One Two One end"},
		{"unknown id", one + unknown + two, "", "One type_id_unknown Two end"},
		{"unknown id, cut", one + unknown[:12], "", "One truncated"},
		{"cut header", one + two[:5], "", "One truncated"},
		{"cut magic", one + "SDQ", "", "One magic_invalid"},
		{"cut payload", two[:12], "", "truncated"},
		{"cut payload, passed over", two[:12], "Two", "Two truncated"},
		{"damage ends the stream", one + damaged + one, "", "One trailing_bytes"},
		{"cut payload beats damage in it", "SDP2\x02\x00\x07\x00\x00\x00\x02\x00\x00\x00\xff\xff", "", "truncated"},
	}
	for _, c := range cases {
		t.Run(c.about, func(t *testing.T) {
			got := streamEvents(t, c.text, interp.Options{}, c.skip)
			want := strings.Fields(c.want)
			for len(want) < len(got) { // a refusal is given again and again
				want = append(want, want[len(want)-1])
			}
			if strings.Join(got, " ") != strings.Join(want, " ") {
				t.Errorf("got  %v\nwant %v", got, want)
			}
		})
	}
}

func TestStreamLimitsPayloads(t *testing.T) {
	opts := limited(func(l *interp.Limits) { l.MessageBytes = 4 })
	got := streamEvents(t, "SDP2\x09\x00\x05\x00\x00\x00abcdeSDP2\x02\x00\x05\x00\x00\x00", opts, "")
	if got[0] != "type_id_unknown" || got[1] != "limit_message_bytes" {
		t.Errorf("got %v", got)
	}
}

func TestStreamOffsetsCountFromTheHeader(t *testing.T) {
	program := compile(t, streamSchema)
	s := interp.NewStream(program, program.Schema.Roots[0],
		strings.NewReader("SDP2\x01\x00\x01\x00\x00\x00\x05SDP2\x02\x00\x05\x00\x00\x00\x01\x00\x00\x00\xff"), interp.Options{})
	if _, err := s.Next(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Next(); err != nil {
		t.Fatal(err)
	}
	_, err := s.Decode(interp.Options{})
	checkRefusal(t, err, interp.ErrUTF8Invalid, 14, "s")
	_, again := s.Next()
	if again != err {
		t.Errorf("later: %v", again)
	}
}

func TestStreamWithoutNextHasNoMessage(t *testing.T) {
	program := compile(t, streamSchema)
	s := interp.NewStream(program, program.Schema.Roots[0], strings.NewReader(""), interp.Options{})
	if _, err := s.Decode(interp.Options{}); err == nil {
		t.Error("there is a value")
	}
}
