package bridge

import (
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/proto"
)

// enums makes conversions of enums, whose numbers are the same.
func (f *file) enums(list protoreflect.EnumDescriptors) {
	for i := range list.Len() {
		e := list.Get(i)
		made, is := f.binding.Declared(e).(*ir.Enum)
		if !is {
			continue
		}
		if made.Base != ir.I32 {
			f.problems.Error(codeBase, made.Span, "%s is an enum of %s, and %s one of 32 bits with a sign", made.Name, made.Base, e.FullName())
			continue
		}
		f.notice(made, e)
		name, ours, theirs := f.names.Of(made), f.ours(f.pkg, f.names.Of(made)), f.theirs(f.of, typeName(e))
		f.line("\n// %sToProto has the same number, if it is unknown, too.", name)
		f.line("func %sToProto(v %s) %s { return %s(v) }", name, ours, theirs, theirs)
		f.line("\n// %sFromProto has the same number, if it is unknown, too.", name)
		f.line("func %sFromProto(m %s) %s { return %s(m) }", name, theirs, ours, ours)
	}
}

// notice notes whether one of two things is deprecated.
func (f *file) notice(ours interface{ DeclMeta() *ir.Meta }, peer protoreflect.Descriptor) {
	options, has := peer.Options().(interface{ GetDeprecated() bool })
	if ours.DeclMeta().Deprecated != nil || has && options.GetDeprecated() {
		f.deprecated = true
	}
}

// messages makes conversions of messages, and of those within them.
func (f *file) messages(list protoreflect.MessageDescriptors) {
	for i := range list.Len() {
		m := list.Get(i)
		if m.IsMapEntry() {
			continue
		}
		if isOpaque(m.Options()) {
			f.schema.Complain(f.problems, codeOpaque, m, "%s asks for the opaque API of Go", m.FullName()).
				WithHelp("take API_HYBRID as long as both are in use")
		}
		if made, fields := f.binding.Fields(m); made != nil {
			f.notice(made, m)
			f.toProto(made, m, fields)
			f.fromProto(made, m, fields)
		}
		f.enums(m.Enums())
		f.messages(m.Messages())
	}
}

func (f *file) toProto(output *ir.Message, m protoreflect.MessageDescriptor, fields []proto.Field) {
	name, theirs := f.names.Of(output), f.theirs(f.of, typeName(m))
	f.line("\n// %sToProto converts a value for Protocol Buffers; nil stays nil.", name)
	f.line("func %sToProto(v *%s) (_ *%s, err error) {", name, f.ours(f.pkg, name), theirs)
	f.line("if v == nil {\nreturn nil, nil\n}")
	f.line("m := &%s{}", theirs)
	members := membersOf(m)
	for _, field := range fields {
		if field.Oneof != nil {
			f.oneofToProto(m, field, members)
			continue
		}
		f.notice(field.Field, field.Proto)
		f.fieldToProto(field, "m."+members.fields[field.Proto.Number()], "v."+f.names.Of(field.Field))
	}
	f.line("return m, nil\n}")
}

// assign converts a value into a place, and returns what else is given with an error.
func (f *file) assign(c conversion, place, value, name, otherwise string) {
	if c.fails {
		f.line("if %s, err = %s; err != nil {\nreturn %s, %sAt(%q, err)\n}", place, value, otherwise, f.convert(), name)
	} else {
		f.line("%s = %s", place, value)
	}
}

// container converts a list or map; it tells whether the field is one.
func (f *file) container(fd protoreflect.FieldDescriptor, t *ir.Type, show func(protoreflect.FieldDescriptor, *ir.Type) conversion, place, value, otherwise string) bool {
	switch {
	case fd.IsMap():
		key, element := show(fd.MapKey(), t.Key), show(fd.MapValue(), t.Elem)
		if key.one == "" && element.one == "" {
			f.line("%s = %s", place, value)
		} else {
			call := fmt.Sprintf("%sMap(%s, %s, %s)", f.convert(), value, key.function(f), element.function(f))
			f.assign(conversion{fails: true}, place, call, string(fd.Name()), otherwise)
		}
	case fd.IsList():
		element := show(fd, t.Elem)
		if element.one == "" {
			f.line("%s = %s", place, value)
		} else {
			call := fmt.Sprintf("%sList(%s, %s)", f.convert(), value, element.function(f))
			f.assign(conversion{fails: true}, place, call, string(fd.Name()), otherwise)
		}
	default:
		return false
	}
	return true
}

// held is the type of a field without that it is optional; and where the value lies if it is
// there, and how that is told. The condition is empty where it is always there.
func (f *file) held(t *ir.Type, place string) (element *ir.Type, value, condition string) {
	switch {
	case t.Kind != ir.OptionalKind:
		return t, place, ""
	case f.costs.Boxed(t):
		return t.Elem, "(*" + place + ")", place + " != nil"
	}
	return t.Elem, place + ".Value", place + ".Present"
}

func (f *file) fieldToProto(field proto.Field, place, value string) {
	fd := field.Proto
	if f.container(fd, field.Type, f.toward, place, value, "nil") {
		return
	}
	held, value, condition := f.held(field.Type, value)
	c := f.toward(fd, held)
	if condition != "" {
		f.line("if %s {", condition)
	}
	made := c.of(value)
	switch {
	case isPointer(fd) && c.fails:
		made = f.convert() + "Pointed(" + made + ")"
	case isPointer(fd):
		made = f.convert() + "Pointer(" + made + ")"
	case isPresent(fd) && fd.Kind() == protoreflect.BytesKind:
		made = f.convert() + "NotNil(" + made + ")"
	}
	f.assign(c, place, made, string(fd.Name()), "nil")
	if condition != "" {
		f.line("}")
	}
}

