package cpp_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/backend/cpp"
	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// hostile are names that mean something in C++, in the runtime or in generated
// code.
var hostile = strings.Fields(`
	alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class co_await
	co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default delete do
	double dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace
	new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires return
	short signed sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef
	typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq final override import module
	a b d n s w at out end run run2 head tag name type view value values input depth visit other options allocator
	caller output replier sender server services stream
	allocator_type resource payload places places_ shapes codec record bytes levels elements checked partial least fixed apart
	layout size read write load store valid encodable reset fields known is_known is_view is_borrowed has_window
	type_id fingerprint fingerprints segment_fingerprints memory_factor json_name from to_string operators
	sdp std wire detail pmr sdp_codec unknown unknown_ref message message_view decode_message source encode decode
	string vector map optional variant array monostate list text blob span result error kind limits item items get
	int8_t uint8_t size_t byte memory_resource uuid timestamp duration numbers indirect nanoseconds main
	errno assert linux unix stdin stdout stderr major minor signbit isnan isinf fpclassify min max near far small
	_lead __double __ _ trailing_ trailing__ mid__dle _Upper X1 x_1 x1_
	a_name_that_is_so_long_that_no_line_of_generated_code_that_contains_it_more_than_once_is_short_enough_for_any_format
`)

// builtin are names that a schema can't give to a type or constant, and one that
// every generated package has.
var builtin = strings.Fields("bool string map bytes timestamp duration uuid to_string decode_message")

// refused are types that C++'s case rules, or generated names, make the same as another's; or that
// the tests have themselves.
var refused = strings.Fields("Main Any Value Message Message_view Unknown_ref Char_ref")

// members are what enums and constants may be called besides: names of macros.
var members = strings.Fields(`
	NULL EOF TRUE FALSE INT_MAX UINT8_MAX CHAR_BIT SIZE_MAX RAND_MAX BUFSIZ INFINITY NAN HUGE_VAL EINVAL ENOENT EDOM SIGINT
	SEEK_SET EXIT_SUCCESS EXIT_FAILURE CLOCKS_PER_SEC TIME_UTC BIG_ENDIAN LITTLE_ENDIAN BYTE_ORDER WEOF WCHAR_MAX LC_ALL
	FLT_MAX DBL_EPSILON M_PI MB_CUR_MAX INT32_C OFFSETOF PRId64 L_tmpnam TMP_MAX DOMAIN OVERFLOW UNDERFLOW LONG_MAX
	FE_INVALID MATH_ERRNO FP_NAN FP_ZERO PTHREAD_ONCE_INIT S_ISREG
`)

// distinct leaves out names that a schema, or C++'s case rules, take for the same.
func distinct(names []string) []string {
	seen := map[string]bool{}
	var list []string
	for _, name := range names {
		key := strings.ToLower(strings.ReplaceAll(name, "_", ""))
		if seen[key] || key == "" {
			continue
		}
		seen[key] = true
		list = append(list, name)
	}
	return list
}

func each(names []string, format string, leftOut ...string) string {
	var text strings.Builder
	for i, name := range names {
		skip := false
		for _, other := range leftOut {
			skip = skip || other == name
		}
		if !skip {
			text.WriteString(strings.NewReplacer("NAME", name, "NUMBER", fmt.Sprint(i+1)).Replace(format))
		}
	}
	return text.String()
}

// upper is a name of a schema as a type or an alternative.
func upper(names []string) []string {
	var list []string
	for _, name := range names {
		word := strings.TrimLeft(name, "_")
		if word == "" || word[0] < 'a' || word[0] > 'z' {
			continue
		}
		list = append(list, strings.ToUpper(word[:1])+word[1:])
	}
	return distinct(list)
}

// uses is a program that takes a value of every type through all that there is.
func uses(t *testing.T, folder string, generated map[string]string, schema *ir.Schema) string {
	t.Helper()
	var text strings.Builder
	for name, content := range generated {
		writeFile(t, filepath.Join(folder, name), content)
		fmt.Fprintf(&text, "#include %q\n", name)
	}
	text.WriteString(`
template <class Owned, class Borrowed, class Pooled, class View>
int use() {
    const Owned fresh{};
    const auto bytes = sdp::encode(fresh);
    if (!bytes) {
        return bytes.error().kind == sdp::kind::value_invalid ? 0 : 1;
    }
    const auto owned = sdp::decode<Owned>(*bytes);
    const auto borrowed = sdp::decode<Borrowed>(*bytes);
    const auto pooled = sdp::decode<Pooled>(*bytes);
    const auto view = sdp::decode<View>(*bytes);
    if (!owned || !borrowed || !pooled || !view || !(*owned == fresh) || *owned != fresh) {
        return 1;
    }
    const Pooled copy = *pooled;
    if (!(copy == *pooled) || sdp::encode(copy).value() != *bytes) {
        return 1;
    }
    return sdp::encode(*borrowed).value() == *bytes && sdp::validate(*owned) ? 0 : 1;
}

int main() {
    int failed = 0;
`)
	count := 0
	for _, pkg := range schema.Packages {
		content := generated[cpp.Header(pkg)]
		space := "::" + cpp.Namespace(pkg) + "::"
		for _, match := range forms(content) {
			count++
			fmt.Fprintf(&text, "    failed += use<%s>();\n", strings.Join(match.of(space), ", "))
		}
	}
	if count == 0 {
		t.Fatal("no type is used")
	}
	text.WriteString("    return failed;\n}\n")
	return text.String()
}

