package plugin

import (
	"fmt"
	"slices"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/source"
)

// Feature is a member of the enum of that name.
type Feature uint16

// The features.
const (
	Times Feature = iota + 1
	UUIDs
	Arrays
	Optionals
	Maps
	Enums
	Unions
	Messages
	Segments
	Defaults
	Recursion
	Bounds
	UnknownFields
)

// featureTexts are what the features are called in problems.
var featureTexts = map[Feature]string{
	Times: "timestamps and durations", UUIDs: "uuids", Arrays: "arrays", Optionals: "optionals", Maps: "maps", Enums: "enums", Unions: "unions",
	Messages: "messages", Segments: "fields of later segments", Defaults: "defaults", Recursion: "types that hold themselves", Bounds: "bounds of `@max`",
	UnknownFields: "messages that keep unknown fields",
}

// kindFeatures are the features that a kind needs; other kinds need none.
var kindFeatures = map[ir.Kind]Feature{
	ir.ArrayKind: Arrays, ir.OptionalKind: Optionals, ir.MapKind: Maps, ir.EnumKind: Enums, ir.UnionKind: Unions, ir.MessageKind: Messages,
}

// AllFeatures are the features of a plugin that makes code of every schema.
func AllFeatures() []Feature {
	var all []Feature
	for f := Times; f <= UnknownFields; f++ {
		all = append(all, f)
	}
	return all
}

// needs are the first places in packages that need a feature, and the features in that order.
type needs struct {
	program *plan.Program
	first   map[Feature]source.Span
	order   []Feature
}

func (n *needs) add(f Feature, span source.Span) {
	if _, found := n.first[f]; !found {
		n.first[f], n.order = span, append(n.order, f)
	}
}

func (n *needs) typ(t *ir.Type, span source.Span) {
	if t == nil {
		return
	}
	if f, found := kindFeatures[t.Kind]; found {
		n.add(f, span)
	}
	switch t.Kind.Class() {
	case ir.TimestampClass, ir.DurationClass:
		n.add(Times, span)
	case ir.UUIDClass:
		n.add(UUIDs, span)
	case ir.BoolClass, ir.UnsignedClass, ir.SignedClass, ir.FloatClass:
	}
	if t.Max != nil {
		n.add(Bounds, span)
	}
	n.typ(t.Key, span)
	n.typ(t.Elem, span)
}

func (n *needs) declaration(d ir.Decl) {
	at := d.DeclMeta().Span
	if f, found := kindFeatures[ir.KindOf(d)]; found {
		n.add(f, at)
	}
	if body := n.program.Body(d); body != nil && body.Recursive {
		n.add(Recursion, at)
	}
	switch d := d.(type) {
	case *ir.Message:
		if d.KeepUnknown {
			n.add(UnknownFields, at)
		}
	case *ir.Union:
		for _, a := range d.Alternatives {
			n.typ(a.Type, a.Span)
		}
	}
	for _, f := range ir.FieldsOf(d) {
		n.typ(f.Type, f.Span)
		if f.Since > 1 {
			n.add(Segments, f.Span)
		}
		if f.Default != nil {
			n.add(Defaults, f.Span)
		}
	}
}

// refuseFeatures reports what packages have that a plugin makes no code of, each once.
func (p Program) refuseFeatures(has []Feature, program *plan.Program, packages []*ir.Package, problems *diag.List) {
	n := needs{program: program, first: map[Feature]source.Span{}}
	for _, pkg := range packages {
		for _, d := range pkg.Decls {
			for _, d := range ir.WithInline(d) {
				n.declaration(d)
			}
		}
	}
	for _, f := range n.order {
		if !slices.Contains(has, f) {
			problems.Error(codeFeature, n.first[f], "%s makes no code of %s", p.title(), featureTexts[f]).
				WithHelp(fmt.Sprintf("`schemas` of the output can leave this schema out, or the plugin has to name the feature %d", f))
		}
	}
}
