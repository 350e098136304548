package interp_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/interp"
)

// refusals is bytes of a type and how they are refused; no kind means that they
// are accepted.
type refusals []struct {
	about, decl, bytes string
	opts               interp.Options
	kind               interp.Kind
	offset             int64
	path               string
}

func (cases refusals) run(t *testing.T, schema string) {
	program := compile(t, schema)
	for _, c := range cases {
		t.Run(c.about, func(t *testing.T) {
			b := unhex(t, c.bytes)
			codec := codecOf(t, program, c.decl)
			_, err := codec.Decode(b, c.opts)
			checkRefusal(t, err, c.kind, c.offset, c.path)
			_, err = codec.Walk(interp.FromReader(&slowReader{b, 1}, int64(len(b))), c.opts,
				func(*interp.Event) error { return nil })
			checkRefusal(t, err, c.kind, c.offset, c.path)
		})
	}
}

func checkRefusal(t *testing.T, err error, kind interp.Kind, offset int64, path string) {
	t.Helper()
	if kind == 0 {
		if err != nil {
			t.Errorf("refused: %v", err)
		}
		return
	}
	var r *interp.Refusal
	if !errors.As(err, &r) || r.Kind != kind || r.Offset != offset || r.Path != path || !errors.Is(err, kind) {
		t.Errorf("error = %v, want %s at byte %d in %q", err, kind, offset, path)
	}
}

func limited(change func(*interp.Limits)) interp.Options {
	l := interp.DefaultLimits()
	change(&l)
	return interp.Options{Limits: &l}
}

var (
	exact   = interp.Options{Exact: true}
	prefix  = interp.Options{Prefix: true}
	message = interp.Options{Mode: interp.MessageMode}
)

// registry is a plugin EQ, the total 7 and the host x, in segments.
const (
	plugin   = "02 45 51 00 00 c0 3f 01 00 "
	registry = "01 00 00 00 " + plugin + "07 00 00 00 01 00 00 00 78 "
)

