package interp_test

import (
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/interp"
)

func TestWalkReportsEachItem(t *testing.T) {
	cases := []struct {
		about, decl, bytes string
		opts               interp.Options
		want               string
	}{
		{"a message with a missing segment", "Registry", "53 44 50 32 07 00 15 00 00 00 01 00 00 00 " + plugin + "07 00 00 00 01 00 00 00", message, `
			0 magic "" [53445032] 0
			4 type id "" [0700] 7
			6 payload bytes "" [15000000] 21
			10 message "" [] 0
			10 list "plugins" [01000000] 1
			14 struct "plugins[0]" [] 0
			14 text "plugins[0].name" [024551] 2 "EQ"
			17 scalar "plugins[0].gain" [0000c03f] 0 1.5
			21 scalar "plugins[0].on" [01] 0 true
			22 presence "plugins[0].note" [00] 0
			23 end "plugins[0]" [] 0
			23 end "plugins" [] 0
			23 scalar "total" [07000000] 0 7
			27 damage "host" [01000000] 0
			27 bytes, length_exceeds_input at byte 27 in host: length 1, but 0 bytes are left`},
		{"a missing segment", "Old2", "05", interp.Options{}, `
			0 message "" [] 0
			0 scalar "a" [05] 0 5
			1 scalar "b" [f401] 0 500 missing
			1 presence "c" [01] 1 missing
			1 text "c" [0100000063] 1 "c" missing
			1 end "" [] 0
			1 bytes, <nil>`},
		{"unions and tails", "Holder2", "02 00 00 00 01 01 00 00 00 ff 09 02 00 00 00 aa bb 01 00 00 00 07", interp.Options{}, `
			0 struct "" [] 0
			0 list "events" [02000000] 2
			4 union "events[0]" [01] 1
			5 payload length "events[0]" [01000000] 1
			9 scalar "events[0].Byte" [ff] 0 255
			10 end "events[0]" [] 0
			10 union "events[1]" [09] 9
			11 payload length "events[1]" [02000000] 2
			15 unknown "events[1]" [aabb] 9
			17 end "events[1]" [] 0
			17 end "events" [] 0
			17 message "last" [01000000] 1
			21 tail "last" [07] 1
			22 end "last" [] 0
			22 end "" [] 0
			22 bytes, <nil>`},
		{"arrays and maps", "Pair2", "01 02 01 00 00 00 ff 01 00", interp.Options{}, `
			0 struct "" [] 0
			0 array "two" [] 2
			0 scalar "two[0]" [01] 0 1
			1 scalar "two[1]" [02] 0 2
			2 end "two" [] 0
			2 map "m" [01000000] 1
			6 scalar "m[0].key" [ff] 0 -1
			7 blob "m[0].value" [0100] 1
			9 end "m" [] 0
			9 end "" [] 0
			9 bytes, <nil>`},
		{"damage in a header", "Registry", "53 44 50 32 08 00 ff", message, `
			0 magic "" [53445032] 0
			4 type id "" [0800] 8
			6 damage "" [ff] 0
			6 bytes, truncated at byte 6: 7 of 10 bytes of the header`},
		{"damage behind a value", "Pair2", "01 02 00 00 00 00 ff ff", interp.Options{}, `
			0 struct "" [] 0
			0 array "two" [] 2
			0 scalar "two[0]" [01] 0 1
			1 scalar "two[1]" [02] 0 2
			2 end "two" [] 0
			2 map "m" [00000000] 0
			6 end "m" [] 0
			6 end "" [] 0
			6 damage "" [ffff] 0
			6 bytes, trailing_bytes at byte 6: 2 bytes are left`},
	}
	program := compile(t, everything+`
message Old2 { a: u8, @since(2) b: u16 = 500, @since(2) c: ?str = "c" }
union Event2 { Byte(u8) = 1 }
message Nothing {}
struct Holder2 { events: []Event2, last: Nothing }
struct Pair2 { two: [2]u8, m: map<i8, @len(u8) bytes> }`)
	for _, c := range cases {
		t.Run(c.about, func(t *testing.T) {
			got := traceWith(codecOf(t, program, c.decl), interp.FromBytes(unhex(t, c.bytes)), c.opts)
			want := strings.ReplaceAll(strings.TrimPrefix(c.want, "\n"), "\t", "") + "\n"
			if got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

func TestVisitorsEndTheWalk(t *testing.T) {
	c := codecOf(t, compile(t, everything), "Plugin")
	n, err := c.Walk(interp.FromBytes(unhex(t, plugin)), interp.Options{}, func(e *interp.Event) error {
		if e.Kind == interp.TextEvent {
			return errStop
		}
		return nil
	})
	if err != errStop || n != 0 {
		t.Errorf("%d bytes, %v", n, err)
	}
}

var errStop = &interp.Refusal{Kind: interp.ErrValueInvalid}

func TestShortSourcesAreNoRefusals(t *testing.T) {
	c := codecOf(t, compile(t, everything), "Plugin")
	_, err := c.Walk(interp.FromReader(strings.NewReader("\x02E"), 9), interp.Options{}, func(*interp.Event) error { return nil })
	if err == nil || err.Error() != "unexpected EOF" {
		t.Errorf("error = %v", err)
	}
}
