package check

import (
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// lengthBytesDefault is the width of a length or count without @len.
const lengthBytesDefault = 4

// builtins are the built-in types without arguments.
var builtins = builtinTypes()

func builtinTypes() map[string]*ir.Type {
	types := map[string]*ir.Type{
		"str":    {Kind: ir.StrKind, LenBytes: lengthBytesDefault},
		"string": {Kind: ir.StrKind, LenBytes: lengthBytesDefault},
		"bytes":  {Kind: ir.BytesKind, LenBytes: lengthBytesDefault},
	}
	for _, k := range ir.Scalars() {
		types[k.String()] = &ir.Type{Kind: k}
	}
	return types
}

// legacyBuiltin tells whether SDP 0.2.0 had a built-in of that name, which
// therefore nothing else may have [LANG-2.5].
func legacyBuiltin(name string) bool {
	switch name {
	case "Option", "Box":
		return true
	}
	t, found := builtins[name]
	return found && (t.Kind.IsLegacy() || t.Kind == ir.StrKind)
}

// generics are the built-ins with arguments, and how they are written.
var generics = map[string]string{"Option": "?T", "Box": "Box<T>", "map": "map<K, V>"}

// arraySpelling is a list or array where the source spells it.
type arraySpelling struct {
	typ  *ir.Type
	span syntax.Span
}

// resolve turns a type expression into a type, nil after a report.
func (u *unit) resolve(t *syntax.Type) *ir.Type {
	resolved, _ := u.resolveNested(t)
	return resolved
}

// resolveNested also counts how many type constructors stand inside each other
// once aliases are replaced.
func (u *unit) resolveNested(t *syntax.Type) (*ir.Type, int) {
	bounds := u.attributes(t.Attributes, onType).bounds
	resolved, nesting := u.resolveBare(t)
	if resolved == nil {
		return nil, 0
	}
	if nesting > syntax.TypeNestingMax {
		u.problems.Error(syntax.CodeTypeNesting, t.Span, "this type nests more than %d levels deep, its aliases replaced", syntax.TypeNestingMax).
			WithHelp("declare a struct for the inner part")
		return nil, 0
	}
	return u.bound(resolved, bounds), nesting
}

// resolveBare resolves a type expression without its attributes.
func (u *unit) resolveBare(t *syntax.Type) (*ir.Type, int) {
	if t.Kind == syntax.NameType {
		return u.namedType(t.Name)
	}
	var key *ir.Type
	if t.Kind == syntax.MapType {
		key = u.mapKey(t.Key)
	}
	length, lengthFine := u.arrayLength(t)
	elem, nesting := u.resolveNested(t.Elem)
	if elem == nil || !lengthFine || t.Kind == syntax.MapType && key == nil {
		return nil, 0
	}
	nesting++
	switch t.Kind {
	case syntax.OptionalType, syntax.OptionType:
		return u.optional(t, elem), nesting
	case syntax.BoxType:
		boxed := *elem
		boxed.Boxed = true
		return &boxed, nesting
	case syntax.MapType:
		return &ir.Type{Kind: ir.MapKind, Key: key, Elem: elem, LenBytes: lengthBytesDefault}, nesting
	case syntax.ListType:
		if elem.Kind == ir.U8 {
			return builtins["bytes"], nesting
		}
		return u.spelled(t, &ir.Type{Kind: ir.ListKind, Elem: elem, LenBytes: lengthBytesDefault}), nesting
	}
	return u.spelled(t, &ir.Type{Kind: ir.ArrayKind, Elem: elem, N: length}), nesting
}

func (u *unit) spelled(node *syntax.Type, t *ir.Type) *ir.Type {
	u.arrays = append(u.arrays, arraySpelling{typ: t, span: node.Span})
	return t
}

// optional refuses an optional directly in an optional, which 0.2.0 took for
// one [LANG-3.3, LANG-8.3].
func (u *unit) optional(node *syntax.Type, elem *ir.Type) *ir.Type {
	if elem.Kind != ir.OptionalKind {
		return &ir.Type{Kind: ir.OptionalKind, Elem: elem}
	}
	if u.pkg.Legacy {
		return elem
	}
	d := u.problems.Error(codeNestedOptional, node.Span, "an optional cannot hold an optional directly")
	if elem.Alias != nil {
		d.WithRelated(elem.Alias.Span, "this alias is an optional already")
	}
	d.WithHelp("remove one of the two; where both kinds of absence matter, put the inner one in a struct")
	return nil
}

func (u *unit) mapKey(t *syntax.Type) *ir.Type {
	key := u.resolve(t)
	if key == nil {
		return nil
	}
	if k := key.Kind; !k.IsKey() && k != ir.StrKind && k != ir.EnumKind {
		u.problems.Error(codeMapKey, t.Span, "a map's key cannot be %s", quote(t.Span.Text())).
			WithHelp("keys are integers, bool, str and enums")
		return nil
	}
	return key
}

// arrayLength evaluates N of [N]T; it is fine for types without one.
func (u *unit) arrayLength(t *syntax.Type) (uint64, bool) {
	if t.Kind != syntax.ArrayType {
		return 0, true
	}
	n, ok := u.integer(t.Length, "an array's length")
	if !ok {
		return 0, false
	}
	if n.negative || n.magnitude == 0 {
		u.problems.Error(codeArrayLength, t.Length.Span, "an array's length is at least 1").
			WithHelp("`[]T` is a list of any length")
		return 0, false
	}
	return n.magnitude, true
}

// namedType looks up a type by its name.
func (u *unit) namedType(path syntax.Path) (*ir.Type, int) {
	name := path.Parts[0].Text
	if len(path.Parts) == 1 {
		if s := u.symbols[name]; s == nil || !s.isType() {
			if t, ok := builtins[name]; ok {
				return t, 0
			}
			if form, ok := generics[name]; ok && s == nil {
				u.problems.Error(codeTypeArguments, path.Span, "%s needs to say of what", quote(name)).
					WithHelp("write `" + form + "`")
				return nil, 0
			}
		}
	}
	s := u.lookup(path, "type", u.typeNames)
	if s == nil {
		return nil, 0
	}
	if !s.isType() {
		u.problems.Error(codeWrongKind, path.Span, "%s is %s, not a type", quote(path.String()), s.kind()).
			WithRelated(s.span, "declared here")
		return nil, 0
	}
	return s.typ, s.nesting
}

// bounds is what @len and @max say.
type bounds struct {
	lenAttribute, maxAttribute *syntax.Attribute
	lenBytes                   int
	max                        uint64
}

// bound applies @len and @max to the outermost length of a type, behind its
// optionals [LANG-5.2]. It returns nil after a report.
func (u *unit) bound(t *ir.Type, b bounds) *ir.Type {
	if b.lenAttribute == nil && b.maxAttribute == nil {
		return t
	}
	bound := *t
	if t.Kind == ir.OptionalKind {
		if bound.Elem = u.bound(t.Elem, b); bound.Elem == nil {
			return nil
		}
		return &bound
	}
	if t.LenBytes == 0 {
		a := b.lenAttribute
		if a == nil {
			a = b.maxAttribute
		}
		u.problems.Error(codeNoLength, a.Span, "@%s has no length to bind to here", a.Name).
			WithHelp("it binds to str, bytes, lists and maps; inside a type it stands before the part that it is about")
		return nil
	}
	if b.lenAttribute != nil && t.LenBytes != lengthBytesDefault {
		u.boundTwice(b.lenAttribute, t)
		return nil
	}
	if b.maxAttribute != nil && t.Max != nil {
		u.boundTwice(b.maxAttribute, t)
		return nil
	}
	if b.lenAttribute != nil {
		bound.LenBytes = b.lenBytes
	}
	if b.maxAttribute != nil {
		bound.Max = &b.max
	}
	return u.boundFits(&bound, b)
}

func (u *unit) boundTwice(a *syntax.Attribute, t *ir.Type) {
	d := u.problems.Error(codeAttributeTwice, a.Span, "this type has a @%s already", a.Name)
	if t.Alias != nil {
		d.WithRelated(t.Alias.Span, "by this alias")
	}
	d.WithHelp("remove one of the two")
}

// boundFits refuses a @max that the width of the length cannot hold.
func (u *unit) boundFits(t *ir.Type, b bounds) *ir.Type {
	largest := plan.WidthMax(t.LenBytes)
	if t.Max == nil || *t.Max <= largest {
		return t
	}
	a := b.maxAttribute
	if a == nil {
		a = b.lenAttribute
	}
	u.problems.Error(codeMaxWidth, a.Span, "a %s length cannot hold the bound %d", plan.LengthName(t), *t.Max).
		WithHelp("the largest it holds is " + decimal(largest) + "; lower @max or widen @len")
	return nil
}