func (f *file) oneofToProto(m protoreflect.MessageDescriptor, field proto.Field, members members) {
	_, value, condition := f.held(field.Type, "v."+f.names.Of(field.Field))
	f.line("if %s {\nswitch a := %s.Value.(type) {", condition, value)
	place := "m." + members.oneofs[field.Oneof.Name()]
	for i := range field.Oneof.Fields().Len() {
		fd := field.Oneof.Fields().Get(i)
		a := field.Alternatives[fd.Number()]
		if a == nil || a.Type == nil {
			continue
		}
		f.notice(a, fd)
		f.line("case *%s:", f.ours(a.Package, f.names.Of(a)))
		c, made := f.toward(fd, a.Type), "x"
		if c.fails {
			f.line("x, err := %s\nif err != nil {\nreturn nil, %sAt(%q, err)\n}", c.of("a.Value"), f.convert(), fd.Name())
		} else {
			made = c.of("a.Value")
		}
		f.line("%s = &%s{%s: %s}", place, f.theirs(f.of, members.holders[fd.Number()]), members.fields[fd.Number()], made)
	}
	f.line("default:\nreturn nil, %[1]sAt(%[2]q, %[1]sErrNoAlternative)\n}\n}", f.convert(), field.Oneof.Name())
}

func (f *file) fromProto(output *ir.Message, m protoreflect.MessageDescriptor, fields []proto.Field) {
	name := f.names.Of(output)
	ours := f.ours(f.pkg, name)
	f.line("\n// %sFromProto converts a value of Protocol Buffers; nil is an empty one. Fields that the\n// schema doesn't have are lost.", name)
	f.line("func %sFromProto(m *%s) (v %s, err error) {", name, f.theirs(f.of, typeName(m)), ours)
	f.line("v = *%s()", f.ours(f.pkg, "New"+name))
	f.line("if m == nil {\nreturn v, nil\n}")
	members := membersOf(m)
	for _, field := range fields {
		if field.Oneof != nil {
			f.oneofFromProto(field, members)
			continue
		}
		f.fieldFromProto(field, "v."+f.names.Of(field.Field), "m."+members.fields[field.Proto.Number()])
	}
	f.line("return v, nil\n}")
}

// optional is code that makes an optional of a value.
func (f *file) optional(t *ir.Type, c conversion, value string) string {
	switch boxed := f.costs.Boxed(t); {
	case boxed && c.fails:
		return f.convert() + "Pointed(" + value + ")"
	case boxed:
		return f.convert() + "Pointer(" + value + ")"
	case c.fails:
		return f.convert() + "Some(" + value + ")"
	}
	return f.sdp() + "Some(" + value + ")"
}

func (f *file) fieldFromProto(field proto.Field, place, value string) {
	fd := field.Proto
	if f.container(fd, field.Type, f.back, place, value, "v") {
		return
	}
	held, _, condition := f.held(field.Type, place)
	c := f.back(fd, held)
	source := value
	if isPointer(fd) {
		source = "*" + value
	}
	made := c.of(source)
	if condition != "" {
		made = f.optional(field.Type, c, made)
	}
	switch {
	case fd.Cardinality() == protoreflect.Required && condition == "":
		f.line("if %[1]s == nil {\nreturn v, %[2]sAt(%[3]q, %[2]sErrMissing)\n}", value, f.convert(), fd.Name())
		f.assign(c, place, made, string(fd.Name()), "v")
	case isPresent(fd):
		f.line("if %s != nil {", value)
		f.assign(c, place, made, string(fd.Name()), "v")
		f.line("}")
	default:
		f.assign(c, place, made, string(fd.Name()), "v")
	}
}

func (f *file) oneofFromProto(field proto.Field, members members) {
	place, union := "v."+f.names.Of(field.Field), field.Type.Elem.Decl
	value := "m." + members.oneofs[field.Oneof.Name()]
	f.line("switch a := %s.(type) {\ncase nil:", value)
	for i := range field.Oneof.Fields().Len() {
		fd := field.Oneof.Fields().Get(i)
		a := field.Alternatives[fd.Number()]
		if a == nil || a.Type == nil {
			continue
		}
		f.line("case *%s:", f.theirs(f.of, members.holders[fd.Number()]))
		c, made := f.back(fd, a.Type), "x"
		if member := "a." + members.fields[fd.Number()]; c.fails {
			f.line("x, err := %s\nif err != nil {\nreturn v, %sAt(%q, err)\n}", c.of(member), f.convert(), fd.Name())
		} else {
			made = c.of(member)
		}
		alternative := fmt.Sprintf("%s{Value: &%s{Value: %s}}", f.ours(union.DeclPackage(), f.names.Of(union)), f.ours(a.Package, f.names.Of(a)), made)
		f.line("%s = %s", place, f.optional(field.Type, same, alternative))
	}
	f.line("default:\nreturn v, %[1]sAt(%[2]q, %[1]sErrNoAlternative)\n}", f.convert(), field.Oneof.Name())
}
