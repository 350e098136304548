// Package irjson writes the resolved schema as JSON, for other tools: the form that
// docs/ir-json.md describes.
//
// It refuses to know what those tools do with it.
package irjson

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/source"
)

// irVersion is that of the JSON form of the ir. It grows when a member changes
// its meaning or goes away; new members may come without it.
const irVersion = 1

// The JSON form of the ir, as docs/ir-json.md describes it. Members whose value
// is empty, false or absent are left out.
type (
	jsonSchema struct {
		Version  int           `json:"version"`
		Roots    []string      `json:"roots"`
		Packages []jsonPackage `json:"packages"`
	}

	jsonPackage struct {
		Name         string            `json:"name"`
		Path         string            `json:"path"`
		Doc          []string          `json:"doc,omitempty"`
		Legacy       bool              `json:"legacy,omitempty"`
		Fingerprint  string            `json:"source_fingerprint"`
		Imports      []jsonImport      `json:"imports,omitempty"`
		Constants    []jsonConstant    `json:"constants,omitempty"`
		Aliases      []jsonAlias       `json:"aliases,omitempty"`
		Declarations []jsonDeclaration `json:"declarations,omitempty"`
		Services     []jsonService     `json:"services,omitempty"`
		ReservedIDs  []jsonRange       `json:"reserved_ids,omitempty"`
		Custom       []jsonCustom      `json:"custom,omitempty"`
	}

	jsonImport struct {
		Name    string `json:"name"`
		Package string `json:"package"`
	}

	// jsonMeta is what every declaration and member may have.
	jsonMeta struct {
		Doc        []string          `json:"doc,omitempty"`
		Deprecated *string           `json:"deprecated,omitempty"`
		Names      map[string]string `json:"names,omitempty"`
		Custom     []jsonCustom      `json:"custom,omitempty"`
		At         *jsonPlace        `json:"at,omitempty"`
	}

	jsonPlace struct {
		Line   int `json:"line"`
		Column int `json:"column"`
	}

	jsonCustom struct {
		Name      string         `json:"name"`
		Arguments []jsonArgument `json:"arguments,omitempty"`
	}

	jsonArgument struct {
		Name  string `json:"name,omitempty"`
		Kind  string `json:"kind"`
		Value any    `json:"value"`
	}

	jsonConstant struct {
		Name  string    `json:"name"`
		Type  *jsonType `json:"type"`
		Value any       `json:"value"`
		jsonMeta
	}

	jsonAlias struct {
		Name string    `json:"name"`
		Type *jsonType `json:"type"`
		jsonMeta
	}

	jsonDeclaration struct {
		Kind         string            `json:"kind"`
		Name         string            `json:"name"`
		ID           *jsonID           `json:"id,omitempty"`
		Base         string            `json:"base,omitempty"`
		Closed       bool              `json:"closed,omitempty"`
		KeepUnknown  bool              `json:"keep_unknown,omitempty"`
		Recursive    bool              `json:"recursive,omitempty"`
		Members      []jsonMember      `json:"members,omitempty"`
		Alternatives []jsonAlternative `json:"alternatives,omitempty"`
		Fields       []jsonField       `json:"fields,omitempty"`
		Reserved     *jsonReserved     `json:"reserved,omitempty"`
		Size         *jsonSize         `json:"size,omitempty"`
		Layout       string            `json:"layout,omitempty"`
		Fingerprints *jsonPrints       `json:"fingerprints,omitempty"`
		jsonMeta
	}

	jsonID struct {
		Value      uint16 `json:"value"`
		Positional bool   `json:"positional,omitempty"`
	}

	jsonMember struct {
		Name   string `json:"name"`
		Number any    `json:"number"`
		jsonMeta
	}

	jsonAlternative struct {
		Name   string      `json:"name"`
		Tag    uint8       `json:"tag"`
		Type   *jsonType   `json:"type,omitempty"`
		Fields []jsonField `json:"fields,omitempty"`
		jsonMeta
	}

	jsonField struct {
		Name    string    `json:"name"`
		Type    *jsonType `json:"type"`
		Segment int       `json:"segment"`
		Default any       `json:"default,omitempty"`
		jsonMeta
	}

	jsonReserved struct {
		Numbers []jsonRange `json:"numbers,omitempty"`
		Names   []string    `json:"names,omitempty"`
	}

	jsonRange struct {
		First int64 `json:"first"`
		Last  int64 `json:"last"`
	}

	jsonSize struct {
		Min uint64  `json:"min"`
		Max *uint64 `json:"max,omitempty"`
	}

	jsonPrints struct {
		Segments   []string `json:"segments"`
		Cumulative []string `json:"cumulative"`
	}

	jsonType struct {
		Kind        string    `json:"kind"`
		Declaration string    `json:"declaration,omitempty"`
		Key         *jsonType `json:"key,omitempty"`
		Element     *jsonType `json:"element,omitempty"`
		Length      uint64    `json:"length,omitempty"`
		CountBytes  int       `json:"count_bytes,omitempty"`
		Max         *uint64   `json:"max,omitempty"`
		Alias       string    `json:"alias,omitempty"`
		Boxed       bool      `json:"boxed,omitempty"`
	}

	jsonService struct {
		Name     string        `json:"name"`
		Methods  []jsonMethod  `json:"methods,omitempty"`
		Reserved *jsonReserved `json:"reserved,omitempty"`
		jsonMeta
	}

	jsonMethod struct {
		Name           string    `json:"name"`
		Kind           string    `json:"kind"`
		Number         uint16    `json:"number"`
		Request        *jsonType `json:"request"`
		Response       *jsonType `json:"response,omitempty"`
		RequestStream  bool      `json:"request_stream,omitempty"`
		ResponseStream bool      `json:"response_stream,omitempty"`
		Idempotent     bool      `json:"idempotent,omitempty"`
		jsonMeta
	}
)

// Write prints a schema as indented JSON.
func Write(w io.Writer, program *plan.Program) error {
	schema := program.Schema
	out := jsonSchema{Version: irVersion, Roots: []string{}, Packages: []jsonPackage{}}
	for _, root := range schema.Roots {
		out.Roots = append(out.Roots, root.Name)
	}
	writer := irWriter{program, plan.Layouts{}}
	for _, pkg := range schema.Packages {
		out.Packages = append(out.Packages, writer.pkg(pkg))
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(out)
}

func irPlace(span source.Span) *jsonPlace {
	if span.IsZero() {
		return nil
	}
	start := span.StartPosition()
	return &jsonPlace{Line: start.Line, Column: start.Column}
}

func fingerprint(n uint64) string { return fmt.Sprintf("%016x", n) }

func irReserved(r ir.Reserved) *jsonReserved {
	if len(r.Numbers) == 0 && len(r.Names) == 0 {
		return nil
	}
	return &jsonReserved{Numbers: irRanges(r.Numbers), Names: r.Names}
}

func irRanges(ranges []ir.Range) []jsonRange {
	var out []jsonRange
	for _, r := range ranges {
		out = append(out, jsonRange(r))
	}
	return out
}
