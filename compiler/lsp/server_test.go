package lsp

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

const units = `//! Units that schemas share.
package units;

/// Decibels relative to full scale.
type Decibels = f32;

const CHANNELS: u32 = 8;

enum Unit: u8 {
    None = 0,
    /// Per second.
    Hertz = 1,
}
`

const mixer = `package mixer;

import "units.sdp";

/// A gain of each channel.
struct Gain {
    unit: units.Unit,
    levels: [units.CHANNELS]units.Decibels,
    label: str,
    @allow(L0102, "as it was") on: bool,
}

@id(7)
message Strip {
    gain: Gain,
    @since(2) unit: units.Unit = Hertz,
}

service Desk {
    call set(Gain) -> Strip = 1;
}
`

func two(t *testing.T) *client {
	c := start(t, map[string]string{"units.sdp": units, "mixer.sdp": mixer, "sdp.toml": "schemas = [\".\"]\n"}, "")
	if found := c.opens("mixer.sdp", mixer); len(found) > 0 {
		t.Fatalf("%v", messages(found))
	}
	return c
}

// in is the place of a text in another, behind an offset within it.
func in(text, part string, behind int) position {
	before := text[:strings.Index(text, part)+behind]
	return position{uint32(strings.Count(before, "\n")), uint32(len(before) - strings.LastIndex(before, "\n") - 1)}
}

func TestHoverTellsTypeDocAndLayout(t *testing.T) {
	c := two(t)
	for place, wanted := range map[position][]string{
		in(mixer, "levels:", 2):             {"levels: [units.CHANNELS]units.Decibels", "offset: 1", "size: 32 bytes", "Go `Levels`", "Rust `levels`"},
		in(mixer, "on: bool", 1):            {"offset: 37 or more", "size: 1 byte"},
		in(mixer, "units.Unit = Hertz", 8):  {"enum Unit: u8", "size: 1 byte", "C++ `Unit`"},
		in(mixer, "Hertz", 1):               {"Hertz = 1", "Per second.", "number 1", "Go `UnitHertz`"},
		in(mixer, "units.Decibels", 7):      {"type Decibels = f32", "Decibels relative to full scale.", "size: 4 bytes"},
		in(mixer, "CHANNELS", 1):            {"value: `8`"},
		in(mixer, "Strip {", 1):             {"message Strip", "type id 7"},
		in(mixer, "unit: units.Unit = ", 1): {"segment 2", "if it is missing: `Hertz`"},
		in(mixer, "set(", 1):                {"method 1", "TypeScript `set`"},
		in(mixer, "\"units.sdp\"", 3):       {"package units", "Units that schemas share."},
		in(mixer, "@since", 3):              {"@since(2)", "fields of messages"},
		in(mixer, "bool", 1):                {"`false` or `true`"},
	} {
		got := c.must("textDocument/hover", c.at("mixer.sdp", place))
		var h struct{ Contents markup }
		if err := json.Unmarshal([]byte(got), &h); err != nil {
			t.Fatal(err)
		}
		for _, part := range wanted {
			if !strings.Contains(h.Contents.Value, part) {
				t.Errorf("at %v %q is missing in\n%s", place, part, h.Contents.Value)
			}
		}
	}
}

func TestHoverWithErrorsSaysSo(t *testing.T) {
	c := two(t)
	broken := strings.Replace(mixer, "on: bool", "on: bol", 1)
	c.changes("mixer.sdp", 2, change{Text: broken})
	if got := c.must("textDocument/hover", c.at("mixer.sdp", in(broken, "levels:", 2))); !strings.Contains(got, "offset: 1") || !strings.Contains(got, "before the errors") {
		t.Errorf("hover says %s", got)
	}
}

