package jsonschema

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// dialect is the draft of JSON Schema.
const dialect = "https://json-schema.org/draft/2020-12/schema"

// Options choose the accepted values, and the names of a schema.
type Options struct {
	// Strict refuses members that a message does not have, as `sdp convert --strict` does.
	Strict bool
	// ID is the schema's $id; empty is one made of the type's name, or the package's.
	ID string
}

// Write writes the schema of a type, and below $defs the schemas that it uses. Without a type, it
// writes a schema that accepts everything and has all types of the requested packages.
func Write(w io.Writer, schema *ir.Schema, root ir.Decl, options Options) error {
	b := &builder{strict: options.Strict}
	made := &node{}
	id := ""
	if root != nil {
		b.root = root
		made = b.declaration(root)
		id = ir.FullName(root)
	} else {
		var names []string
		for _, pkg := range schema.Roots {
			names = append(names, pkg.Name)
			for _, d := range pkg.Decls {
				b.use(d)
			}
		}
		id = strings.Join(names, "+")
	}
	made.Schema, made.ID = dialect, options.ID
	if made.ID == "" {
		made.ID = "urn:sdp:" + id
	}
	made.Defs = b.definitions()
	var out bytes.Buffer
	if err := json.Indent(&out, marshal(made), "", "  "); err != nil {
		return err
	}
	out.WriteByte('\n')
	_, err := w.Write(out.Bytes())
	return err
}

// Of is the schema of a type without $id, and in one line, for what holds schemas in texts
// of its own. It refuses members that a message does not have. Its own $defs have all that
// it uses, itself too where it holds itself. It is short, since programs read many of them at
// once: integers of 32 bits or fewer have no texts, and patterns of texts say how these look and
// leave their ends to the reader.
func Of(d ir.Decl) json.RawMessage {
	b := &builder{strict: true, isShort: true}
	made := b.declaration(d)
	made.Defs = b.definitions()
	return marshal(made)
}

// ListOf is the schema of an object whose one required member is a list of a type's values,
// as Of has it. Further members are texts that may be there, given by a name and a description.
func ListOf(d ir.Decl, name, description string, further ...[2]string) json.RawMessage {
	b := &builder{strict: true, isShort: true}
	list := &node{Description: description, Type: "array", Items: b.ref(d)}
	made := &node{Type: "object", Properties: members{{name, list}}, Required: []string{name}, AdditionalProperties: false}
	for _, f := range further {
		made.Properties = append(made.Properties, member{f[0], &node{Type: "string", Description: f[1]}})
	}
	made.Defs = b.definitions()
	return marshal(made)
}

// builder makes schemas of types, and notes which others they use.
type builder struct {
	strict  bool
	isShort bool    // as Of has it
	root    ir.Decl // the one that # means; nil for none
	decls   []ir.Decl
	scalars []string // names of definitions
}

// use notes that a declaration is referred to.
func (b *builder) use(d ir.Decl) {
	if !slices.Contains(b.decls, d) {
		b.decls = append(b.decls, d)
	}
}

// ref refers to a declaration.
func (b *builder) ref(d ir.Decl) *node {
	if d == b.root {
		return &node{Ref: "#"}
	}
	b.use(d)
	return &node{Ref: "#/$defs/" + ir.FullName(d)}
}

// builtin refers to the definition of something that each schema has.
func (b *builder) builtin(name string) *node {
	if !slices.Contains(b.scalars, name) {
		b.scalars = append(b.scalars, name)
	}
	return &node{Ref: "#/$defs/" + name}
}

// definitions are the definitions of everything that was referred to, and of its own references:
// the types, then the scalars, each in the order of their names.
func (b *builder) definitions() members {
	var made members
	for i := 0; i < len(b.decls); i++ {
		made = append(made, member{ir.FullName(b.decls[i]), b.declaration(b.decls[i])})
	}
	byKey := func(a, b member) int { return strings.Compare(a.key, b.key) }
	slices.SortFunc(made, byKey)
	var scalars members
	for i := 0; i < len(b.scalars); i++ {
		scalars = append(scalars, member{b.scalars[i], b.definition(b.scalars[i])})
	}
	slices.SortFunc(scalars, byKey)
	return append(made, scalars...)
}