// form is the names of a type's forms.
type form struct{ owned, borrowed, view string }

// forms finds the types of a header: each has a view, and a borrowed form behind
// its own in the list of declarations unless it is plain.
func forms(content string) []form {
	_, list, _ := strings.Cut(content, "}  // namespace detail\n\n")
	list, _, _ = strings.Cut(list, "namespace pmr {")
	var all []form
	var structs []string
	for line := range strings.Lines(list) {
		line = strings.TrimSuffix(strings.TrimSpace(line), ";")
		if name, ok := strings.CutPrefix(line, "struct "); ok {
			structs = append(structs, name)
		}
		if name, ok := strings.CutPrefix(line, "class "); ok && len(structs) > 0 {
			all = append(all, form{structs[0], structs[len(structs)-1], name})
			structs = nil
		}
	}
	return all
}

func (f form) of(space string) []string {
	return []string{space + f.owned, space + f.borrowed, space + "pmr::" + f.owned, space + f.view}
}

// mustGenerate generates, which must raise no problem.
func mustGenerate(t *testing.T, schema *ir.Schema) map[string]string {
	t.Helper()
	generated, problems := generate(schema)
	if problems.Len() > 0 {
		t.Fatalf("the backend reports %d problems, first: %s", problems.Len(), problems.Sorted()[0].Message)
	}
	return generated
}

// mustCompile generates what is too much to be run in a moment, and lets the
// compiler look at every name of it.
func mustCompile(t *testing.T, files check.Memory, roots ...string) {
	t.Helper()
	folder := t.TempDir()
	for name, content := range mustGenerate(t, checked(t, files, roots...)) {
		path := filepath.Join(folder, name)
		writeFile(t, path, content)
		source := path + ".cpp"
		writeFile(t, source, fmt.Sprintf("#include %q\n", name))
		compile(t, "-I"+folder, "-fsyntax-only", source)
	}
}

// mustWork generates, compiles and runs.
func mustWork(t *testing.T, files check.Memory, roots ...string) {
	t.Helper()
	schema := checked(t, files, roots...)
	generated := mustGenerate(t, schema)
	folder := t.TempDir()
	source, program := filepath.Join(folder, "main.cpp"), filepath.Join(folder, "main")
	writeFile(t, source, uses(t, folder, generated, schema))
	compile(t, "-I"+folder, source, "-o", program)
	run(t, program)
}

func TestHostileNamesWork(t *testing.T) {
	t.Parallel()
	fields, types := distinct(hostile), upper(hostile)
	var schema strings.Builder
	schema.WriteString("package std.sdp.wire.class_;\n")
	fmt.Fprintf(&schema, "@id(1) struct Fields { %s }\n", each(fields, "NAME: str, "))
	fmt.Fprintf(&schema, "@id(2) @keep_unknown message Later { @since(2) %s }\n",
		strings.ReplaceAll(each(fields, "NAME: []str, "), ", ", ", @since(2) ")+"last: u8")
	// Variants of more alternatives than a few take long to compile.
	number := 0
	for some := range slices.Chunk(types, 16) {
		number++
		fmt.Fprintf(&schema, "union Held%d { %s }\n", number, each(some, "NAME(str) = NUMBER, ", "Value"))
		fmt.Fprintf(&schema, "@closed union Inline%d { %s }\n", number, each(some, "NAME { value: u8, NAME: str } = NUMBER, ", "Value"))
	}
	fmt.Fprintf(&schema, "enum Numbers: u16 { %s }\n", each(distinct(append(members, hostile...)), "NAME = NUMBER, "))
	schema.WriteString(each(distinct(append(members, fields...)), "const NAME: u8 = 7;\n", builtin...))
	schema.WriteString("@id(3) struct All { fields: Fields, later: Later, held: ?Held1, inline: ?Inline2, numbers: []Numbers, by: map<Numbers, Held3> }\n")
	mustCompile(t, check.Memory{"a.sdp": schema.String()}, "a.sdp")
}

