package rust

import (
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// taken are names that generated code uses for types, traits and variants, those of
// the prelude among them, so that a schema's type can't have one of them.
var taken = []string{
	"AsRef", "BTreeMap", "Box", "Clone", "Copy", "Cow", "Decoder", "Default", "Eq", "Err", "From", "Message", "MessageRef", "MessageView",
	"None", "Ok", "Option", "Ord", "PartialEq", "PartialOrd", "Result", "Self", "Some", "String", "Vec", "Writer",
}

// locals are names that generated functions use themselves, with or without a number
// behind them, so that a field's local variable can't have one of them.
var locals = []string{
	"body", "bytes", "d", "depth", "entries", "f", "fmt", "hash", "i", "inner", "input", "item", "items", "key", "large", "n", "out",
	"run", "s", "sdp", "some", "start", "tag", "value", "values", "w", "wire",
}

// typeName is the Rust name of a declared type.
func typeName(d ir.Decl) string {
	if s, ok := d.(*ir.Struct); ok && s.Owner != nil {
		for _, a := range s.Owner.Alternatives {
			if a.Inline == s {
				return derived(typeName(s.Owner), variantName(a))
			}
		}
	}
	return declared(d.DeclMeta(), d.DeclName())
}

// derived is the name of what is generated for a type. The underscore of a name
// that is taken stays the last.
func derived(name, suffix string) string {
	if base, ok := strings.CutSuffix(name, "_"); ok {
		return base + suffix + "_"
	}
	return name + suffix
}

// declared is the Rust name of a type or alias, which @name may set. Neither it nor
// the names of its other forms are taken.
func declared(meta *ir.Meta, name string) string {
	if given, ok := meta.Names["rust"]; ok {
		return given
	}
	spelt := camel(name)
	for _, suffix := range []string{"", "Ref", "View"} {
		if slices.Contains(taken, spelt+suffix) {
			return spelt + "_"
		}
	}
	return spelt
}

// camel is a schema's name as a Rust type: as it stands where it is one already.
func camel(name string) string {
	if 'A' <= name[0] && name[0] <= 'Z' && !strings.Contains(name, "_") {
		return name
	}
	text := emit.UpperCamel(emit.Words(name))
	if text == "" || text[0] < 'A' || text[0] > 'Z' {
		return "X" + text // the name starts with a digit, or is all underscores
	}
	return text
}

// variantName is the Rust name of one case of a union.
func variantName(a *ir.Alternative) string {
	if given, ok := a.Names["rust"]; ok {
		return given
	}
	name := camel(a.Name)
	if name == "Unknown" || name == "Self" {
		return name + "_"
	}
	return name
}

// constName is the Rust name of a constant.
func constName(meta *ir.Meta, name string) string {
	if given, ok := meta.Names["rust"]; ok {
		return given
	}
	return strings.ToUpper(identifier(name))
}

// snake is a field's name in snake case, without regard to keywords.
func snake(f *ir.Field) string {
	if given, ok := f.Names["rust"]; ok {
		return given
	}
	return identifier(f.Name)
}

// identifier is a name in snake case. One that has no letter in front, as schemas may
// have, gets one.
func identifier(name string) string {
	text := emit.Snake(emit.Words(name))
	if text == "" || '0' <= text[0] && text[0] <= '9' {
		return "x" + text
	}
	return text
}

// fieldName is the Rust name of a field.
func fieldName(f *ir.Field) string { return raw(snake(f)) }

// raw makes a keyword a raw identifier. The four that can't be one get an
// underscore.
func raw(name string) string {
	switch {
	case name == "self" || name == "super" || name == "crate" || name == "Self":
		return name + "_"
	case keywords[name]:
		return "r#" + name
	}
	return name
}

// local is the name of the variable that holds a field's value. What has an underscore
// behind it already gets one more, so that no two fields have the same.
func local(f *ir.Field) string {
	name := snake(f)
	base := strings.TrimRight(name, "0123456789")
	if keywords[name] || slices.Contains(locals, base) || strings.HasSuffix(name, "_") || name != strings.ToLower(name) {
		return name + "_"
	}
	return name
}

// most spells a bound of @max.
func most(bound *uint64) string {
	if bound == nil {
		return "wire::ANY"
	}
	return integer(*bound)
}

// bound spells a bound of @max as an Option.
func bound(max *uint64) string {
	if max == nil {
		return "None"
	}
	return "Some(" + integer(*max) + ")"
}