func TestDamageIsNamed(t *testing.T) {
	refusals{
		{"a struct", "Plugin", plugin, exact, 0, 0, ""},
		{"end in a field of a run", "Plugin", "02 45 51 00 00 c0", interp.Options{}, interp.ErrTruncated, 3, "gain"},
		{"length over the rest", "Plugin", "03 45 51", interp.Options{}, interp.ErrLengthExceedsInput, 0, "name"},
		{"ill-formed string", "Plugin", "02 45 ff 00 00 c0 3f 01 00", interp.Options{}, interp.ErrUTF8Invalid, 2, "name"},
		{"surrogate in a string", "Plugin", "03 ed a0 80 00 00 c0 3f 01 00", interp.Options{}, interp.ErrUTF8Invalid, 1, "name"},
		{"cut rune in a string", "Plugin", "02 c3 a9 00 00 00 00 00 00", interp.Options{}, 0, 0, ""},
		{"bool of 2", "Plugin", "02 45 51 00 00 c0 3f 02", interp.Options{}, interp.ErrBoolInvalid, 7, "on"},
		{"presence of 2", "Plugin", "00 00 00 c0 3f 01 02", interp.Options{}, interp.ErrPresenceInvalid, 6, "note"},
		{"bytes behind a struct", "Plugin", plugin + "00", interp.Options{}, interp.ErrTrailingBytes, 9, ""},
		{"bytes behind a prefix", "Plugin", plugin + "00", prefix, 0, 0, ""},
		{"message without segment 1", "Registry", "", interp.Options{}, interp.ErrSegmentPartial, 0, "plugins"},
		{"count over the rest", "Registry", "02 00 00 00 " + plugin, interp.Options{}, interp.ErrCountExceedsInput, 0, "plugins"},
		{"segment 2 cut", "Registry", "00 00 00 00 07 00", interp.Options{}, interp.ErrSegmentPartial, 4, "total"},
		{"segment 2 missing", "Registry", "00 00 00 00", interp.Options{}, 0, 0, ""},
		{"segment 2 missing, exact", "Registry", "00 00 00 00", exact, interp.ErrSegmentPartial, 4, ""},
		{"unknown tail", "Registry", registry + "00 ff ff", interp.Options{}, 0, 0, ""},
		{"unknown tail, exact", "Registry", registry + "00 ff ff", exact, interp.ErrTrailingBytes, 23, ""},
		{"nested segment missing, exact", "Holder", "01 00 00 00 05 09", exact, interp.ErrSegmentPartial, 5, "m"},
		{"nested tail, exact", "Exact", "01 00 00 00 11 00 00 00 05 01 02 00 01 02 00 00 00 00 00 00 00 00 ff ff ff",
			exact, interp.ErrTrailingBytes, 21, "inner[0]"},
		{"body length over the rest", "Holder", "03 00 00 00 05 09", interp.Options{}, interp.ErrLengthExceedsInput, 0, "m"},
		{"tag 0", "HostEvent", "00", interp.Options{}, interp.ErrUnionUnknown, 0, ""},
		{"payload too short", "HostEvent", "02 06 00 00 00 09 00 00 00 00 00", interp.Options{}, interp.ErrUnionLength, 9, "Changed.value"},
		{"payload too long", "HostEvent", "03 01 00 00 00 00", interp.Options{}, interp.ErrUnionLength, 5, ""},
		{"payload length over the rest", "HostEvent", "03 01 00 00 00", interp.Options{}, interp.ErrLengthExceedsInput, 1, ""},
		{"payload length cut", "HostEvent", "03 01 00", interp.Options{}, interp.ErrTruncated, 1, ""},
		{"unknown tag", "HostEvent", "09 02 00 00 00 aa bb", exact, 0, 0, ""},
		{"unknown tag of a closed union", "Shape", "03", interp.Options{}, interp.ErrUnionUnknown, 0, ""},
		{"closed enum", "Point", strings.Repeat("00 ", 16) + "01 00", interp.Options{}, interp.ErrEnumUnknown, 16, "level"},
		{"keys out of order", "Levels", "02 00 00 00 01 62 00 00 01 61 00 00", interp.Options{}, interp.ErrMapOrder, 8, "m[1].key"},
		{"key twice", "Levels", "02 00 00 00 01 62 00 00 01 62 00 00", interp.Options{}, interp.ErrMapOrder, 8, "m[1].key"},
		{"ill-formed key", "Levels", "01 00 00 00 01 80 00 00", interp.Options{}, interp.ErrUTF8Invalid, 5, "m[0].key"},
		{"value cut", "Levels", "01 00 00 00 02 62 00 00", interp.Options{}, interp.ErrTruncated, 7, "m[0].value"},
		{"signed keys", "Levels", "00 00 00 00 00 00 00 00 02 00 00 00 ff 09 01 09 00 00 00 00 00 00 00 00 00",
			interp.Options{}, 0, 0, ""},
		{"signed keys out of order", "Levels", "00 00 00 00 00 00 00 00 02 00 00 00 01 09 ff 09", interp.Options{}, interp.ErrMapOrder, 14, "bySigned[1].key"},
		{"string over its bound", "Bounded", "04 61", interp.Options{}, interp.ErrLimitMax, 0, "name"},
		{"list over its bound", "Bounded", "00 00 00 00 00 00 00 03 00 00 00", interp.Options{}, interp.ErrLimitMax, 7, "items"},
	}.run(t, everything)
}

