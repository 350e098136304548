// Command sdp-gen-lua is a plugin of sdp's compiler: it makes Lua (5.4) of schemas, a module for
// each package with functions that encode and decode its types.
package main

import (
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strings"

	"example.com/sdp-gen-lua/sdp/plugin"
)

// features are what this program makes code of. The tool refuses schemas with more.
var features = []plugin.Feature{plugin.FeatureArrays, plugin.FeatureOptionals, plugin.FeatureEnums, plugin.FeatureMessages}

func main() {
	data, err := io.ReadAll(os.Stdin)
	check(err)
	request, err := plugin.DecodeRequestMessage(data)
	check(err)
	data, err = plugin.EncodeResponseMessage(answer(request))
	check(err)
	_, err = os.Stdout.Write(data)
	check(err)
}

func check(err error) {
	if err != nil {
		log.Fatal(err) // The tool passes on what is said.
	}
}

func answer(request *plugin.Request) *plugin.Response {
	g := generator{declarations: map[string]*plugin.Declaration{}, response: &plugin.Response{Features: features}, pkg: &plugin.Package{}}
	if request.Protocol != 1 {
		g.report("protocol", plugin.Place{}, "sdp "+request.Version+" makes requests of another protocol than 1")
	}
	for _, o := range request.Options {
		if g.prefix = o.Value; o.Name != "prefix" {
			g.report("option", plugin.Place{}, "there is no option `"+o.Name+"`, but `prefix`, which stands before the names of modules")
		}
	}
	for i := range request.Packages {
		pkg := &request.Packages[i]
		for j := range pkg.Declarations {
			g.declarations[pkg.Name+"."+pkg.Declarations[j].Meta.Name] = &pkg.Declarations[j]
		}
		// A package comes after its imports.
		if slices.Contains(request.Generate, pkg.Name) {
			g.module(pkg)
		}
	}
	return g.response
}

type generator struct {
	response     *plugin.Response
	prefix       string
	declarations map[string]*plugin.Declaration
	pkg          *plugin.Package
	text         strings.Builder
	depth        int // of blocks within each other
}

// report adds an error, which is in the package that is being made, or at no place.
func (g *generator) report(code string, at plugin.Place, message string) {
	g.response.Diagnostics = append(g.response.Diagnostics, plugin.Diagnostic{
		Code: code, Severity: plugin.SeverityError, Message: message, Package: g.pkg.Name, At: at,
	})
}

// line prints a line.
func (g *generator) line(format string, args ...any) {
	fmt.Fprintf(&g.text, strings.Repeat("  ", g.depth+1)+format+"\n", args...)
}

// block prints lines between a first one and an end.
func (g *generator) block(first string, body func()) {
	g.line("%s", first)
	g.depth++
	body()
	g.depth--
	g.line("end")
}

// head is what each module begins with.
const head = `local pack, unpack, concat = string.pack, string.unpack, table.concat

local function text(s)
  return utf8.len(s) and s or error("a str is no UTF-8", 0)
end
local function bool(b)
  if b > 1 then error("a bool or presence is " .. b, 0) end
  return b == 1
end
local function known(set, n)
  return set[n] and n or error("a closed enum has no number " .. n, 0)
end

local M = { write = {}, read = {}, encode = {}, decode = {}, enums = {} }
local write, read, encode, decode, enums = M.write, M.read, M.encode, M.decode, M.enums
`

// module makes the file of a package.
func (g *generator) module(pkg *plugin.Package) {
	g.pkg = pkg
	g.text.Reset()
	fmt.Fprintf(&g.text, "-- %s\n\n%s", pkg.Mark, head)
	for _, i := range pkg.Imports {
		fmt.Fprintf(&g.text, "local %s = require(%q)\n", module(i.Package), g.prefix+i.Package)
	}
	for _, d := range pkg.Declarations {
		g.text.WriteByte('\n')
		for _, line := range d.Meta.Doc {
			fmt.Fprintf(&g.text, "-- %s\n", line)
		}
		if d.Kind == plugin.KindEnum {
			g.enum(&d)
		} else {
			g.codec(&d)
		}
	}
	g.text.WriteString("\nreturn M\n")
	g.response.Files = append(g.response.Files, plugin.File{
		Path: strings.ReplaceAll(pkg.Name, ".", "/") + ".lua", Content: []byte(g.text.String()),
	})
}

