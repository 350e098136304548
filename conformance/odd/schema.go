package main

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/language"
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
		text := strings.ReplaceAll(it.text, "{n}", fmt.Sprint(i+1))
		if i%2 == 1 && !s.whole {
			// Compilers warn of it where programs use it, and nowhere else.
			text = `@deprecated("gone") ` + text
		}
		fmt.Fprintln(&b, text)
	}
	b.WriteString(s.foot)
	return b.String(), 1 + strings.Count(s.head, "\n")
}

// place is where names stand. {w} is the name, {n} the number of the item.
type place struct {
	name, head, line, foot string
	// group is of the places whose names are spelled alike, and whose code is long:
	// they share the words. Without one a place has all words.
	group string
	// alike is of the places whose names are spelled alike: they share the words of other languages.
	alike string
	// costly places have none of those.
	costly bool
	// max is how many names one schema has; 0 for wordsMax.
	max int
}

// wordsMax is how many names a schema has: what compilers take for a body grows faster
// than its fields.
const wordsMax = 100

// slow are the languages whose compilers take seconds for a hundred names: each word of
// others stands in one place there.
var slow = []string{"rust", "typescript"}

// slowest is the language in which places that are spelled alike share all words.
const slowest = "rust"

// unionMax is how many alternatives a union has: compilers of C++ take long over a
// variant of many types.
const unionMax = 20

var places = []place{
	{name: "structs", group: "types", alike: "types", line: "struct {w} { a: u8 }"},
	{name: "messages", group: "types", alike: "types", line: "@id({n}) message {w} { a: str }"},
	{name: "unions", group: "types", alike: "types", costly: true, line: "union {w} { A { a: str } = 1 }"},
	{name: "enums", group: "types", alike: "types", line: "enum {w}: u8 { A = 0 }"},
	{name: "aliases", group: "types", alike: "types", line: "type {w} = u16;"},
	{name: "constants", line: "const {w}: u16 = {n};"},
	{name: "fields", alike: "fields", head: "struct Holder {\n", line: "{w}: u8,", foot: "}\n"},
	{name: "texts", alike: "fields", head: "struct Holder {\n", line: "{w}: str,", foot: "}\n"},
	{name: "message_fields", alike: "fields", head: "message Holder {\n", line: "{w}: []u16,", foot: "}\n"},
	{name: "kept_fields", alike: "fields", head: "@keep_unknown message Holder {\n", line: "{w}: ?str,", foot: "}\n"},
	{name: "later_fields", alike: "fields", head: "message Holder {\n", line: "@since(2) {w}: ?u8 = 7,", foot: "}\n"},
	{name: "inline_fields", alike: "fields", head: "union Holder { Body {\n", line: "{w}: map<u8, str>,", foot: "} = 1 }\n"},
	{name: "members", alike: "members", head: "enum Holder: u16 {\n", line: "{w} = {n},", foot: "}\nstruct User { a: Holder, b: map<Holder, Holder> }\n"},
	{name: "closed_members", alike: "members", head: "@closed enum Holder: i64 {\n", line: "{w} = {n},", foot: "}\nstruct User { a: Holder, b: []Holder }\n"},
	{name: "bare_alternatives", group: "alternatives", alike: "alternatives", head: "@closed union Holder {\n", line: "{w} = {n},", foot: "}\n", max: unionMax},
	{name: "inline_alternatives", group: "alternatives", alike: "alternatives", costly: true, head: "union Holder {\n", line: "{w} { a: str } = {n},", foot: "}\n", max: unionMax},
	{name: "alternatives", group: "alternatives", alike: "alternatives", head: "union Holder {\n", line: "{w}(str) = {n},", foot: "}\n", max: unionMax},
	{name: "services", group: "types", alike: "types", costly: true, head: "message Ask { a: u8 }\n", line: "service {w} { call ask(Ask) -> Ask = 1; }"},
	{name: "calls", alike: "methods", head: "message Ask { a: u8 }\nservice Host {\n", line: "call {w}(Ask) -> Ask = {n};", foot: "}\n"},
	{name: "streams", alike: "methods", head: "message Ask { a: u8 }\nservice Host {\n", line: "stream {w}(stream Ask) -> stream Ask = {n};", foot: "}\n"},
}

//go:embed words/*.txt
var wordFiles embed.FS

// words are the words of files, each once.
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

// systematic are the schemas of a language: each word of all languages at each kind of
// place, a package of each word, each type in each place, and the cases.
func systematic(name string) ([]schema, error) {
	all, err := words("common", "members", "suffixes", name)
	if err != nil {
		return nil, err
	}
	own, err := words(name)
	if err != nil {
		return nil, err
	}
	others, err := words(language.All.Names()...)
	if err != nil {
		return nil, err
	}
	others = slices.DeleteFunc(others, func(word string) bool { return slices.Contains(all, word) })
	var made []schema
	for _, p := range places {
		here := all
		switch {
		case name == slowest && p.alike != "":
			here = p.share(all, func(other place) bool { return other.alike == p.alike })
		case p.group != "":
			here = p.share(all, func(other place) bool { return other.group == p.group })
		}
		foreign := p.share(others, func(other place) bool {
			return !other.costly && (other.alike == p.alike || slices.Contains(slow, name))
		})
		made = append(made, p.schemas(slices.Concat(here, foreign))...)
	}
	for _, word := range own {
		made = append(made, schema{name: word, head: "package " + word + ";\n", items: []item{{word, "struct Held { a: str }"}}, whole: true})
	}
	made = append(made, shapes()...)
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

// share is the part of words that a place has, beside others that share them.
func (p place) share(words []string, shares func(place) bool) []string {
	sharers, mine := 0, -1
	for _, other := range places {
		if !shares(other) {
			continue
		}
		if other.name == p.name {
			mine = sharers
		}
		sharers++
	}
	var some []string
	for i, word := range words {
		if i%sharers == mine {
			some = append(some, word)
		}
	}
	return some
}

// schemas are the schemas of words at one place.
func (p place) schemas(words []string) []schema {
	var made []schema
	size := p.max
	if size == 0 {
		size = wordsMax
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