func TestTheFirstCheckWins(t *testing.T) {
	shallow := limited(func(l *interp.Limits) { l.Depth = 1 })
	few := limited(func(l *interp.Limits) { l.Elements = 1 })
	refusals{
		{"limit_message_bytes before anything", "Plugin", "03 ff", limited(func(l *interp.Limits) { l.MessageBytes = 1 }), interp.ErrLimitMessageBytes, 0, ""},
		{"message bytes at the limit", "Empty", "", limited(func(l *interp.Limits) { l.MessageBytes = 0 }), 0, 0, ""},
		{"depth of the top level", "Plugin", "", limited(func(l *interp.Limits) { l.Depth = 0 }), interp.ErrLimitDepth, 0, ""},
		{"depth before an end", "Holder", "", shallow, interp.ErrLimitDepth, 0, "m"},
		{"depth before a body length", "Holder", "ff ff ff ff", shallow, interp.ErrLimitDepth, 0, "m"},
		{"depth of an alternative", "HostEvent", "02 08 00 00 00 09 00 00 00 00 00 00 bf", shallow, interp.ErrLimitDepth, 5, "Changed"},
		{"payload length before depth", "HostEvent", "02 09 00 00 00 09 00 00 00 00 00 00 bf", shallow, interp.ErrLengthExceedsInput, 1, ""},
		{"depth of an empty struct", "Grid", strings.Repeat("00 ", 39), limited(func(l *interp.Limits) { l.Depth = 1 }), interp.ErrLimitDepth, 0, "corners[0]"},
		{"elements of an array before its elements", "Grid", "", few, interp.ErrLimitElements, 0, "corners"},
		{"elements before the contents", "Registry", "02 00 00 00 " + "02 ff ff 00 00 c0 3f 01 00" + "02", few, interp.ErrCountExceedsInput, 0, "plugins"},
		{"count before elements", "Registry", "02 00 00 00 " + plugin + plugin, few, interp.ErrLimitElements, 0, "plugins"},
		{"bound before length", "Bounded", "ff", interp.Options{}, interp.ErrLimitMax, 0, "name"},
		{"innermost window of a body in a payload", "HostEvent", "04 06 00 00 00 02 00 00 00 00 00", interp.Options{}, interp.ErrSegmentPartial, 9, "Grew.plugins"},
		{"length cut in a payload", "HostEvent", "04 02 00 00 00 00 00", interp.Options{}, interp.ErrUnionLength, 5, "Grew"},
		{"tag before its length", "HostEvent", "00 ff ff", interp.Options{}, interp.ErrUnionUnknown, 0, ""},
		{"order before the value", "Levels", "02 00 00 00 01 62 00 00 01 61 00", interp.Options{}, interp.ErrMapOrder, 8, "m[1].key"},
		{"earlier item of a run", "Large", strings.Repeat("00 ", 42) + "02", interp.Options{}, interp.ErrBoolInvalid, 42, "k"},
		{"value before trailing bytes", "Plugin", "00 00 00 c0 3f 01 02 00 00", interp.Options{}, interp.ErrPresenceInvalid, 6, "note"},
	}.run(t, everything)
}