func TestHostileTypesWork(t *testing.T) {
	t.Parallel()
	var schema strings.Builder
	types, number := upper(hostile), 0
	schema.WriteString("package detail;\n")
	schema.WriteString(each(types, "struct NAME { value: str }\n", refused...))
	fmt.Fprintf(&schema, "@id(1) struct Main { %s }\n", each(types, "NAME: ?NAME, ", refused...))
	for some := range slices.Chunk(types, 16) {
		number++
		fmt.Fprintf(&schema, "union Any%d { %s }\n", number, each(some, "NAME(NAME) = NUMBER, ", refused...))
	}
	mustCompile(t, check.Memory{"a.sdp": schema.String()}, "a.sdp")
}

func TestHostilePackagesWork(t *testing.T) {
	t.Parallel()
	body := "package NAME;\n@id(1) struct Value { name: str, of: []?Value }\nenum Kind: u8 { One = 1 }\nunion U { Value(Value) = 1, Kind(Kind) = 2 }\n"
	body = strings.Replace(body, "Value(Value)", "Held(Value)", 1)
	files, roots := check.Memory{}, []string{}
	for i, name := range []string{"sdp", "std", "wire", "pmr", "class", "detail.view", "a.sdp.b", "a.std", "int"} {
		file := fmt.Sprintf("p%d.sdp", i)
		files[file], roots = strings.Replace(body, "NAME", name, 1), append(roots, file)
	}
	files["user.sdp"] = `package a.b; import "p0.sdp" as s; import "p6.sdp" as t; struct Uses { one: s.Value, two: []t.U, three: t.Kind }`
	mustWork(t, files, append(roots, "user.sdp")...)
}

func TestUnusualTypesWork(t *testing.T) {
	t.Parallel()
	mustWork(t, check.Memory{"a.sdp": `package unusual;
		struct Nothing {}
		message Lists { later: []Behind, named: map<u8, Behind>, arrays: [2][]Behind } struct Behind { text: str }
		@id(1) message Silence {}
		@id(7) message Before { arrays: ?[3]After, @since(2) one: ?After }
		struct After { names: []str, before: ?Before }
		union None { Never = 200 }
		@closed union Unit { Only = 1 }
		@keep_unknown @id(2) message Tail {}
		@keep_unknown message Late { @since(2) a: u8, @since(3) b: str = "b\n\"\\??/\u{1F600}" }
		enum Bare: u64 { Top = 18446744073709551615 }
		@closed enum Low: i64 { Bottom = -9223372036854775808 }
		union Expr { Number(f64) = 1, Add { left: Expr, right: Expr } = 2, Not(Expr) = 3, All([]Expr) = 4, Maybe { of: ?Expr } = 5, Named(map<str, Expr>) = 6 }
		struct Even { odd: ?Odd } struct Odd { even: ?Even, evens: []Even }
		message Chain { next: ?Chain, tail: Tail, @since(2) more: []Chain }
		struct Big { cube: [20][20][20]f64, texts: [100]str, units: [300]Unit, lows: [2]Bare, none: ?[5000]u8 }
		struct Maps { a: map<str, map<str, map<u8, []?str>>>, b: map<bool, Nothing>, c: map<u64, Big>, d: map<i8, duration>,
			e: map<Bare, [3]str>, f: map<Low, ?Expr>, g: [2]map<i64, Tail>, h: []map<@len(u8) str, bytes> }
		struct Deep { a: ?[]?[]?u8, b: [2][]?[3]?str, c: [][2]?Big, d: ?[2]Tail, e: []?Nothing, f: ?Nothing, g: [4]?u8, h: ?bool, i: []bool, j: [3]bool, k: ?bytes }
		@id(3) struct All { nothing: Nothing, silence: Silence, none: ?None, tail: Tail, late: Late, chain: Chain, big: Big, maps: Maps, deep: Deep, even: Even, odd: Odd, unit: ?Unit, expr: ?Expr }
		union Wide { Big(Big) = 1, Array([1000]u32) = 2, Small([2]u32) = 3, Optional(?Big) = 4, Nested(Wide2) = 5, Tail(Tail) = 255 }
		@closed union Wide2 { Wide(Wide) = 1, Inner { wide: Wide, big: Big, array: [600]?Nothing } = 2, Data(bytes) = 3, Empty {} = 4 }
	`}, "a.sdp")
}