func TestDefinitionReferencesAndRename(t *testing.T) {
	c := two(t)
	if got := c.must("textDocument/definition", c.at("mixer.sdp", in(mixer, "units.Unit", 7))); !strings.Contains(got, `units.sdp","range":{"start":{"line":8,"character":5}`) {
		t.Errorf("definition: %s", got)
	}
	if got := c.must("textDocument/definition", c.at("mixer.sdp", in(mixer, "units.sdp", 2))); !strings.Contains(got, `units.sdp","range":{"start":{"line":1,"character":8}`) {
		t.Errorf("definition of an import: %s", got)
	}
	references := strings.TrimSuffix(c.at("mixer.sdp", in(mixer, "units.Unit", 7)), "}") + `,"context":{"includeDeclaration":true}}`
	var locations []location
	if err := json.Unmarshal([]byte(c.must("textDocument/references", references)), &locations); err != nil || len(locations) != 3 {
		t.Errorf("references: %v, %v", locations, err)
	}
	rename := func(place position, name string) answer {
		return c.ask("textDocument/rename", strings.TrimSuffix(c.at("mixer.sdp", place), "}")+`,"newName":`+quoted(name)+`}`)
	}
	var edit workspaceEdit
	if err := json.Unmarshal(rename(in(mixer, "units.Unit", 7), "Scale").Result, &edit); err != nil || len(edit.Changes[c.uri("units.sdp")]) != 1 || len(edit.Changes[c.uri("mixer.sdp")]) != 2 {
		t.Errorf("rename of a type: %v, %v", edit, err)
	}
	edit = workspaceEdit{}
	if err := json.Unmarshal(rename(in(mixer, "Hertz", 1), "Hz").Result, &edit); err != nil || len(edit.Changes[c.uri("units.sdp")]) != 1 || len(edit.Changes[c.uri("mixer.sdp")]) != 1 {
		t.Errorf("rename of a member: %v, %v", edit, err)
	}
	edit = workspaceEdit{}
	if err := json.Unmarshal(rename(in(mixer, "units.Unit", 1), "u").Result, &edit); err != nil || len(edit.Changes) != 1 || len(edit.Changes[c.uri("mixer.sdp")]) != 5 {
		t.Errorf("rename of an import: %v, %v", edit, err)
	}
	// It makes a schema without problems.
	text := mixer
	l := newLines(text, utf16Units)
	slices.SortFunc(edit.Changes[c.uri("mixer.sdp")], func(a, b textEdit) int { return l.offset(b.Range.Start) - l.offset(a.Range.Start) })
	for _, e := range edit.Changes[c.uri("mixer.sdp")] {
		text = newLines(text, utf16Units).apply(change{&e.Range, e.NewText})
	}
	if found := c.changes("mixer.sdp", 2, change{Text: text}); len(found) > 0 {
		t.Errorf("after the rename: %v\n%s", messages(found), text)
	}
	c.changes("mixer.sdp", 3, change{Text: mixer})
	for _, name := range []string{"Strip", "2x", "", "a b", "units", "u32"} {
		if got := rename(in(mixer, "Gain {", 1), name); got.Error == nil {
			t.Errorf("Gain can be called %q: %s", name, got.Result)
		}
	}
	if got := rename(in(mixer, "bool", 1), "x"); got.Error == nil {
		t.Errorf("a built-in type can be renamed: %s", got.Result)
	}
}

func TestSymbolsFoldingTokensAndHints(t *testing.T) {
	c := two(t)
	symbols := c.must("textDocument/documentSymbol", c.document("mixer.sdp"))
	for _, part := range []string{`"name":"Gain"`, `"name":"levels","detail":"[units.CHANNELS]units.Decibels"`, `"name":"set"`} {
		if !strings.Contains(symbols, part) {
			t.Errorf("%s is missing in %s", part, symbols)
		}
	}
	if got := c.must("workspace/symbol", `{"query":"hz"}`); !strings.Contains(got, `"name":"Hertz"`) || strings.Contains(got, "Gain") {
		t.Errorf("workspace symbols: %s", got)
	}
	if got := c.must("textDocument/foldingRange", c.document("mixer.sdp")); !strings.Contains(got, `{"startLine":5,"endLine":9}`) {
		t.Errorf("folding: %s", got)
	}
	whole := `{"textDocument":{"uri":` + quoted(c.uri("mixer.sdp")) + `},"range":{"start":{"line":0,"character":0},"end":{"line":99,"character":0}}}`
	var hints []inlayHint
	if err := json.Unmarshal([]byte(c.must("textDocument/inlayHint", whole)), &hints); err != nil || len(hints) != 6 ||
		hints[2].Label != "+33" || hints[3].Label != "≥+37" || hints[2].Position != (position{8, 14}) {
		t.Errorf("hints: %v, %v", hints, err)
	}
	var tokens struct{ Data []uint32 }
	if err := json.Unmarshal([]byte(c.must("textDocument/semanticTokens/full", c.document("mixer.sdp"))), &tokens); err != nil || len(tokens.Data)%5 != 0 {
		t.Fatalf("tokens: %v, %v", tokens, err)
	}
	kinds := map[string][]string{}
	line, character := 0, 0
	lines := strings.Split(mixer, "\n")
	for i := 0; i < len(tokens.Data); i += 5 {
		if d := tokens.Data[i : i+5]; d[0] > 0 {
			line, character = line+int(d[0]), int(d[1])
		} else {
			character += int(d[1])
		}
		kind := tokenTypes[tokens.Data[i+3]]
		kinds[kind] = append(kinds[kind], lines[line][character:character+int(tokens.Data[i+2])])
	}
	for kind, wanted := range map[string]string{"namespace": "mixer units units units units", "struct": "Gain Gain Gain", "class": "Strip Strip", "enumMember": "Hertz", "decorator": "allow id since", "method": "set", "string": `"units.sdp" "as it was"`} {
		if got := strings.Join(kinds[kind], " "); got != wanted {
			t.Errorf("%s: %q, wanted %q", kind, got, wanted)
		}
	}
}

