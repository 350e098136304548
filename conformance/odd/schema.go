package main

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// schema is a file of a package. Each of its items is in a line of its own, so that
// a diagnostic tells which one it is about.
type schema struct {
	// name is the package's, and the stem of the file's.
	name  string
	head  string
	items []item
	foot  string
	// whole is true for a package that is refused as one.
	whole bool
}

// item is a name at a place.
type item struct{ word, text string }

// text is the schema's, and line the number of its first item's line.
func (s *schema) text() (text string, line int) {
	var b strings.Builder
	b.WriteString(s.head)
	for i, it := range s.items {
		fmt.Fprintln(&b, strings.ReplaceAll(it.text, "{n}", fmt.Sprint(i+1)))
	}
	b.WriteString(s.foot)
	return b.String(), 1 + strings.Count(s.head, "\n")
}

// place is where names stand. {w} is the name, {n} the number of the item.
type place struct {
	name, head, line, foot string
	// max is how many names one schema has; 0 for all.
	max int
	// some is true for places that share the words among them, since one of them is
	// spelled as the others are.
	some bool
}

// unionMax is how many alternatives a union has: compilers of C++ take long over a
// variant of many types.
const unionMax = 40

var places = []place{
	{name: "structs", line: "struct {w} { a: str }", some: true},
	{name: "messages", line: "@id({n}) message {w} { a: str }", some: true},
	{name: "unions", line: "union {w} { A { a: str } = 1 }", some: true},
	{name: "enums", line: "enum {w}: u8 { A = 0 }", some: true},
	{name: "aliases", line: "type {w} = u16;"},
	{name: "constants", line: "const {w}: u16 = {n};"},
	{name: "fields", head: "struct Holder {\n", line: "{w}: u8,", foot: "}\n"},
	{name: "texts", head: "struct Holder {\n", line: "{w}: str,", foot: "}\n"},
	{name: "message_fields", head: "message Holder {\n", line: "{w}: []u16,", foot: "}\n"},
	{name: "later_fields", head: "message Holder {\n", line: "@since(2) {w}: ?u8 = 7,", foot: "}\n"},
	{name: "inline_fields", head: "union Holder { Body {\n", line: "{w}: map<u8, str>,", foot: "} = 1 }\n"},
	{name: "members", head: "enum Holder: u16 {\n", line: "{w} = {n},", foot: "}\nstruct User { a: Holder, b: map<Holder, Holder> }\n"},
	{name: "closed_members", head: "@closed enum Holder: i64 {\n", line: "{w} = {n},", foot: "}\nstruct User { a: Holder, b: []Holder }\n"},
	{name: "bare_alternatives", head: "@closed union Holder {\n", line: "{w} = {n},", foot: "}\n", max: unionMax},
	{name: "inline_alternatives", head: "union Holder {\n", line: "{w} { a: str } = {n},", foot: "}\n", max: unionMax},
	{name: "alternatives", head: "union Holder {\n", line: "{w}(str) = {n},", foot: "}\n", max: unionMax},
	{name: "services", head: "message Ask { a: u8 }\n", line: "service {w} { call ask(Ask) -> Ask = 1; }"},
	{name: "calls", head: "message Ask { a: u8 }\nservice Host {\n", line: "call {w}(Ask) -> Ask = {n};", foot: "}\n"},
	{name: "streams", head: "message Ask { a: u8 }\nservice Host {\n", line: "stream {w}(stream Ask) -> stream Ask = {n};", foot: "}\n"},
}

//go:embed words/*.txt
var wordFiles embed.FS

// words are those of files, each once.
func words(files ...string) ([]string, error) {
	var all []string
	for _, name := range files {
		text, err := wordFiles.ReadFile("words/" + name + ".txt")
		if err != nil {
			return nil, err
		}
		for _, word := range strings.Fields(string(text)) {
			if !slices.Contains(all, word) {
				all = append(all, word)
			}
		}
	}
	return all, nil
}

//go:embed cases/*.sdp
var caseFiles embed.FS

// systematic are the schemas of a language: its own words at each place, a package
// of each word, and the cases.
func systematic(language string) ([]schema, error) {
	all, err := words("common", "members", language)
	if err != nil {
		return nil, err
	}
	own, err := words("common", language)
	if err != nil {
		return nil, err
	}
	var made []schema
	shared := 0
	for _, p := range places {
		here := all
		if p.some {
			here = shareOf(all, shared)
			shared++
		}
		made = append(made, p.schemas(here)...)
	}
	for _, word := range own {
		made = append(made, schema{name: word, head: "package " + word + ";\n", items: []item{{word, "struct Held { a: str }"}}, whole: true})
	}
	cases, err := fs.Glob(caseFiles, "cases/*.sdp")
	if err != nil {
		return nil, err
	}
	for _, name := range cases {
		text, err := caseFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		stem := strings.TrimSuffix(name[len("cases/"):], ".sdp")
		made = append(made, schema{name: stem, head: string(text)})
	}
	return made, nil
}

// sharers is how many places share the words.
const sharers = 4

// shareOf is every fourth word, and all that begin with a capital: those are names
// of types in some language.
func shareOf(all []string, share int) []string {
	var some []string
	for i, word := range all {
		if i%sharers == share || len(word) > 1 && 'A' <= word[0] && word[0] <= 'Z' {
			some = append(some, word)
		}
	}
	return some
}

// schemas are those of words at one place.
func (p place) schemas(words []string) []schema {
	var made []schema
	size := p.max
	if size == 0 {
		size = len(words)
	}
	for chunk := range slices.Chunk(words, size) {
		s := schema{name: fmt.Sprintf("odd_%s%d", p.name, len(made)), foot: p.foot}
		s.head = "package " + s.name + ";\n" + p.head
		for _, word := range chunk {
			s.items = append(s.items, item{word, strings.ReplaceAll(p.line, "{w}", word)})
		}
		made = append(made, s)
	}
	return made
}
