package names_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/names"
)

// checked is the package of a schema's text.
func checked(t *testing.T, text string) *ir.Package {
	t.Helper()
	schema, problems := check.Program(check.Memory{"a.sdp": text}, []string{"a.sdp"}, format.Canonical)
	if problems.HasErrors() {
		t.Fatalf("%s: %s", text, problems.Sorted()[0].Message)
	}
	return schema.Roots[0]
}

// objects are all objects of a package by their names in the schema, and the names around them.
func objects(pkg *ir.Package) map[string]names.Object {
	all := map[string]names.Object{}
	fields := func(within string, fields []*ir.Field) {
		for _, f := range fields {
			all[within+"."+f.Name] = f
		}
	}
	for _, c := range pkg.Consts {
		all[c.Name] = c
	}
	for _, a := range pkg.Aliases {
		all[a.Name] = a
	}
	for _, d := range pkg.Decls {
		all[d.DeclName()] = d
		switch d := d.(type) {
		case *ir.Enum:
			for _, m := range d.Members {
				all[d.Name+"."+m.Name] = m
			}
		case *ir.Union:
			for _, a := range d.Alternatives {
				all[d.Name+"."+a.Name] = a
				if a.Inline != nil {
					all[a.Inline.Name+" inline"] = a.Inline
					fields(a.Inline.Name, a.Inline.Fields)
				}
			}
		case *ir.Struct:
			fields(d.Name, d.Fields)
		case *ir.Message:
			fields(d.Name, d.Fields)
		}
	}
	for _, s := range pkg.Services {
		all[s.Name] = s
		for _, m := range s.Methods {
			all[s.Name+"."+m.Name] = m
		}
	}
	return all
}

const schema = `
const max_size: u32 = 1;
const PI: f64 = 3.0;
const value: u8 = 1;
type user_name = str;
enum color: u8 { red = 0, Dark_blue = 1, source_fingerprint = 2, @name(go = "Off", rust = "Off", cpp = "off") none = 3, class = 4 }
union Shape { point = 1, Circle { radius: f32, tag: u8, http_url: str } = 2, unknown = 3, Tag = 4 }
struct String { display_name: str, type: u8, self: u8, _3d: bool, std: u8, validate: u8, as: u8 }
struct MessageWith { error: str, is: u8, EOF: u8, new: u8 }
struct As { byte: u8, body: u8, body2: u8, _: u8, read_byte: u8, errno: u8 }
@name(go = "Given", rust = "Given", cpp = "Given") message other { @name(go = "Name", rust = "given_name", cpp = "given") n: u8 }
message Ask { text: str }
service Receiver { call new(Ask) -> Ask = 1; call list_all(Ask) -> Ask = 2; event read_byte(Ask) = 3; call type(Ask) -> Ask = 4; }
`

