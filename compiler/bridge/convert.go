package bridge

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/proto"
)

// conversion is how a value that is no list or map is converted.
type conversion struct {
	// call is the code that converts $.
	call string
	// one is a function of one value, for lists and maps; empty where both sides have the
	// same value.
	one string
	// fails says that both give an error, too.
	fails bool
}

// same is the conversion between equal types.
var same = conversion{call: "$"}

// of is the code that converts a value. A dereferenced pointer needs no second pointer to it.
func (c conversion) of(value string) string {
	call := c.call
	if pointer, is := strings.CutPrefix(value, "(*"); is {
		call = strings.ReplaceAll(call, "&$", strings.TrimSuffix(pointer, ")"))
	}
	return strings.ReplaceAll(call, "$", value)
}

// function is the code of a function of one value that may fail.
func (c conversion) function(f *file) string {
	switch {
	case c.one == "":
		return f.convert() + "Same"
	case c.fails:
		return c.one
	}
	return f.convert() + "Sure(" + c.one + ")"
}

// plain is the conversion by a function.
func plain(function string, fails bool) conversion {
	return conversion{function + "($)", function, fails}
}

// toward converts a value of ours to one of theirs.
func (f *file) toward(fd protoreflect.FieldDescriptor, t *ir.Type) conversion {
	switch fd.Kind() {
	case protoreflect.MessageKind:
		switch m := fd.Message(); {
		case proto.IsTime(m, t) && t.Kind == ir.TimestampKind:
			return plain(f.convert()+"TimeToProto", true)
		case proto.IsTime(m, t):
			return plain(f.known("durationpb")+"New", false)
		case proto.IsWrapper(m, t):
			return plain(f.wrappers()+strings.TrimSuffix(string(m.Name()), "Value"), false)
		}
		name := f.function(t.Decl, "ToProto")
		return conversion{name + "(&$)", f.convert() + "Ref(" + name + ")", true}
	case protoreflect.EnumKind:
		return plain(f.function(t.Decl, "ToProto"), false)
	case protoreflect.StringKind:
		switch {
		case t.Kind != ir.BytesKind:
			return same
		case anyBytes(fd):
			return conversion{"string($)", f.convert() + "String", false}
		}
		return plain(f.convert()+"TextOf", true)
	default:
		return same
	}
}

// back converts a value of theirs to one of ours.
func (f *file) back(fd protoreflect.FieldDescriptor, t *ir.Type) conversion {
	switch fd.Kind() {
	case protoreflect.MessageKind:
		switch m := fd.Message(); {
		case proto.IsTime(m, t) && t.Kind == ir.TimestampKind:
			return plain(f.convert()+"TimeFromProto", true)
		case proto.IsTime(m, t):
			return plain(f.convert()+"DurationFromProto", true)
		case proto.IsWrapper(m, t):
			return conversion{"$.GetValue()", fmt.Sprintf("(*%s%s).GetValue", f.wrappers(), m.Name()), false}
		}
		return plain(f.function(t.Decl, "FromProto"), true)
	case protoreflect.EnumKind:
		return plain(f.function(t.Decl, "FromProto"), false)
	case protoreflect.StringKind:
		switch {
		case t.Kind == ir.BytesKind:
			return conversion{"[]byte($)", f.convert() + "Bytes", false}
		case anyBytes(fd):
			return plain(f.convert()+"Text", true)
		}
		return same
	default:
		return same
	}
}

// anyBytes tells whether a string may have bytes that are no UTF-8. The decoder has checked strings
// of proto3 already.
func anyBytes(fd protoreflect.FieldDescriptor) bool {
	return fd.ParentFile().Syntax() != protoreflect.Proto3
}

// isPointer tells whether protoc-gen-go has a field as a pointer to its value.
func isPointer(fd protoreflect.FieldDescriptor) bool {
	return isPresent(fd) && fd.Message() == nil && fd.Kind() != protoreflect.BytesKind
}

// isPresent tells whether a field that is no list, map or part of a oneof is nil if absent.
func isPresent(fd protoreflect.FieldDescriptor) bool {
	od := fd.ContainingOneof()
	return fd.HasPresence() && (od == nil || od.IsSynthetic())
}
