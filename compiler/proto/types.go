package proto

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// spelling is a type as it is written in a .sdp; kind is the type in the .proto where several are
// written so.
type spelling struct{ text, kind string }

// scalars are the types of Protocol Buffers, but for enums, messages and groups.
var scalars = map[protoreflect.Kind]spelling{
	protoreflect.BoolKind:     {"bool", ""},
	protoreflect.Int32Kind:    {"i32", ""},
	protoreflect.Sint32Kind:   {"i32", "sint32"},
	protoreflect.Sfixed32Kind: {"i32", "sfixed32"},
	protoreflect.Uint32Kind:   {"u32", ""},
	protoreflect.Fixed32Kind:  {"u32", "fixed32"},
	protoreflect.Int64Kind:    {"i64", ""},
	protoreflect.Sint64Kind:   {"i64", "sint64"},
	protoreflect.Sfixed64Kind: {"i64", "sfixed64"},
	protoreflect.Uint64Kind:   {"u64", ""},
	protoreflect.Fixed64Kind:  {"u64", "fixed64"},
	protoreflect.FloatKind:    {"f32", ""},
	protoreflect.DoubleKind:   {"f64", ""},
	protoreflect.StringKind:   {"str", ""},
	protoreflect.BytesKind:    {"bytes", ""},
}

// times are the messages that are scalars here.
var times = map[protoreflect.FullName]string{
	"google.protobuf.Timestamp": "timestamp",
	"google.protobuf.Duration":  "duration",
}

// wrapped are the messages around one scalar, which are optionals here.
var wrapped = map[protoreflect.FullName]protoreflect.Kind{
	"google.protobuf.DoubleValue": protoreflect.DoubleKind,
	"google.protobuf.FloatValue":  protoreflect.FloatKind,
	"google.protobuf.Int64Value":  protoreflect.Int64Kind,
	"google.protobuf.UInt64Value": protoreflect.Uint64Kind,
	"google.protobuf.Int32Value":  protoreflect.Int32Kind,
	"google.protobuf.UInt32Value": protoreflect.Uint32Kind,
	"google.protobuf.BoolValue":   protoreflect.BoolKind,
	"google.protobuf.StringValue": protoreflect.StringKind,
	"google.protobuf.BytesValue":  protoreflect.BytesKind,
}

const anyName = "google.protobuf.Any"

// declares tells whether a field's type is one that a .sdp has to declare.
func declares(fd protoreflect.FieldDescriptor) protoreflect.Descriptor {
	if fd.Enum() != nil {
		return fd.Enum()
	}
	m := fd.Message()
	if m == nil || times[m.FullName()] != "" || wrapped[m.FullName()] != 0 {
		return nil
	}
	return m
}

// typeOf is the type of a field, with the list or map around it, and whether it may be absent.
func (im *importer) typeOf(t *target, fd protoreflect.FieldDescriptor) spelling {
	switch {
	case fd.IsMap():
		key, value := im.element(t, fd.MapKey()), im.element(t, fd.MapValue())
		made := spelling{text: "map<" + key.text + ", " + value.text + ">"}
		if key.kind != "" || value.kind != "" {
			made.kind = "map<" + kindOf(fd.MapKey()) + ", " + kindOf(fd.MapValue()) + ">"
		}
		return made
	case fd.IsList():
		element := im.element(t, fd)
		return spelling{"[]" + element.text, element.kind}
	}
	element := im.element(t, fd)
	if isOptional(fd) {
		element.text = "?" + element.text
	}
	return element
}

// isOptional tells whether a field that is no list may be absent.
func isOptional(fd protoreflect.FieldDescriptor) bool {
	if fd.ContainingOneof() != nil && !fd.ContainingOneof().IsSynthetic() {
		return false
	}
	if fd.Cardinality() == protoreflect.Required {
		return fd.Message() != nil && needs(fd.Message(), fd.ContainingMessage(), map[protoreflect.FullName]bool{})
	}
	return fd.HasPresence()
}

// needs tells whether every value of a message has one of another in it, so that no
// finite one exists where the two are the same.
func needs(m, o protoreflect.MessageDescriptor, visited map[protoreflect.FullName]bool) bool {
	if m.FullName() == o.FullName() {
		return true
	}
	if visited[m.FullName()] {
		return false
	}
	visited[m.FullName()] = true
	numbers := m.RequiredNumbers()
	for i := range numbers.Len() {
		if fd := m.Fields().ByNumber(numbers.Get(i)); fd.Message() != nil && needs(fd.Message(), o, visited) {
			return true
		}
	}
	return false
}

// element is the type of a field's value, or of one of its elements.
func (im *importer) element(t *target, fd protoreflect.FieldDescriptor) spelling {
	if m := fd.Message(); m != nil {
		if scalar := times[m.FullName()]; scalar != "" {
			im.note(codeTime, fd, string(m.FullName()))
			return spelling{scalar, ""}
		}
		if kind := wrapped[m.FullName()]; kind != 0 {
			return spelling{scalars[kind].text, string(m.FullName())}
		}
		if m.FullName() == anyName {
			im.note(codeAny, fd, "")
		}
	}
	if d := declares(fd); d != nil {
		return spelling{im.ref(t, d), ""}
	}
	if fd.Kind() == protoreflect.StringKind {
		if im.asBytes(fd) {
			return spelling{"bytes", "string"}
		}
		if !mustBeUTF8(fd) {
			im.note(codeNotUTF8, fd, "")
		}
	}
	return scalars[fd.Kind()]
}

// mustBeUTF8 tells whether Protocol Buffers refuse a string that is not UTF-8, too.
func mustBeUTF8(fd protoreflect.FieldDescriptor) bool {
	return fd.ParentFile().Syntax() != protoreflect.Proto2
}

// kindOf is the type of a field in the .proto.
func kindOf(fd protoreflect.FieldDescriptor) string {
	if d := fd.Message(); d != nil {
		return string(d.FullName())
	}
	if d := fd.Enum(); d != nil {
		return string(d.FullName())
	}
	return fd.Kind().String()
}

// asBytes tells whether the user asked for a string as bytes: by its full name, or by that
// of a message or package around it.
func (im *importer) asBytes(fd protoreflect.FieldDescriptor) bool {
	name := string(fd.FullName())
	return slices.ContainsFunc(im.options.Bytes, func(asked string) bool {
		if asked == name || strings.HasPrefix(name, asked+".") {
			im.used[asked] = true
			return true
		}
		return false
	})
}