func TestHeadersAreCheckedInOrder(t *testing.T) {
	header := "53 44 50 32 07 00 16 00 00 00 "
	small := message
	small.Limits = limited(func(l *interp.Limits) { l.MessageBytes = 21 }).Limits
	salvage := message
	salvage.Salvage = true
	refusals{
		{"a message", "Registry", header + registry, message, 0, 0, ""},
		{"empty input", "Registry", "", message, interp.ErrTruncated, 0, ""},
		{"half a magic", "Registry", "53 44", message, interp.ErrTruncated, 0, ""},
		{"wrong first byte", "Registry", "54", message, interp.ErrMagicInvalid, 0, ""},
		{"wrong version", "Registry", "53 44 50 33", message, interp.ErrVersionUnsupported, 3, ""},
		{"wrong magic and version", "Registry", "53 44 51 33", message, interp.ErrMagicInvalid, 0, ""},
		{"half a type id", "Registry", "53 44 50 32 07", message, interp.ErrTruncated, 4, ""},
		{"half a length, wrong id", "Registry", "53 44 50 32 08 00 16 00", message, interp.ErrTruncated, 6, ""},
		{"wrong type id", "Registry", "53 44 50 32 08 00 ff ff ff ff", message, interp.ErrTypeIDMismatch, 4, ""},
		{"over the limit, and over the input", "Registry", header, small, interp.ErrLimitMessageBytes, 6, ""},
		{"over the input", "Registry", header + "02 00", message, interp.ErrPayloadLength, 6, ""},
		{"over the input, salvaged", "Registry", header + "02 00 00 00 02 45 51 00 00 c0 3f 01", salvage, interp.ErrSegmentPartial, 22, "plugins[0].note"},
		{"over the input at a segment's end, salvaged", "Registry", header + "00 00 00 00", salvage, interp.ErrSegmentPartial, 14, "total"},
		{"over the input in a string, salvaged", "Registry", header + "01 00 00 00 03 45 51", salvage, interp.ErrLengthExceedsInput, 14, "plugins[0].name"},
		{"over the input in an unknown tail, salvaged", "Old", "53 44 50 32 0b 00 03 00 00 00 05 06", salvage, interp.ErrPayloadLength, 6, ""},
		{"bytes behind the payload", "Registry", header + registry + "00", message, interp.ErrTrailingBytes, 32, ""},
		{"damage in the payload counts from the header", "Registry", "53 44 50 32 07 00 06 00 00 00 00 00 00 00 07 00", message, interp.ErrSegmentPartial, 14, "total"},
		{"bytes a struct leaves", "All", "53 44 50 32 09 00 01 00 00 00 00", message, interp.ErrTruncated, 11, "large.b"},
	}.run(t, everything)
}

func TestDepthLimitAllowsExactlyItsNumber(t *testing.T) {
	program := compile(t, `struct Node { next: ?Node }`)
	c := codecOf(t, program, "Node")
	for _, n := range []int{64, 65, 1_000_000} {
		b := append([]byte(strings.Repeat("\x01", n-1)), 0)
		_, err := c.Decode(b, interp.Options{})
		if n == 64 {
			checkRefusal(t, err, 0, 0, "")
		} else {
			checkRefusal(t, err, interp.ErrLimitDepth, 64, strings.Repeat(".next", 64)[1:])
		}
	}
}

func TestMemoryLimitBoundsValues(t *testing.T) {
	program := compile(t, `struct Many { flags: []bool }`)
	c := codecOf(t, program, "Many")
	b := append([]byte{0, 0x10, 0, 0}, make([]byte, 0x1000)...)
	_, err := c.Decode(b, limited(func(l *interp.Limits) { l.MemoryBytes = 0x1000 }))
	if !errors.Is(err, interp.ErrLimitMemoryBytes) {
		t.Errorf("error = %v", err)
	}
}

func TestHugeCountsAreRefusedWithoutOverflow(t *testing.T) {
	refusals{
		{"product over 64 bits", "Big", "ff ff ff ff 00", interp.Options{}, interp.ErrCountExceedsInput, 0, "items"},
		{"length over an int", "Long", "ff ff ff ff 00", interp.Options{}, interp.ErrLengthExceedsInput, 0, "text"},
	}.run(t, `
const N: u32 = 4_000_000;
struct Chunk { data: [N]u64 }
struct Big { items: []Chunk }
struct Long { text: str }`)
}

func TestNestedUnionReportsItsOwnPath(t *testing.T) {
	refusals{
		{"no event", "Holder", "00 00 00 00", interp.Options{}, 0, 0, ""},
		{"unknown event", "Holder", "01 00 00 00 07 01 00 00 00 00", interp.Options{}, 0, 0, ""},
		{"tag in a list in a payload", "Holder", "01 00 00 00 01 05 00 00 00 01 00 00 00 00", interp.Options{}, interp.ErrUnionUnknown, 13, "events[0].Many.list[0]"},
	}.run(t, `
union Event { Many { list: @max(9) []Shape } = 1 }
@closed union Shape { A(u8) = 1, B = 2 }
struct Holder { events: []Event }`)
}
