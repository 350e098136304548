package lsp

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// The kinds of completion items that are no definitions.
const (
	itemModule   = 9
	itemProperty = 10
	itemKeyword  = 14
	itemFile     = 17
	itemConstant = 21
)

// kind is the protocol's word for a definition: as a symbol, as an item of a completion, and as a
// semantic token.
type kind struct {
	symbol, item int
	shown        highlight
}

func kindOf(d *syntax.Definition) kind {
	switch node := d.Node.(type) {
	case *syntax.Const:
		return kind{14, itemConstant, highlight{kind: "variable", modifiers: readonlyModifier}}
	case *syntax.Alias:
		return kind{26, 22, highlight{kind: "type"}}
	case *syntax.Enum:
		return kind{10, 13, highlight{kind: "enum"}}
	case *syntax.Member:
		return kind{22, 20, highlight{kind: "enumMember"}}
	case *syntax.Struct:
		if node.Message {
			return kind{5, 22, highlight{kind: "class"}}
		}
		return kind{23, 22, highlight{kind: "struct"}}
	case *syntax.Union:
		return kind{11, 22, highlight{kind: "interface"}}
	case *syntax.Alternative:
		return kind{9, 22, highlight{kind: "enumMember"}}
	case *syntax.Service:
		return kind{11, 22, highlight{kind: "interface"}}
	case *syntax.Method:
		if node.Kind == syntax.EventMethod {
			return kind{24, 22, highlight{kind: "event"}}
		}
		return kind{6, 22, highlight{kind: "method"}}
	}
	return kind{8, 5, highlight{kind: "property"}}
}

// attributeDoc is the text about an attribute for people.
type attributeDoc struct{ usage, doc string }

var attributeDocs = attributesOfAll()

func attributesOfAll() map[string]attributeDoc {
	docs := map[string]attributeDoc{}
	for _, body := range []string{"", "enum", "struct", "message", "union", "service", "type"} {
		for _, a := range check.Attributes(body) {
			docs[a.Name] = attributeDoc{"@" + a.Name, "Stands on " + a.Where + ": " + a.Usage + "."}
		}
	}
	return docs
}

// builtinDocs say what built-in types are.
var builtinDocs = docsOfBuiltins()

func docsOfBuiltins() map[string]string {
	docs := map[string]string{
		"str":    "UTF-8 text: its length in bytes as a u32, unless `@len` says otherwise, then the bytes.",
		"string": "Another name of `str`.",
		"bytes":  "Bytes: their number as a u32, unless `@len` says otherwise, then the bytes. `[]u8` is the same.",
		"map":    "`map<K, V>`: a count, then keys and values in ascending order of the keys, which are integers, bool, str or enums.",
		"Option": "`Option<T>` is `?T`: one byte that says whether there is a value, then the value.",
		"Box":    "`Box<T>` is T; languages may keep it behind a pointer.",
	}
	for _, k := range ir.Scalars() {
		docs[k.String()] = fmt.Sprintf("%s, %s.", classes[k.Class()], plan.BytesText(uint64(k.Bytes())))
	}
	return docs
}

var classes = map[ir.Class]string{
	ir.BoolClass: "`false` or `true`", ir.UnsignedClass: "An integer from 0", ir.SignedClass: "An integer in two's complement",
	ir.FloatClass: "A number of IEEE 754", ir.TimestampClass: "Nanoseconds since 1970, UTC", ir.DurationClass: "Nanoseconds", ir.UUIDClass: "A UUID",
}