// declaration is the schema of a declared type.
func (b *builder) declaration(d ir.Decl) *node {
	var made *node
	switch d := d.(type) {
	case *ir.Enum:
		made = b.enum(d)
	case *ir.Union:
		made = b.union(d)
	case *ir.Struct:
		made = b.fields(d.Fields, true)
	case *ir.Message:
		made = b.fields(d.Fields, b.strict)
		if d.KeepUnknown {
			tail := b.builtin(bytesName)
			tail.Description = "Bytes that a newer release has written behind the fields that are known here."
			made.Properties = append(made.Properties, member{unknownKey, tail})
		}
	}
	made.Title = d.DeclName()
	describe(made, d.DeclMeta())
	return made
}

// unknownKey is the member that holds what a schema has no name for.
const unknownKey = "$unknown"

// describe copies the comments of the schema's author.
func describe(n *node, meta *ir.Meta) {
	lines := slices.Clone(meta.Doc)
	if meta.Deprecated != nil {
		n.Deprecated = true
		if *meta.Deprecated != "" {
			lines = append(lines, "Deprecated: "+*meta.Deprecated)
		}
	}
	if n.Description != "" {
		lines = append(lines, n.Description)
	}
	n.Description = strings.Join(lines, "\n")
}

// fields is an object with a member for each field [JSON-4.1].
func (b *builder) fields(fields []*ir.Field, strict bool) *node {
	made := &node{Type: "object"}
	if strict {
		made.AdditionalProperties = false
	}
	for _, f := range fields {
		one := b.value(f.Type)
		describe(one, &f.Meta)
		if f.Default != nil {
			one.Default = json.RawMessage(interp.DefaultJSON(f))
		}
		made.Properties = append(made.Properties, member{f.JSONName(), one})
		if f.Since == 1 && f.Type.Kind != ir.OptionalKind { // [JSON-5.2]
			made.Required = append(made.Required, f.JSONName())
		}
	}
	return made
}

// union is an object with one member, the alternative [JSON-4.3].
func (b *builder) union(u *ir.Union) *node {
	made := &node{Type: "object", MinProperties: number(1), MaxProperties: number(1), AdditionalProperties: false}
	var tags []any
	for _, a := range u.Alternatives {
		one := &node{Type: "null"} // [JSON-4.4]
		if a.Inline != nil {
			one = b.fields(a.Inline.Fields, true)
		} else if a.Type != nil {
			one = b.value(a.Type)
		}
		describe(one, &a.Meta)
		made.Properties = append(made.Properties, member{nameOf(&a.Meta, a.Name), one})
		tags = append(tags, a.Tag)
	}
	if !u.Closed {
		made.Properties = append(made.Properties, member{unknownKey, b.unknown(tags)})
	}
	return made
}

// unknown is an alternative that a newer release has [JSON-4.5].
func (b *builder) unknown(tags []any) *node {
	texts := []any{"0"}
	numbers := []any{0}
	for _, tag := range tags {
		numbers = append(numbers, tag)
		texts = append(texts, string(marshal(tag)))
	}
	tag := &node{Type: "integer", Minimum: "0", Maximum: "255", Not: &node{Enum: numbers}}
	if b.hasTexts(ir.U8) {
		tag = &node{AnyOf: []*node{tag, {Ref: b.builtin(textName(ir.U8)).Ref, Not: &node{Enum: texts}}}}
	}
	return &node{
		Description:          "An alternative that a newer release has, and that is not known here.",
		Type:                 "object",
		Properties:           members{{"tag", tag}, {"payload", b.builtin(bytesName)}},
		AdditionalProperties: false,
		Required:             []string{"tag", "payload"},
	}
}

func nameOf(meta *ir.Meta, name string) string {
	if n, ok := meta.Names["json"]; ok {
		return n
	}
	return name
}
