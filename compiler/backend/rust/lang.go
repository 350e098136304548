// Package rust spells a plan in Rust: types, encoders, decoders, borrowed forms,
// views and JSON. It knows no bytes beyond what the plan's ops say.
package rust

import (
	"maps"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/backend/rust/layout"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/names"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// Backend generates Rust.
type Backend struct{}

// Name is "rust".
func (Backend) Name() string { return "rust" }

// Generate makes the file of one module.
func (Backend) Generate(program *plan.Program, pkg *ir.Package, options backend.Options) ([]backend.File, *diag.List) {
	withServices := options.Services && len(pkg.Services) > 0
	table, problems := names.Rust.Check(pkg, names.Extras{
		Services: withServices, Beside: slices.Collect(maps.Keys(options.Imports)),
	})
	if problems.HasErrors() {
		return nil, problems
	}
	g := &generator{
		Printer: emit.NewPrinter("    "),
		types:   newTypes(program, pkg, options.Imports, table),
		names:   table,
		program: program,
		pkg:     pkg,
		Parts:   options.Parts,
	}
	g.declarations()
	for _, d := range pkg.Decls {
		g.codecs(d)
	}
	g.messages()
	if options.JSON && !options.Laid { // a runtime that is laid has no JSON
		g.jsons()
	}

	text := layout.Code(strings.TrimRight(g.String(), "\n") + "\n")
	g.Printer = emit.NewPrinter("    ")
	g.head(options, text)
	files := []backend.File{{Name: ModuleName(pkg.Name) + ".rs", Content: append([]byte(g.String()), text...)}}
	if withServices {
		files = append(files, servicesFile(program, pkg, options, table))
	}
	return files, problems
}

// generator makes one module.
type generator struct {
	*emit.Printer
	backend.Parts
	types   *types
	names   *names.Table
	program *plan.Program
	pkg     *ir.Package
	// usesFixed is true if decoders call functions of the runtime's trait Fixed.
	usesFixed bool
}

// head prints what stands before the types.
func (g *generator) head(options backend.Options, text string) {
	generatedLine(g.Printer, g.pkg, options)
	g.Line("")
	moduleDoc(g.Printer, g.pkg)
	g.Line("")
	g.Emit(nil, `
		#![allow(
		    dead_code,
		    unreachable_pub,
		    reason = "no program needs all of it, and it may lie in any module"
		)]
		#![allow(
		    unexpected_cfgs,
		    reason = "JSON and serde are there if the crate has a feature of that name"
		)]
		#![allow(
		    clippy::derivable_impls,
		    reason = "an enum's default is the number 0, under any member's name"
		)]
		#![allow(
		    clippy::inline_always,
		    reason = "measured: what it stands on is a few instructions in every field's path"
		)]
		#![allow(
		    clippy::missing_errors_doc,
		    reason = "what is refused is the same for all types, and sdp::Kind tells it"
		)]
		#![allow(
		    clippy::collapsible_else_if,
		    clippy::collapsible_match,
		    clippy::explicit_iter_loop,
		    clippy::let_and_return,
		    clippy::manual_flatten,
		    clippy::match_like_matches_macro,
		    clippy::match_same_arms,
		    clippy::match_wildcard_for_single_variants,
		    clippy::only_used_in_recursion,
		    clippy::semicolon_if_nothing_returned,
		    clippy::single_match_else,
		    clippy::unnecessary_wraps,
		    reason = "all types have code of one shape"
		)]
		#![allow(
		    clippy::doc_markdown,
		    clippy::large_enum_variant,
		    clippy::len_without_is_empty,
		    clippy::many_single_char_names,
		    clippy::misnamed_getters,
		    clippy::should_implement_trait,
		    clippy::similar_names,
		    clippy::struct_excessive_bools,
		    clippy::struct_field_names,
		    clippy::too_many_lines,
		    clippy::type_complexity,
		    clippy::wrong_self_convention,
		    clippy::zero_sized_map_values,
		    reason = "names, comments, types and the number of fields are the schema's"
		)]
		#![allow(
		    deprecated,
		    reason = "what the schema deprecates is still encoded and decoded"
		)]
	`)
	g.Line("")
	uses := g.uses(options, text)
	for _, line := range uses {
		g.Line("%s", line)
	}
	if len(uses) > 0 {
		g.Line("")
	}
}

// uses are the use declarations for the names in the text.
func (g *generator) uses(options backend.Options, text string) []string {
	// JSON, which a crate may not have, names its types in full.
	text = strings.ReplaceAll(codeOf(text), "sdp::alloc::string::String", "sdp::")
	var lines []string
	add := func(word, line string) {
		if begins(text, word) && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	add("fmt::", "use core::fmt;")
	add("hash::", "use core::hash;")
	if len(lines) > 0 {
		lines = append(lines, "")
	}
	before := len(lines)
	add("Cow<", "use sdp::alloc::borrow::Cow;")
	add("Box<", "use sdp::alloc::boxed::Box;")
	add("Box::", "use sdp::alloc::boxed::Box;")
	if namesType(text, "BTreeMap") {
		lines = append(lines, "use sdp::alloc::collections::BTreeMap;")
	}
	if namesType(text, "String") {
		lines = append(lines, "use sdp::alloc::string::String;")
	}
	add("Vec<", "use sdp::alloc::vec::Vec;")
	add("view::", "use sdp::view;")
	if g.usesFixed {
		lines = append(lines, "use sdp::wire::{self, Fixed as _};")
	} else if strings.Contains(text, "wire::") {
		lines = append(lines, "use sdp::wire;")
	}
	if len(lines) == before && !strings.Contains(text, "sdp::") {
		return lines
	}
	return slices.Insert(lines, before, runtimeUse(options.Runtime))
}

// runtimeUse makes the runtime's name sdp.
func runtimeUse(path string) string {
	if path == "sdp" || strings.HasSuffix(path, "::sdp") {
		return "use " + path + ";"
	}
	return "use " + path + " as sdp;"
}

// namesType tells whether code names a type, and has no variant of its name alone.
func namesType(text, name string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		rest, starts := strings.CutPrefix(line, name)
		if starts && !strings.HasPrefix(rest, "::") && !strings.HasPrefix(rest, "<") {
			line = rest
		}
		for at := strings.Index(line, name); at >= 0; at = strings.Index(line, name) {
			before, after := line[:at], line[at+len(name):]
			if !strings.HasSuffix(before, "::") && !endsWord(before) && !endsWord(after[:min(1, len(after))]) && !strings.HasPrefix(after, ": ") {
				return true
			}
			line = after
		}
	}
	return false
}

// begins tells whether a word of a text begins so.
func begins(text, word string) bool {
	at := strings.Index(text, word)
	return at == 0 || at > 0 && (!isWord(text[at-1]) || begins(text[at+len(word):], word))
}

func endsWord(text string) bool { return text != "" && isWord(text[len(text)-1]) }

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