func TestTableHasTheNamesOfEachLanguage(t *testing.T) {
	pkg := checked(t, schema)
	all := objects(pkg)
	own := names.Own
	for _, c := range []struct {
		object         string
		role           names.Role
		go_, rust, cpp string // empty: the language has no such role
	}{
		{"max_size", own, "MaxSize", "MAX_SIZE", "max_size"},
		{"PI", own, "PI", "PI", "PI"},
		{"value", own, "Value", "VALUE", "value_"},
		{"user_name", own, "UserName", "UserName", "UserName"},
		{"color", own, "Color", "Color", "Color"},
		{"color.red", own, "ColorRed", "Red", "red"},
		{"color.Dark_blue", own, "ColorDarkBlue", "DarkBlue", "Dark_blue"},
		{"color.source_fingerprint", own, "ColorSourceFingerprint", "SourceFingerprint", "source_fingerprint_"},
		{"color.none", own, "ColorOff", "Off", "off"},
		{"color.class", own, "ColorClass", "Class", "class_"},
		{"Shape", names.View, "", "ShapeView", "ShapeView"},
		{"Shape.point", own, "ShapePoint", "Point", "Point"},
		{"Shape.point", names.Reader, "Point", "", "point"},
		{"Shape.unknown", own, "ShapeUnknown_", "Unknown_", "Unknown"},
		{"Shape.unknown", names.Reader, "Unknown", "", "unknown_"},
		{"Shape.Tag", names.Reader, "Tag_", "", "tag_"},
		{"Shape.Circle inline", own, "ShapeCircle", "ShapeCircle", "Circle"},
		{"Shape.Circle inline", names.View, "", "ShapeCircleView", "ShapeCircleView"},
		{"Shape.Circle inline", names.Codec, "", "", "ShapeCircleCodec"},
		{"Shape.Circle.tag", own, "Tag_", "tag", "tag"},
		{"Shape.Circle.http_url", own, "HTTPURL", "http_url", "http_url"},
		{"String", own, "String", "String_", "String"},
		{"String", names.Ref, "", "StringRef_", "StringRef"},
		{"String.display_name", own, "DisplayName", "display_name", "display_name"},
		{"String.type", own, "Type", "r#type", "type"},
		{"String.type", names.Stem, "Type", "type", "type"},
		{"String.type", names.Local, "", "type_", ""},
		{"String.type", names.Shown, "", "type", ""},
		{"String.self", names.Shown, "", "self_", ""},
		{"String.self", own, "Self", "self_", "self"},
		{"String._3d", own, "X3d", "x3d", "x3d"},
		{"String.std", own, "Std", "std", "std_"},
		{"String.validate", own, "Validate_", "validate", "validate"},
		{"String.as", names.Reader, "As", "r#as", ""},
		{"MessageWith", own, "MessageWith_", "MessageWith", "MessageWith"},
		{"MessageWith.error", names.Reader, "Error", "error", ""},
		{"MessageWith.is", own, "Is", "is", "is"},
		{"MessageWith.is", names.Reader, "Is_", "is", ""},
		{"MessageWith.EOF", own, "EOF", "eof", "eof"},
		{"MessageWith.new", own, "New", "new", "new_"},
		{"MessageWith.new", names.Reader, "New", "new_", ""},
		{"As", own, "As", "As_", "As"},
		{"As", names.Ref, "", "AsRef_", "AsRef"},
		{"As.body", names.Local, "", "body_", ""},
		{"As.body2", names.Local, "", "body2_", ""},
		{"As.byte", names.Local, "", "byte", ""},
		{"As._", own, "X", "x", "x"},
		{"As.read_byte", own, "ReadByte", "read_byte", "read_byte"},
		{"As.read_byte", names.Reader, "ReadByte_", "read_byte", ""},
		{"As.errno", own, "Errno", "errno", "errno_"},
		{"other", own, "Given", "Given", "Given"},
		{"other.n", own, "Name", "given_name", "given"},
		{"Receiver", own, "Receiver", "Receiver_", "Receiver"},
		{"Receiver", names.Client, "", "ReceiverClient_", "ReceiverClient"},
		{"Receiver", names.BlockingClient, "", "ReceiverBlockingClient_", "ReceiverBlockingClient"},
		{"Receiver", names.Server, "", "receiver_service", "ReceiverServer"},
		{"Receiver", names.BlockingServer, "", "receiver_blocking_service", ""},
		{"Receiver", names.ServerTrait, "", "ReceiverBlocking_", ""},
		{"Receiver", names.Descriptor, "", "", "ReceiverService"},
		{"Receiver.new", own, "New", "new", "new_"},
		{"Receiver.new", names.Ask, "", "new_", ""},
		{"Receiver.list_all", names.Number, "ReceiverListAllMethod", "LIST_ALL", ""},
		{"Receiver.list_all", names.Method, "methodReceiverListAll", "", ""},
		{"Receiver.read_byte", own, "ReadByte_", "read_byte", "read_byte"},
		{"Receiver.read_byte", names.Batch, "ReadByteBatch", "read_byte_all", "read_byte_all"},
		{"Receiver.read_byte", names.Acked, "", "read_byte_acked", ""},
		{"Receiver.type", names.Ask, "", "r#type", ""},
	} {
		o, ok := all[c.object]
		if !ok {
			t.Fatalf("the schema has no %s", c.object)
		}
		for _, one := range []struct {
			rules *names.Rules
			want  string
		}{{names.Go, c.go_}, {names.Rust, c.rust}, {names.Cpp, c.cpp}} {
			if one.want == "" {
				continue
			}
			table, _ := one.rules.Check(pkg, names.Extras{Services: true})
			if got := table.Get(o, c.role); got != one.want {
				t.Errorf("%s: %s has the name %s in role %d, want %s", one.rules.Language, c.object, got, c.role, one.want)
			}
		}
	}
}