func TestCompletionInBrokenFiles(t *testing.T) {
	c := two(t)
	version := int32(1)
	for text, wanted := range map[string]string{
		"|":                             "package import const struct service",
		"package a;\n\nstr|":            "struct",
		"struct S { a: |":               "u32 str map S",
		"struct S { a: ?|":              "u32 S",
		"struct S { a: map<str, |":      "u32 S",
		"struct S { a: u32, @|":         "len max deprecated",
		"message S { a: u32, @|":        "since",
		"@|\nstruct S { a: u32 }":       "id allow closed",
		"struct S { @max(|":             "N",
		"struct S { @len(|":             "u8 u16",
		"struct S { a: map<|":           "u32 str bool",
		"struct S { @x.a.b a: u8, @x.|": "ts proto a.b",
		"struct S { @name(|":            "go json",
		"@allow(|":                      "L0101 L0401",
		"struct S { a: [|":              "N",
		"import \"units.sdp\";\nstruct S { a: units.|":                              "Decibels Unit",
		"import \"units.sdp\";\nmessage S { @since(2) a: ?units.Unit = |":           "None Hertz",
		"import \"units.sdp\";\nmessage S { @since(2) a: units.Unit = units.Unit.|": "None Hertz",
		"import \"|":                          "units.sdp",
		"enum E: |":                           "u8 i64",
		"union U { A(|":                       "u32 S",
		"service X { |":                       "call stream event reserved",
		"service X { call a(|":                "S",
		"service X { call a(S) -> |":          "S",
		"service X { stream a(|":              "S stream",
		"struct S { a: u32,\nstruct T { b: |": "u32 S",
		"message S { @since(2) a: bool = |":   "true false",
	} {
		version++
		text, at := marked(text)
		full := text + "\nconst N: u32 = 3;\nstruct S { x: u8 }\n"
		c.changes("mixer.sdp", version, change{Text: full})
		var list completionList
		if err := json.Unmarshal([]byte(c.must("textDocument/completion", c.at("mixer.sdp", at))), &list); err != nil {
			t.Fatal(err)
		}
		var labels []string
		for _, i := range list.Items {
			labels = append(labels, i.Label)
		}
		for _, label := range strings.Fields(wanted) {
			if !slices.Contains(labels, label) {
				t.Errorf("%q: %s is missing in %v", text, label, labels)
			}
		}
	}
	for text, unwanted := range map[string]string{
		"struct S { a: map<|":                            "S f32 uuid bytes map units",
		"import \"units.sdp\";\nstruct S { @max(units.|": "Unit Decibels",
	} {
		version++
		text, at := marked(text)
		c.changes("mixer.sdp", version, change{Text: text + "\nstruct S { x: u8 }\n"})
		got := c.must("textDocument/completion", c.at("mixer.sdp", at))
		for _, label := range strings.Fields(unwanted) {
			if strings.Contains(got, `"label":"`+label+`"`) {
				t.Errorf("%q: %s is offered", text, label)
			}
		}
	}
	// Where nothing is to be offered, nothing is.
	for _, text := range []string{"// |", "struct S { |", "struct S { a: u32 = \"|", "union U { A = |", "package |"} {
		version++
		text, at := marked(text)
		c.changes("mixer.sdp", version, change{Text: text})
		if got := c.must("textDocument/completion", c.at("mixer.sdp", at)); got != `{"isIncomplete":false,"items":[]}` {
			t.Errorf("%q: %s", text, got)
		}
	}
}

func TestFormattingIsThatOfTheTool(t *testing.T) {
	c := two(t)
	messy := strings.ReplaceAll(strings.Replace(mixer, "    label: str", "  label:str", 1), "\n", "\r\n")
	c.changes("mixer.sdp", 2, change{Text: messy})
	var edits []textEdit
	if err := json.Unmarshal([]byte(c.must("textDocument/formatting", c.document("mixer.sdp"))), &edits); err != nil || len(edits) != 1 {
		t.Fatalf("%v, %v", edits, err)
	}
	if got := newLines(messy, utf16Units).apply(change{&edits[0].Range, edits[0].NewText}); got != mixer {
		t.Errorf("formatted:\n%q", got)
	}
	c.changes("mixer.sdp", 3, change{Text: mixer})
	if got := c.must("textDocument/formatting", c.document("mixer.sdp")); got != "[]" {
		t.Errorf("formatting of what is formatted: %s", got)
	}
	c.changes("mixer.sdp", 4, change{Text: "struct {"})
	if got := c.ask("textDocument/formatting", c.document("mixer.sdp")); got.Error == nil {
		t.Errorf("formatting of what has errors: %s", got.Result)
	}
}

func TestEveryQuestionAtEveryPlace(t *testing.T) {
	c := start(t, map[string]string{"units.sdp": units}, "")
	for _, text := range []string{"", "\n", "\r\n", "@", "import \"", "import \"units.sdp\";\nstruct S { 😀 a: units.", "struct S { a: u8", "service X { call a(", "//", "/*", "\ufeff"} {
		c.opens("a.sdp", text)
		for line := range uint32(strings.Count(text, "\n") + 2) {
			for _, character := range []uint32{0, 1, 2, 7, 13, 14, 24, 1 << 31} {
				for _, question := range questions {
					c.askAnything(question, "a.sdp", position{line, character})
				}
			}
		}
		c.notify("textDocument/didClose", c.document("a.sdp"))
	}
}
