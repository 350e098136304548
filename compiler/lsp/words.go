package lsp

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// attributeDoc is what a person is told of an attribute.
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
		docs[k.String()] = fmt.Sprintf("%s, %s.", classes[k.Class()], bytesText(uint64(k.Bytes())))
	}
	return docs
}

var classes = map[ir.Class]string{
	ir.BoolClass: "`false` or `true`", ir.UnsignedClass: "An integer from 0", ir.SignedClass: "An integer in two's complement",
	ir.FloatClass: "A number of IEEE 754", ir.TimestampClass: "Nanoseconds since 1970, UTC", ir.DurationClass: "Nanoseconds", ir.UUIDClass: "A UUID",
}
