package proto

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// Field is a field of a message with its origin: a field of the .proto, or a oneof, whose fields
// have become alternatives.
type Field struct {
	*ir.Field
	Proto        protoreflect.FieldDescriptor // nil for a oneof
	Oneof        protoreflect.OneofDescriptor // nil for a field
	Alternatives map[protoreflect.FieldNumber]*ir.Alternative
}

// Fields are the message that was made of a message of the .proto, and its fields whose origins the
// .proto still has; nil if there is none.
func (b *Binding) Fields(d protoreflect.MessageDescriptor) (*ir.Message, []Field) {
	made, is := b.declared[d.FullName()].(*ir.Message)
	if !is {
		return nil, nil
	}
	var fields []Field
	for _, f := range made.Fields {
		m, _ := markIn(f.Custom)
		field := Field{Field: f, Alternatives: map[protoreflect.FieldNumber]*ir.Alternative{}}
		if m.oneof != "" {
			field.Oneof = d.Oneofs().ByName(protoreflect.Name(m.oneof))
		} else if m.number != 0 {
			field.Proto = d.Fields().ByNumber(protoreflect.FieldNumber(m.number))
		}
		if u, is := declOf(f.Type).(*ir.Union); is && field.Oneof != nil {
			for _, a := range u.Alternatives {
				if m, _ := markIn(a.Custom); m.number != 0 {
					field.Alternatives[protoreflect.FieldNumber(m.number)] = a
				}
			}
		}
		if field.Proto != nil || field.Oneof != nil {
			fields = append(fields, field)
		}
	}
	return made, fields
}

// Declared is the declaration that was made of a message or enum; nil for nothing.
func (b *Binding) Declared(d protoreflect.Descriptor) ir.Decl { return b.declared[d.FullName()] }

// Service is the service that was made of a service, and its methods by their origins' names; nil
// for nothing.
func (b *Binding) Service(d protoreflect.ServiceDescriptor) (*ir.Service, map[protoreflect.Name]*ir.Method) {
	pkg := b.Package(d.ParentFile())
	if pkg == nil {
		return nil, nil
	}
	for _, s := range pkg.Services {
		if m, _ := markIn(s.Custom); m.text != within(d) {
			continue
		}
		methods := map[protoreflect.Name]*ir.Method{}
		for _, one := range s.Methods {
			if m, _ := markIn(one.Custom); m.text != "" {
				methods[protoreflect.Name(m.text)] = one
			}
		}
		return s, methods
	}
	return nil, nil
}

// Package is the package that was made of a file; nil for nothing.
func (b *Binding) Package(d protoreflect.FileDescriptor) *ir.Package {
	for _, pkg := range b.program.Schema.Packages {
		for _, c := range pkg.Custom {
			for _, arg := range c.Args {
				if c.Name == markName && arg.Name == "file" && arg.Value.Str == d.Path() {
					return pkg
				}
			}
		}
	}
	return nil
}

// IsTime tells whether a message is a timestamp or duration here.
func IsTime(m protoreflect.MessageDescriptor, t *ir.Type) bool {
	return times[m.FullName()] == t.Kind.String()
}

// IsWrapper tells whether a message is an optional scalar here.
func IsWrapper(m protoreflect.MessageDescriptor, t *ir.Type) bool {
	return wrapped[m.FullName()] != 0 && t.Kind != ir.MessageKind
}
