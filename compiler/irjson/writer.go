package irjson

import (
	"fmt"
	"math"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// irWriter turns the ir into its JSON form; sizes come from the plan.
type irWriter struct {
	program *plan.Program
	layouts plan.Layouts
}

func (w irWriter) pkg(pkg *ir.Package) jsonPackage {
	out := jsonPackage{
		Name:        pkg.Name,
		Path:        pkg.Path,
		Doc:         pkg.Doc,
		Legacy:      pkg.Legacy,
		Fingerprint: fingerprint(plan.SourceFingerprint(pkg)),
		ReservedIDs: irRanges(pkg.ReservedIDs),
		Custom:      irCustom(pkg.Custom),
	}
	for _, i := range pkg.Imports {
		out.Imports = append(out.Imports, jsonImport{Name: i.Name, Package: i.Package.Name})
	}
	for _, c := range pkg.Consts {
		out.Constants = append(out.Constants, jsonConstant{c.Name, irType(c.Type), irValue(c.Value, c.Type), irMeta(&c.Meta)})
	}
	for _, a := range pkg.Aliases {
		out.Aliases = append(out.Aliases, jsonAlias{a.Name, irType(a.Type), irMeta(&a.Meta)})
	}
	for _, d := range pkg.Decls {
		out.Declarations = append(out.Declarations, w.declaration(d))
	}
	for _, s := range pkg.Services {
		out.Services = append(out.Services, irService(s))
	}
	return out
}

func (w irWriter) declaration(d ir.Decl) jsonDeclaration {
	out := jsonDeclaration{Name: d.DeclName(), jsonMeta: irMeta(d.DeclMeta())}
	if id := ir.IDOf(d); id != nil {
		out.ID = &jsonID{Value: id.Value, Positional: id.Positional}
	}
	switch d := d.(type) {
	case *ir.Enum:
		out.Kind, out.Base, out.Closed, out.Reserved = "enum", d.Base.String(), d.Closed, irReserved(d.Reserved)
		for _, m := range d.Members {
			out.Members = append(out.Members, jsonMember{m.Name, irInteger(m.Number, d.Base), irMeta(&m.Meta)})
		}
		return out
	case *ir.Union:
		out.Kind, out.Closed, out.Reserved = "union", d.Closed, irReserved(d.Reserved)
		for _, a := range d.Alternatives {
			out.Alternatives = append(out.Alternatives, irAlternative(a))
		}
	case *ir.Struct:
		out.Kind, out.Fields = "struct", irFields(d.Fields)
	case *ir.Message:
		out.Kind, out.KeepUnknown, out.Fields = "message", d.KeepUnknown, irFields(d.Fields)
	}
	body := w.program.Body(d)
	out.Recursive = body.Recursive
	out.Size = &jsonSize{Min: body.Size.Min}
	if body.Size.Bounded {
		out.Size.Max = &body.Size.Max
	}
	out.Layout = w.layouts.Of(d)
	prints := plan.FingerprintsOf(d)
	out.Fingerprints = &jsonPrints{}
	for i := range prints.Segments {
		out.Fingerprints.Segments = append(out.Fingerprints.Segments, fingerprint(prints.Segments[i]))
		out.Fingerprints.Cumulative = append(out.Fingerprints.Cumulative, fingerprint(prints.Cumulative[i]))
	}
	return out
}

func irAlternative(a *ir.Alternative) jsonAlternative {
	out := jsonAlternative{Name: a.Name, Tag: a.Tag, jsonMeta: irMeta(&a.Meta)}
	if a.Inline != nil {
		out.Fields = irFields(a.Inline.Fields)
	} else if a.Type != nil {
		out.Type = irType(a.Type)
	}
	return out
}

func irFields(fields []*ir.Field) []jsonField {
	out := []jsonField{}
	for _, f := range fields {
		field := jsonField{Name: f.Name, Type: irType(f.Type), Segment: f.Since, jsonMeta: irMeta(&f.Meta)}
		if f.Default != nil {
			valued := f.Type
			if valued.Kind == ir.OptionalKind {
				valued = valued.Elem
			}
			field.Default = irValue(*f.Default, valued)
		}
		out = append(out, field)
	}
	return out
}

func irType(t *ir.Type) *jsonType {
	if t == nil {
		return nil
	}
	out := &jsonType{
		Kind:       t.Kind.String(),
		Key:        irType(t.Key),
		Element:    irType(t.Elem),
		Length:     t.N,
		CountBytes: t.LenBytes,
		Max:        t.Max,
		Boxed:      t.Boxed,
	}
	if t.Decl != nil {
		out.Declaration = ir.FullName(t.Decl)
	}
	if t.Alias != nil {
		out.Alias = t.Alias.Package.Name + "." + t.Alias.Name
	}
	return out
}

// irValue writes a constant as JSON data has a value of the type: 64-bit
// integers as strings, so that no reader rounds them. A nil type is that of an
// attribute's argument, which is what its literal is.
func irValue(v ir.Value, t *ir.Type) any {
	switch v.Kind {
	case ir.BoolValue:
		return v.Bool
	case ir.IntValue:
		if t == nil {
			return irInteger(v.Int, ir.I64)
		}
		return irInteger(v.Int, t.Kind)
	case ir.FloatValue:
		switch {
		case math.IsNaN(v.Float):
			return "NaN"
		case math.IsInf(v.Float, 0):
			return map[bool]string{true: "Infinity", false: "-Infinity"}[v.Float > 0]
		}
		return v.Float
	case ir.EnumValue:
		return v.Member.Name
	}
	return v.Str
}

func irInteger(n int64, kind ir.Kind) any {
	switch {
	case kind.Bytes() == 8 && kind.Class() == ir.UnsignedClass:
		return fmt.Sprint(uint64(n))
	case kind.Bytes() == 8:
		return fmt.Sprint(n)
	}
	return n
}

func irMeta(m *ir.Meta) jsonMeta {
	return jsonMeta{
		Doc:        m.Doc,
		Deprecated: m.Deprecated,
		Names:      m.Names,
		Custom:     irCustom(m.Custom),
		At:         irPlace(m.Span),
	}
}

func irCustom(custom []ir.Custom) []jsonCustom {
	var out []jsonCustom
	for _, c := range custom {
		one := jsonCustom{Name: c.Name}
		for _, a := range c.Args {
			one.Arguments = append(one.Arguments, jsonArgument{a.Name, argumentKind(a.Value), irValue(a.Value, nil)})
		}
		out = append(out, one)
	}
	return out
}

// argumentKind tells numbers from texts, which an integer of 64 bits is as JSON.
func argumentKind(v ir.Value) string {
	switch v.Kind {
	case ir.BoolValue:
		return "bool"
	case ir.IntValue:
		return "integer"
	case ir.FloatValue:
		return "float"
	}
	return "text"
}

func irService(s *ir.Service) jsonService {
	out := jsonService{Name: s.Name, Reserved: irReserved(s.Reserved), jsonMeta: irMeta(&s.Meta)}
	for _, m := range s.Methods {
		out.Methods = append(out.Methods, jsonMethod{
			Name:           m.Name,
			Kind:           map[ir.MethodKind]string{ir.Call: "call", ir.Stream: "stream", ir.Event: "event"}[m.Kind],
			Number:         m.Number,
			Request:        irType(m.Request),
			Response:       irType(m.Response),
			RequestStream:  m.RequestFlows,
			ResponseStream: m.ResponseFlows,
			Idempotent:     m.Idempotent,
			jsonMeta:       irMeta(&m.Meta),
		})
	}
	return out
}
