package interp

import (
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// Note is the text about an event for people: the path of its value, and the meaning of its bytes.
// Events without bytes of their own have none. The root is the type that is walked, or nil where no
// type is known. The note of a text is as long as the text.
func (e *Event) Note(root ir.Decl) (path, note string, visible bool) {
	path, visible = e.Path(), true
	switch e.Kind {
	case MagicEvent:
		path, note = "magic", string(e.Raw)
	case TypeIDEvent:
		path, note = "type id", TypeIDNote(root, e.Count)
	case PayloadBytesEvent:
		path, note = "payload", Counted(e.Count, "byte", "bytes")
	case ScalarEvent:
		note = strings.Trim(e.Text(), `"`)
	case TextEvent:
		note = e.Text()
	case BlobEvent:
		note = Counted(e.Count, "byte", "bytes")
	case PresenceEvent:
		note = map[bool]string{false: "absent", true: "present"}[e.Count == 1]
	case ListEvent:
		note = Counted(e.Count, "item", "items")
	case MapEvent:
		note = Counted(e.Count, "entry", "entries")
	case UnionEvent:
		name := "unknown alternative"
		if e.Alternative != nil {
			name = e.Alternative.Name
		}
		note = fmt.Sprintf("tag %d %s", e.Count, name)
	case PayloadLengthEvent:
		note = "payload of " + Counted(e.Count, "byte", "bytes")
	case UnknownEvent:
		note = "payload of an unknown alternative"
	case TailEvent:
		note = "fields of a later version, " + Counted(e.Count, "byte", "bytes")
	case MessageEvent:
		note, visible = Counted(e.Count, "byte", "bytes"), e.Role != RootRole
	case DamageEvent:
		note = e.Refusal.Detail
	case ArrayEvent, StructEvent, EndEvent:
		visible = false
	}
	return path, note, visible
}

// TypeIDNote is an id, and the name of the type whose it is.
func TypeIDNote(root ir.Decl, id uint64) string {
	if root != nil && uint64(ir.IDOf(root).Value) == id {
		return fmt.Sprintf("%d %s", id, root.DeclName())
	}
	return fmt.Sprintf("%d, which the schema does not have", id)
}

// Counted is a number with the noun of the counted things, with commas between thousands.
func Counted(n uint64, name, many string) string {
	if n == 1 {
		return "1 " + name
	}
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits + " " + many
}