// TestOneLanguageAloneRefusesNoName looks at names that are fine in a schema, and that
// a language has for something of its own.
func TestOneLanguageAloneRefusesNoName(t *testing.T) {
	for _, text := range []string{
		"union U { U = 1, Unknown = 2, Alternative = 3, Tag = 4, Payload = 5, Self = 6, value = 7 }",
		"@closed union U { U(str) = 1, Unknown { U: u8 } = 2, Alternative = 3 }",
		"struct S { typeof: u8, SDP_SHAPES_HPP: u8, I: u8, s: u8 }",
		"union Mp { MpRef(str) = 1, MpView = 2, MpCodec = 3 }",
		"union U { ListReader { a: str } = 1, View = 2, Layout(str) = 3, Fingerprint = 4, SegmentFingerprints = 5 } @id(1) union V { TypeID = 1 }",
		"const decode_message: u8 = 1; const to_string: u8 = 1; const source_fingerprint: u8 = 1; const FingerprintOfSource: u8 = 1;",
		"const MessageRef: u8 = 1; const visit_message: u8 = 1; const DecodeMessageWith: u8 = 1; type NewMessageReader = u8; struct DecodeMessage {}",
		"@keep_unknown message M { unknown_fields: u8, @since(2) where_: str } message N { UnknownFields: u8 }",
		"enum E: u8 { SDP_SHAPES_HPP = 0, MXP_NET_HPP = 1, I = 2, typeof = 3, E = 4, Unknown = 5, complex = 6, ASIO_STANDALONE = 7 }",
	} {
		for _, rules := range names.Languages {
			if _, problems := rules.Check(checked(t, text), names.Extras{}); problems.Len() > 0 {
				t.Errorf("%s: %s: %s", rules.Language, text, problems.Sorted()[0].Message)
			}
		}
	}
	pkg := checked(t, "enum E: u8 { SDP_SHAPES_HPP = 0, I = 1, typeof = 2, SDP_lower = 3 } union U { U = 1, URef = 2 }")
	for name, want := range map[string]string{"SDP_SHAPES_HPP": "SDP_SHAPES_HPP_", "I": "I_", "typeof": "typeof_", "SDP_lower": "SDP_lower", "U": "U_", "URef": "URef_"} {
		for key, object := range objects(pkg) {
			if strings.HasSuffix(key, "."+name) && names.Cpp.Table().Of(object) != want {
				t.Errorf("%s is %s in C++, want %s", key, names.Cpp.Table().Of(object), want)
			}
		}
	}
}

func TestKeywordsAreNamesOfNoField(t *testing.T) {
	for _, c := range []struct {
		rules          *names.Rules
		keywords, free string
	}{
		// All of Go's are small, and its fields begin with a capital.
		{names.Go, "", "as break class fn func go import int package range self struct template type"},
		{names.Rust, "as async await crate do fn for gen if impl loop mod self struct super try type use yield", "class func int namespace package range template xor"},
		{names.Cpp, "and class constexpr default do for if int namespace new operator struct template this try xor", "as crate fn func gen impl loop mod self super type use yield"},
	} {
		keywords := strings.Fields(c.keywords)
		for _, word := range append(keywords, strings.Fields(c.free)...) {
			pkg := checked(t, "struct S { "+word+": u8 }")
			table, problems := c.rules.Check(pkg, names.Extras{})
			f := pkg.Decls[0].(*ir.Struct).Fields[0]
			want := word
			switch {
			case c.rules == names.Go:
				want = strings.ToUpper(word[:1]) + word[1:]
			case !slices.Contains(keywords, word):
			case c.rules == names.Cpp, word == "self", word == "super", word == "crate":
				want = word + "_"
			default:
				want = "r#" + word
			}
			if got := table.Of(f); problems.Len() > 0 || got != want {
				t.Errorf("%s: %s is %s, want %s, with %d problems", c.rules.Language, word, got, want, problems.Len())
			}
		}
	}
}

