package cpp

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// keywords can't be names in C++, up to C++23.
var keywords = words(`
	alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class co_await
	co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default delete do
	double dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace
	new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires return
	short signed sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef
	typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq
`)

// macros are names that headers of the standard library, or compilers, are known
// to define as macros.
var macros = words(macroFile)

// The file is what gcc 12 and clang 16 print, with glibc, of all headers of C++17
// and C++20 with -dM -E, and of those that code of services includes, without
// names that begin with an underscore.
//
//go:embed macros.txt
var macroFile string

// globals are names that these headers, and those of POSIX, declare outside of
// any namespace, and main: no namespace can have one of them.
var globals = words(globalFile)

// The file is what gcc 12 refuses as a namespace, with glibc, behind all these
// headers.
//
//go:embed globals.txt
var globalFile string

// taken are names that generated code uses within types.
var taken = words(`allocator_type detail places pmr sdp sdp_codec shapes std wire`)

// locals are names of parameters and variables of generated functions, which a
// constant of the package would be hidden by.
var locals = words(`
	a all allocator b d depth from head input keep n options other out payload run s tag to type type_id value visit visitor w
`)

func words(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}

// identifier makes a name one that a member or type can have: nothing that
// generated code needs itself.
func identifier(name string) string {
	if name = plain(name); taken[name] {
		return name + "_"
	}
	return name
}

// plain makes a name one that C++ takes: no keyword, and none that the standard
// reserves.
func plain(name string) string {
	for strings.Contains(name, "__") {
		name = strings.ReplaceAll(name, "__", "_")
	}
	if len(name) > 1 && name[0] == '_' && 'A' <= name[1] && name[1] <= 'Z' {
		name = name[1:]
	}
	if keywords[name] || macros[name] {
		return name + "_"
	}
	return name
}

// typeName is the C++ name of a declared type in its namespace; that of an inline
// alternative is the alternative's within its union.
func typeName(d ir.Decl) string {
	if s, ok := d.(*ir.Struct); ok && s.Owner != nil {
		return alternativeName(alternativeOf(s))
	}
	return declared(d.DeclMeta(), d.DeclName())
}

// alternativeOf is the alternative that an inline struct belongs to.
func alternativeOf(s *ir.Struct) *ir.Alternative {
	i := slices.IndexFunc(s.Owner.Alternatives, func(a *ir.Alternative) bool { return a.Inline == s })
	return s.Owner.Alternatives[i]
}

// declared is the C++ name of a type or alias, which @name may set.
func declared(meta *ir.Meta, name string) string {
	if given, ok := meta.Names["cpp"]; ok {
		return given
	}
	name = identifier(camel(name))
	if name == "Message" || name == "MessageRef" || name == "MessageView" {
		return name + "_" // the dispatchers
	}
	return name
}

// camel is a schema's name as a C++ type: as it stands where it is one already.
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

// derived is the name of what is generated for a type. The underscore of a name
// that is taken stays the last.
func derived(name, suffix string) string {
	if base, ok := strings.CutSuffix(name, "_"); ok {
		return base + suffix + "_"
	}
	return name + suffix
}

// alternativeName is the name of a union's alternative.
func alternativeName(a *ir.Alternative) string {
	if given, ok := a.Names["cpp"]; ok {
		return given
	}
	return identifier(camel(a.Name))
}

// memberName is the name of an enum's member.
func memberName(m *ir.EnumMember) string {
	if given, ok := m.Names["cpp"]; ok {
		return given
	}
	if m.Name == "source_fingerprint" {
		return m.Name + "_" // it would shadow the package's, of which compilers warn
	}
	return identifier(m.Name)
}

// constName is the name of a constant.
func constName(c *ir.Const) string {
	if given, ok := c.Names["cpp"]; ok {
		return given
	}
	name := identifier(c.Name)
	if locals[strings.TrimRight(name, "0123456789")] {
		return name + "_"
	}
	return name
}

// fieldName is the name of a field, and of what reads it from a view.
func fieldName(f *ir.Field) string {
	if given, ok := f.Names["cpp"]; ok {
		return given
	}
	return snake(f.Name)
}

// snake is a name in snake case.
func snake(name string) string {
	text := emit.Snake(emit.Words(name))
	if text == "" || '0' <= text[0] && text[0] <= '9' {
		return "x" + text
	}
	return identifier(text)
}

// Namespace is the namespace of a package: `audio::host` for audio.host.
func Namespace(pkg *ir.Package) string {
	var parts []string
	for i, part := range strings.Split(pkg.Name, ".") {
		part = plain(part)
		// Names in a namespace hide what generated code means by them;
		// detail and pmr are in that of every package.
		within := i > 0 && (part == "detail" || part == "pmr")
		if part == "sdp" || part == "std" || within || i == 0 && globals[part] {
			part += "_"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "::")
}

// Header is the name of a package's header.
func Header(pkg *ir.Package) string { return strings.ReplaceAll(pkg.Name, ".", "_") + ".hpp" }

// literal is a constant value in C++.
func (g *generator) literal(t *ir.Type, v ir.Value) string {
	switch t.Kind {
	case ir.StrKind:
		return literalText(v)
	case ir.EnumKind:
		return g.types.qualified(t.Decl, owned) + "::" + memberName(v.Member)
	}
	spelled := scalars.Of(t.Kind)
	switch t.Kind.Class() {
	case ir.BoolClass:
		return strconv.FormatBool(v.Bool)
	case ir.FloatClass:
		return floatLiteral(v.Float, t.Kind) + spelled.suffix
	case ir.TimestampClass, ir.DurationClass:
		return spelled.name + "{" + signed(v.Int) + "}"
	case ir.UUIDClass:
		return uuidLiteral(v)
	case ir.UnsignedClass:
		return strconv.FormatUint(uint64(v.Int), 10) + spelled.suffix
	case ir.SignedClass:
		return signed(v.Int) + spelled.suffix
	}
	panic("cpp: " + t.Kind.String() + " has no literals")
}

// signed is a literal that has no suffix; the smallest number has no literal.
func signed(n int64) string {
	if n == math.MinInt64 {
		return "-9223372036854775807 - 1"
	}
	return strconv.FormatInt(n, 10)
}

func floatLiteral(number float64, kind ir.Kind) string {
	text := strconv.FormatFloat(number, 'g', -1, 8*kind.Bytes())
	text = strings.Replace(text, "e+", "e", 1)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

// hex is a fingerprint.
func hex(n uint64) string { return fmt.Sprintf("0x%016x", n) }

// lineMax is how long a line gets where there is a choice.
const lineMax = 100
