package proto

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/source"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// markName is the attribute that says what of a .proto a thing was made of.
const markName = "x.proto"

// mark is the arguments of @x.proto. The first one, without a name, is the key for the next import
// and for values: the number of a field or alternative, the name of a declaration, member or
// method. A mark without it belongs to a thing that the .proto no longer has: `was` names its
// origin.
type mark struct {
	number int64 // 0 for none
	text   string
	// name is that in the .proto, where it is not what ours makes of it again.
	name string
	// kind is the type in the .proto, where ours has several.
	kind string
	// initial is the default in the .proto, alias the further names of a member's number.
	initial, alias string
	oneof          string
	was            string
}

func (m mark) String() string {
	var args []string
	if m.number != 0 {
		args = append(args, strconv.FormatInt(m.number, 10))
	}
	if m.text != "" {
		args = append(args, quote(m.text))
	}
	for _, named := range [][2]string{{"oneof", m.oneof}, {"name", m.name}, {"type", m.kind}, {"default", m.initial}, {"alias", m.alias}, {"was", m.was}} {
		if named[1] != "" {
			args = append(args, named[0]+" = "+quote(named[1]))
		}
	}
	return "@" + markName + "(" + strings.Join(args, ", ") + ")"
}

// past is the mark of a thing without an origin.
func (m mark) past() mark {
	switch {
	case m.number != 0:
		m.was = strconv.FormatInt(m.number, 10)
	case m.text != "":
		m.was = m.text
	default:
		m.was = m.oneof
	}
	m.number, m.text, m.oneof = 0, "", ""
	return m
}

// attributeOf is the attribute of a name; nil if there is none.
func attributeOf(list []*syntax.Attribute, name string) *syntax.Attribute {
	at := slices.IndexFunc(list, func(a *syntax.Attribute) bool { return a.Name.String() == name })
	if at < 0 {
		return nil
	}
	return list[at]
}

// markOf reads the mark among attributes.
func markOf(list []*syntax.Attribute) (m mark, ok bool) {
	at := attributeOf(list, markName)
	if at == nil {
		return m, false
	}
	for _, arg := range at.Args {
		name := ""
		if arg.Name != nil {
			name = arg.Name.Text
		}
		m.set(name, arg.Value.Text, integerOf(arg.Value))
	}
	return m, true
}

func (m *mark) set(name, text string, number int64) {
	switch name {
	case "":
		m.number, m.text = number, text
	case "oneof":
		m.oneof = text
	case "name":
		m.name = text
	case "type":
		m.kind = text
	case "default":
		m.initial = text
	case "alias":
		m.alias = text
	case "was":
		m.was = text
	}
}

// integerOf is the value of an integer; 0 for anything else.
func integerOf(v *syntax.Value) int64 {
	switch {
	case v == nil || v.Kind != syntax.IntegerValue:
		return 0
	case v.Negative:
		return -int64(v.Magnitude)
	}
	return int64(v.Magnitude)
}

// quote is a text as a literal of a schema.
func quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteRune('\\')
			b.WriteRune(r)
		case source.Hidden(r):
			fmt.Fprintf(&b, "\\u{%x}", r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