// module is the local that has an imported module.
func module(pkg string) string { return "module_" + strings.ReplaceAll(pkg, ".", "__") }

// within is a table of the module that a declaration is in, and the declaration's name.
func (g *generator) within(table, declaration string) string {
	at := strings.LastIndexByte(declaration, '.')
	if declaration[:at] != g.pkg.Name {
		table = module(declaration[:at]) + "." + table
	}
	return fmt.Sprintf("%s[%q]", table, declaration[at+1:])
}

// enum makes the names of an enum's numbers, and which numbers there are.
func (g *generator) enum(d *plugin.Declaration) {
	fmt.Fprintf(&g.text, "enums[%q] = { numbers = {} }\n", d.Meta.Name)
	for _, m := range d.Members {
		fmt.Fprintf(&g.text, "enums[%q][%q] = %d\nenums[%[1]q].numbers[%[3]d] = true\n", d.Meta.Name, m.Meta.Name, m.Number)
	}
}

// codec makes the functions of a struct or message.
func (g *generator) codec(d *plugin.Declaration) {
	fmt.Fprintf(&g.text, "write[%q] = function(v, out)\n", d.Meta.Name)
	g.fields(d.Fields, g.write)
	fmt.Fprintf(&g.text, "end\n\nread[%q] = function(s, p)\n  local v = {}\n", d.Meta.Name)
	g.fields(d.Fields, g.read)
	rest := map[plugin.Kind]string{
		plugin.KindStruct: `if p <= #s then error("bytes are left", 0) end`, plugin.KindMessage: "-- Bytes that are left are fields of later releases.",
	}[d.Kind]
	fmt.Fprintf(&g.text, `  return v, p
end

encode[%[1]q] = function(v)
  local out = {}
  write[%[1]q](v, out)
  return concat(out)
end

decode[%[1]q] = function(s)
  local v, p = read[%[1]q](s, 1)
  %[2]s
  return v
end
`, d.Meta.Name, rest)
}

// run is a stretch of values that one call of pack or unpack is for, strings among them.
type run struct {
	format, packed, unpacked, checks []string
}

// fields prints statements for fields, neighbouring single values together.
func (g *generator) fields(fields []plugin.Field, value func(t *plugin.Type, at string, r *run)) {
	r := &run{}
	for _, f := range fields {
		if e := f.Type.Element; e != nil && e.Kind == plugin.KindOptional {
			g.report("optional-elements", f.Meta.At, "elements that may be absent would be holes in a table")
		}
		value(&f.Type, fmt.Sprintf("v[%q]", f.Meta.Name), r)
		if len(r.format) >= 60 { // Lua has limits for assignments
			r.flush(g)
		}
	}
	r.flush(g)
}

// flush prints what has been collected.
func (r *run) flush(g *generator) {
	if len(r.packed) > 0 {
		g.line("out[#out + 1] = pack(\"<%s\", %s)", strings.Join(r.format, ""), strings.Join(r.packed, ", "))
	}
	if len(r.unpacked) > 0 {
		g.line("%s, p = unpack(\"<%s\", s, p)", strings.Join(r.unpacked, ", "), strings.Join(r.format, ""))
	}
	for _, check := range r.checks {
		g.line("%s", check)
	}
	*r = run{}
}

// formats are the formats of pack and unpack.
var formats = map[plugin.Kind]string{
	plugin.KindBool: "I1", plugin.KindU8: "I1", plugin.KindU16: "I2", plugin.KindU32: "I4", plugin.KindU64: "i8",
	plugin.KindI8: "i1", plugin.KindI16: "i2", plugin.KindI32: "i4", plugin.KindI64: "i8", plugin.KindF32: "f", plugin.KindF64: "d",
}