func TestPackagesBecomeNamesThatLanguagesTake(t *testing.T) {
	for _, c := range []struct{ name, go_, rust, cpp string }{
		{"plugins", "plugins", "plugins", "plugins"},
		{"audio.host", "host", "audio_host", "audio::host"},
		{"audio.PluginHost", "pluginhost", "audio_plugin_host", "audio::PluginHost"},
		{"type", "sdptype", "type_", "type"},
		{"class", "class", "class", "class_"},
		{"main", "sdpmain", "main_", "main_"},
		{"my.lib", "lib", "my_lib", "my::lib"},
		{"lib", "lib", "lib_", "lib"},
		{"_3d", "sdp3d", "_3d", "_3d"},
		{"__", "sdp", "package", "_"},
		{"a__b", "ab", "a_b", "a_b"},
		{"Self", "self", "self_", "Self"},
		{"aux", "aux", "aux_", "aux"},
		{"trailing_", "trailing", "trailing", "trailing_"},
		{"MXP.HTTPTransport", "httptransport", "mxp_http_transport", "MXP::HTTPTransport"},
		{"time", "time", "time", "time_"},
		{"a.pmr.detail", "detail", "a_pmr_detail", "a::pmr_::detail_"},
	} {
		for _, one := range []struct {
			rules *names.Rules
			want  string
		}{{names.Go, c.go_}, {names.Rust, c.rust}, {names.Cpp, c.cpp}} {
			if got := one.rules.Package(c.name); got != one.want {
				t.Errorf("%s: the package %s is %s, want %s", one.rules.Language, c.name, got, one.want)
			}
		}
	}
}

// TestFilesHaveNamesOnEverySystem looks at what Windows has no file of.
func TestFilesHaveNamesOnEverySystem(t *testing.T) {
	for name, want := range map[string]string{"audio.host": "audio_host", "aux": "aux_", "CON": "CON_", "a.con": "a_con", "com10": "com10", "Lpt1": "Lpt1_"} {
		if got := names.FileStem(name); got != want {
			t.Errorf("%s is in the file %s, want %s", name, got, want)
		}
	}
	if got := names.TypeScript.Package("Aux"); got != "aux_" {
		t.Errorf("the module of Aux is %s", got)
	}
}