func TestNamesThatMeetInCppAreReported(t *testing.T) {
	for _, c := range []struct{ name, schema, says string }{
		{"fields", "struct S { display_name: str, displayName: str }", "`display_name` and the field `displayName` are both `display_name`"},
		{"types", "struct Plugin { a: u8 } struct plugin { a: u8 }", "are both `Plugin`"},
		{"a type and what is made for another", "struct Plugin { a: u8 } struct PluginRef { a: u8 }", "are both `PluginRef`"},
		{"a type and the view of another", "struct Plugin { a: u8 } struct PluginView { a: u8 }", "are both `PluginView`"},
		{"a type and the dispatcher", `@name(cpp = "Message") struct Note { a: u8 }`, "are both `Message`"},
		{"a constant and a function", `@name(cpp = "to_string") const text: u8 = 1;`, "are both `to_string`"},
		{"a constant and a type", `const Plugin: u8 = 1; struct plugin { a: u8 }`, "are both `Plugin`"},
		{"members", `enum Kind: u8 { @name(cpp = "Two") One = 0, Two = 1 }`, "are both `Two`"},
		{"alternatives", "union U { one(u8) = 1, One(u16) = 2 }", "are both `One`"},
		{"an alternative and what the union holds", `union U { @name(cpp = "value") A(u8) = 1 }`, "are both `value`"},
		{"what reads two alternatives", `union U { Tag(u8) = 1, @name(cpp = "tag_") Other(u8) = 2 }`, "are both `tag_`"},
		{"a field and a message's own", `@keep_unknown message M { @name(cpp = "unknown_fields") tail: u8 }`, "are both `unknown_fields`"},
		{"a field and its type", `struct S { @name(cpp = "S") a: u8 }`, "are both `S`"},
		{"a field and what a view holds", `struct S { @name(cpp = "where_") a: u8 }`, "are both `where_`"},
		{"a field and its view", `struct S { @name(cpp = "SView") a: u8 }`, "are both `SView`"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, problems := generate(checked(t, check.Memory{"a.sdp": c.schema}, "a.sdp"))
			if problems.Len() == 0 {
				t.Fatal("nothing is reported")
			}
			first := problems.Sorted()[0]
			if first.Code != "P0101" || !strings.Contains(first.Message, c.says) {
				t.Errorf("got %s: %s", first.Code, first.Message)
			}
		})
	}
}

func TestNamesGivenForCppMustBeIdentifiers(t *testing.T) {
	for _, name := range []string{"class", "co_await", "and", "sdp", "std", "_Upper", "two__underscores", "errno"} {
		_, problems := generate(checked(t, check.Memory{"a.sdp": `struct S { @name(cpp = "` + name + `") a: u8 }`}, "a.sdp"))
		if problems.Len() != 1 || problems.Sorted()[0].Code != "P0102" {
			t.Errorf("%q: got %d problems", name, problems.Len())
		}
	}
	for _, name := range []string{"owner", "owner_", "o1", "final", "GAIN"} {
		_, problems := generate(checked(t, check.Memory{"a.sdp": `struct S { @name(cpp = "` + name + `") a: u8 }`}, "a.sdp"))
		if problems.Len() != 0 {
			t.Errorf("%q: %s", name, problems.Sorted()[0].Message)
		}
	}
}

// TestDeprecationWarnsOnlyWhoUsesIt compiles what uses something deprecated, which
// fails, and what doesn't.
func TestDeprecationWarnsOnlyWhoUsesIt(t *testing.T) {
	generated, _ := generate(checked(t, check.Memory{"a.sdp": `package a;
		@deprecated("use New") enum Old: u8 { One = 1, @deprecated("gone") Two = 2 }
		@deprecated("use V") union U { @deprecated("x") Loaded(str) = 1, @deprecated("y") Inner { @deprecated("z") x: u8, u: ?U } = 2, @deprecated("w") No = 3 }
		@id(1) message New { @deprecated("why not?") old: u8, o: Old, u: ?U, names: []str, @since(2) @deprecated("late") late: str = "me" }
	`}, "a.sdp"))
	folder := t.TempDir()
	for name, content := range generated {
		writeFile(t, filepath.Join(folder, name), content)
	}
	source := filepath.Join(folder, "main.cpp")
	const program = "#include \"a.hpp\"\nint main() { const a::New n; const auto b = sdp::encode(n);\n%s return sdp::decode<a::New>(*b) && sdp::decode<a::pmr::New>(*b) && sdp::decode<a::NewRef>(*b) && sdp::decode<a::NewView>(*b) ? 0 : 1; }\n"
	writeFile(t, source, fmt.Sprintf(program, ""))
	compile(t, "-I"+folder, source, "-o", filepath.Join(folder, "main"))
	run(t, filepath.Join(folder, "main"))
	writeFile(t, source, fmt.Sprintf(program, "if (n.old != 0) { return 1; }"))
	if output, err := compileCommand("-I"+folder, "-fsyntax-only", source).CombinedOutput(); err == nil || !strings.Contains(string(output), "why not?") {
		t.Errorf("a use of what is deprecated gives no warning: %s", output)
	}
}
