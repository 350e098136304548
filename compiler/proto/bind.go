package proto

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// Binding knows the messages of a schema that were made of messages of Protocol Buffers,
// by their marks alone. It is for one goroutine.
type Binding struct {
	program  *plan.Program
	declared map[protoreflect.FullName]ir.Decl
	messages map[protoreflect.FullName]*bound
}

// bound is a message with what its fields were made of.
type bound struct {
	codec  *interp.Codec
	fields []boundField
	// numbers are the numbers that the message has a place for.
	numbers map[protoreflect.FieldNumber]bool
}

// boundField is the origin of a field. A field without an origin has zero.
type boundField struct {
	number protoreflect.FieldNumber
	oneof  protoreflect.Name
	kind   *ir.Type
	// tags and alternatives lead from the numbers of a oneof's fields to the union's
	// alternatives and back.
	tags         map[protoreflect.FieldNumber]*ir.Alternative
	alternatives map[uint8]protoreflect.FieldNumber
	zero         interp.Value
}

// Bind finds what was made of messages in a schema.
func Bind(program *plan.Program) *Binding {
	b := &Binding{program, map[protoreflect.FullName]ir.Decl{}, map[protoreflect.FullName]*bound{}}
	for _, pkg := range program.Schema.Packages {
		of, found := fileOf(pkg.Custom)
		if !found {
			continue
		}
		for _, d := range pkg.Decls {
			if m, found := markIn(d.DeclMeta().Custom); found && m.text != "" {
				b.declared[of.Append(protoreflect.Name(m.text))] = d
			}
		}
	}
	return b
}

// fileOf is the package of the .proto that a .sdp was made of.
func fileOf(list []ir.Custom) (protoreflect.FullName, bool) {
	for _, c := range list {
		for _, arg := range c.Args {
			if c.Name == markName && arg.Name == "package" {
				return protoreflect.FullName(arg.Value.Str), true
			}
		}
	}
	return "", false
}

// markIn is markOf for checked attributes.
func markIn(list []ir.Custom) (m mark, ok bool) {
	for _, c := range list {
		if c.Name == markName {
			ok = true
			for _, arg := range c.Args {
				m.set(arg.Name, arg.Value.Str, arg.Value.Int)
			}
		}
	}
	return m, ok
}

// message is the binding of a message.
func (b *Binding) message(name protoreflect.FullName) (*bound, error) {
	if made := b.messages[name]; made != nil {
		return made, nil
	}
	d, is := b.declared[name].(*ir.Message)
	if !is {
		return nil, fmt.Errorf("no message of the schema was made of %s", name)
	}
	codec, err := interp.New(b.program, d)
	if err != nil {
		return nil, err
	}
	zero, is := codec.Default().(interp.Message)
	if !is {
		return nil, errors.New("proto: a message's default is no message")
	}
	made := &bound{codec: codec, numbers: map[protoreflect.FieldNumber]bool{}}
	for i, f := range d.Fields {
		m, _ := markIn(f.Custom)
		field := boundField{number: protoreflect.FieldNumber(m.number), oneof: protoreflect.Name(m.oneof), kind: f.Type, zero: zero.Fields[i]}
		made.numbers[field.number] = true
		if u, is := declOf(f.Type).(*ir.Union); is && field.oneof != "" {
			field.tags, field.alternatives = map[protoreflect.FieldNumber]*ir.Alternative{}, map[uint8]protoreflect.FieldNumber{}
			for _, a := range u.Alternatives {
				if m, _ := markIn(a.Custom); m.number != 0 {
					number := protoreflect.FieldNumber(m.number)
					field.tags[number], field.alternatives[a.Tag] = a, number
					made.numbers[number] = true
				}
			}
		}
		made.fields = append(made.fields, field)
	}
	b.messages[name] = made
	return made, nil
}

// declOf is the declaration of a type, or of an optional's.
func declOf(t *ir.Type) ir.Decl {
	if t.Kind == ir.OptionalKind {
		t = t.Elem
	}
	return t.Decl
}

// CarryError says what of a value can't be carried over.
type CarryError struct{ Path, Reason string }

// Error is where and why.
func (e *CarryError) Error() string { return e.Path + ": " + e.Reason }