func TestNamesThatMeetAreReported(t *testing.T) {
	for _, c := range []struct {
		rules *names.Rules
		text  string
		want  string // code and message of the only problem; empty where nothing meets
	}{
		{names.Go, "struct S { a_b: u8, aB: u8 }", "G0101 the field `a_b` and the field `aB` are both `AB` in Go"},
		{names.Rust, "struct S { a_b: u8, aB: u8 }", "R0101 the field `a_b` and the field `aB` are both `a_b` in Rust"},
		{names.Cpp, "struct S { a_b: u8, aB: u8 }", "P0101 the field `a_b` and the field `aB` are both `a_b` in C++"},
		{names.Go, "struct S { a: u8 } struct SView { a: u8 }", "G0101 the type `SView` and what is generated for `S` are both `SView` in Go"},
		{names.Rust, "struct S { a: u8 } struct SView { a: u8 }", "R0101 the type `SView` and what is generated for `S` are both `SView` in Rust"},
		{names.Cpp, "struct S { a: u8 } struct SView { a: u8 }", "P0101 the type `SView` and what is generated for `S` are both `SView` in C++"},
		{names.Go, "struct S { list: []u8, listLen: u8 }", ""}, // bytes have no length of their own
		{names.Go, "struct S { list: []u16, listLen: u8 }", "G0101 the length of `list` in a view and the field `listLen` are both `ListLen` in Go"},
		{names.Rust, `struct S { new: u8, @name(rust = "new_") other: u8 }`, "R0101 the field `other` and what reads the field `new` of a view are both `new_` in Rust"},
		{names.Rust, "struct S { new: u8, new_: u8 }", "R0101 the field `new` and the field `new_` are both `new` in Rust"},
		{names.Go, `struct S { a: u8 } @name(go = "S") struct T { a: u8 }`, "G0101 the type `S` and the type `T` are both `S` in Go"},
		{names.Rust, "enum E: u8 { unknown = 0, self = 1, a_b = 2 }", ""},
		{names.Rust, "enum E: u8 { a_b = 1, aB = 2 }", "R0101 the member `a_b` and the member `aB` are both `AB` in Rust"},
		{names.Cpp, "union U { u = 1 }", ""}, // which is U_
		{names.Cpp, "struct S { where: u8 } union U { where_ = 1 }", ""},
		{names.Go, `@name(go = "small") struct S { a: u8 }`, "G0102 `small` is not an exported Go name"},
		{names.Rust, `struct S { @name(rust = "fn") a: u8 }`, "R0102 `fn` is not a Rust name"},
		{names.Cpp, `struct S { @name(cpp = "class") a: u8 }`, "P0102 `class` is not a name for C++"},
		{names.Go, "message Q {} service A { call b(Q) -> Q = 1; } message AClient {}",
			"G0101 the type `AClient` and what is generated for the service `A` are both `AClient` in Go"},
		{names.Rust, "message Q {} service A { event b(Q) = 1; event b_acked(Q) = 2; }",
			"R0101 the method `b_acked` and what is generated for the event `b` are both `b_acked` in Rust"},
		{names.Go, "message Q {} service A { event b(Q) = 1; event b_batch(Q) = 2; }", ""}, // the former has BBatch_
		{names.Rust, "message Q {} service A { event b(Q) = 1; event b_all(Q) = 2; }", ""}, // the former has b_all_
		{names.Go, `message Q {} service A { event b(Q) = 1; call b_batch(Q) -> Q = 2; @name(go = "BBatch_") call c(Q) -> Q = 3; }`,
			"G0101 the method `A.c` and what is generated for the event `A.b` are both `BBatch_` in Go"},
		{names.Cpp, "message Q {} service A { event b(Q) = 1; event b_all(Q) = 2; }", ""}, // the former has b_all_
		{names.Cpp, `message Q {} service A { event b(Q) = 1; call b_all(Q) -> Q = 2; @name(cpp = "b_all_") call c(Q) -> Q = 3; }`,
			"P0101 the method `c` and what is generated for the event `b` are both `b_all_` in C++"},
		{names.Cpp, "message Q {} service A { call b(Q) -> Q = 1; } message AClient {}",
			"P0101 the type `AClient` and what is generated for the service `A` are both `AClient` in C++"},
		{names.Python, "message Q {} service A { call b(Q) -> Q = 1; } service ABlocking { call b(Q) -> Q = 1; }",
			"Y0101 what is generated for the service `A` and what is generated for the service `ABlocking` are both `ABlockingClient` in Python"},
		{names.Python, "message Q {} service A { call sync(Q) -> Q = 1; call close(Q) -> Q = 2; }", ""}, // which are sync_ and close_
	} {
		_, problems := c.rules.Check(checked(t, c.text), names.Extras{Services: true})
		var got []string
		for _, problem := range problems.Sorted() {
			got = append(got, string(problem.Code)+" "+problem.Message)
		}
		if strings.Join(got, "\n") != c.want {
			t.Errorf("%s: %s\nis %q\nwant %q", c.rules.Language, c.text, got, c.want)
		}
	}
}

func TestNamesOfServicesAreFreeWithoutStubs(t *testing.T) {
	pkg := checked(t, "message Q {} service A { call b(Q) -> Q = 1; } message AClient {}")
	for _, rules := range []*names.Rules{names.Go, names.Rust, names.Cpp} {
		if _, problems := rules.Check(pkg, names.Extras{}); problems.Len() > 0 {
			t.Errorf("%s: %s", rules.Language, problems.Sorted()[0].Message)
		}
	}
}

func TestTableHasNamesOfOtherPackages(t *testing.T) {
	files := check.Memory{
		"a.sdp": "package a;\nimport \"b.sdp\" as b;\nstruct S { e: b.E }",
		"b.sdp": "package b;\nenum E: u8 { dark_blue = 0 }",
	}
	program, problems := check.Program(files, []string{"a.sdp"}, format.Canonical)
	if problems.HasErrors() {
		t.Fatal(problems.Sorted()[0].Message)
	}
	pkg := program.Roots[0]
	table, _ := names.Go.Check(pkg, names.Extras{})
	if got := table.Of(pkg.Imports[0].Package.Decls[0].(*ir.Enum).Members[0]); got != "EDarkBlue" {
		t.Error(got)
	}
}