// single is the format of a value, empty where a run has none such, how it is checked, and how packed.
func (g *generator) single(t *plugin.Type, at string) (format, checked, packed string) {
	format, checked = formats[t.Kind], at
	switch t.Kind {
	case plugin.KindBool:
		return format, "bool(" + at + ")", "(" + at + " and 1 or 0)"
	case plugin.KindBytes:
		format = fmt.Sprintf("s%d", t.CountBytes)
	case plugin.KindStr:
		format, checked = fmt.Sprintf("s%d", t.CountBytes), "text("+at+")"
	case plugin.KindEnum:
		d := g.declarations[t.Declaration]
		if format = formats[d.Base]; d.Closed {
			checked = fmt.Sprintf("known(%s.numbers, %s)", g.within("enums", t.Declaration), at)
		}
	}
	return format, checked, checked
}

// write prints what encodes the value of an expression.
func (g *generator) write(t *plugin.Type, at string, r *run) {
	if format, _, packed := g.single(t, at); format != "" {
		r.format, r.packed = append(r.format, format), append(r.packed, packed)
		return
	}
	r.flush(g)
	switch t.Kind {
	case plugin.KindStruct:
		g.line("%s(%s, out)", g.within("write", t.Declaration), at)
	case plugin.KindMessage:
		g.line("out[#out + 1] = pack(\"<s4\", %s(%s))", g.within("encode", t.Declaration), at)
	case plugin.KindOptional:
		g.line("out[#out + 1] = %s == nil and \"\\0\" or \"\\1\"", at)
		g.block("if "+at+" ~= nil then", func() { g.write(t.Element, at, r); r.flush(g) })
	case plugin.KindArray, plugin.KindList:
		if t.Kind == plugin.KindArray {
			g.line("if #%s ~= %d then error(\"an array has \" .. #%[1]s .. \" elements\", 0) end", at, t.Length)
		} else {
			g.line("out[#out + 1] = pack(\"<I%d\", #%s)", t.CountBytes, at)
		}
		g.block(fmt.Sprintf("for i%d = 1, #%s do", g.depth, at), func() {
			g.write(t.Element, fmt.Sprintf("%s[i%d]", at, g.depth-1), r)
			r.flush(g)
		})
	}
}

// read prints what decodes a value and assigns it.
func (g *generator) read(t *plugin.Type, to string, r *run) {
	if format, checked, _ := g.single(t, to); format != "" {
		r.format, r.unpacked = append(r.format, format), append(r.unpacked, to)
		if checked != to {
			r.checks = append(r.checks, to+" = "+checked)
		}
		return
	}
	r.flush(g)
	switch t.Kind {
	case plugin.KindStruct:
		g.line("%s, p = %s(s, p)", to, g.within("read", t.Declaration))
	case plugin.KindMessage:
		g.line("%s, p = unpack(\"<s4\", s, p)", to)
		g.line("%s = %s(%[1]s)", to, g.within("decode", t.Declaration))
	case plugin.KindOptional:
		g.block("do", func() {
			g.line("local has = 0")
			g.line("has, p = unpack(\"<I1\", s, p)")
			g.block("if bool(has) then", func() { g.read(t.Element, to, r); r.flush(g) })
		})
	case plugin.KindArray, plugin.KindList:
		g.line("%s = {}", to)
		g.block("do", func() {
			g.line("local n = %d", t.Length)
			if t.Kind == plugin.KindList {
				g.line("n, p = unpack(\"<I%d\", s, p)", t.CountBytes)
			}
			g.block(fmt.Sprintf("for i%d = 1, n do", g.depth), func() {
				g.read(t.Element, fmt.Sprintf("%s[i%d]", to, g.depth-1), r)
				r.flush(g)
			})
		})
	}
}
