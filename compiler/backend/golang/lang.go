package golang

import (
	"go/token"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// initialisms are words that Go's style writes in capitals.
var initialisms = []string{
	"acl", "api", "ascii", "cpu", "css", "dns", "eof", "guid", "html", "http", "https", "id", "ip", "json", "qps",
	"ram", "rpc", "sip", "sla", "smtp", "sql", "ssh", "tcp", "tls", "ttl", "udp", "ui", "uid", "uri", "url", "utf8",
	"uuid", "vm", "xml", "xmpp", "xsrf", "xss",
}

// exported is a schema's name as an exported Go name: as it stands where it is
// one already, else in camel case.
func exported(name string) string {
	if token.IsExported(name) && !strings.Contains(name, "_") {
		return name
	}
	words := emit.Words(name)
	var camel strings.Builder
	for _, word := range words {
		if slices.Contains(initialisms, word) {
			camel.WriteString(strings.ToUpper(word))
		} else {
			camel.WriteString(emit.Capital(word))
		}
	}
	text := camel.String()
	if !token.IsExported(text) {
		return "X" + text // the name starts with a digit, or is all underscores
	}
	return text
}

// nameOf is the Go name of a declaration or member, which @name may set.
func nameOf(meta *ir.Meta, name string) string {
	if given, ok := meta.Names["go"]; ok {
		return given
	}
	return exported(name)
}

// methods are the names of all methods that a generated type may have. A field
// of such a name gets a trailing underscore.
var methods = []string{
	"AppendBinary", "AppendJSON", "AppendMessage", "Clone", "DecodeExact", "DecodePrefix", "DecodeWith",
	"EncodedSize", "Equal", "MarshalBinary", "MarshalJSON", "MarshalMessage", "SetUnknownFields", "String",
	"UnknownFields", "UnmarshalBinary", "UnmarshalJSON", "UnmarshalMessage", "UnmarshalMessageWith", "Validate",
}

// fieldName is the Go name of a field.
func fieldName(f *ir.Field) string {
	name := nameOf(&f.Meta, f.Name)
	alternative := f.Inline && name == "Tag" // a method of every alternative
	if slices.Contains(methods, name) || alternative || strings.HasPrefix(name, "SDP") {
		return name + "_"
	}
	return name
}

// standardMethods have one signature wherever they stand, says go vet.
var standardMethods = []string{
	"GobDecode", "GobEncode", "MarshalJSON", "ReadByte", "ReadRune", "UnmarshalJSON", "UnreadByte", "UnreadRune", "WriteByte",
}

// methodOf is the name of the method that reads or calls what has a name.
func methodOf(name string) string {
	if slices.Contains(standardMethods, name) {
		return name + "_"
	}
	return name
}

// readerName is the name of the method of a view that reads a field. Errors have
// methods of one signature, and what has a method Error that returns a string is
// one.
func readerName(f *ir.Field, beside []*ir.Field) string {
	name := methodOf(fieldName(f))
	isError := func(f *ir.Field) bool { return fieldName(f) == "Error" && f.Type.Kind == ir.StrKind }
	if slices.Contains([]string{"As", "Is", "Unwrap"}, name) && slices.ContainsFunc(beside, isError) {
		return name + "_"
	}
	return name
}

// packageName is the name of the Go package for a schema's package.
func packageName(pkg *ir.Package) string {
	last := pkg.Name[strings.LastIndex(pkg.Name, ".")+1:]
	name := strings.ToLower(strings.ReplaceAll(last, "_", ""))
	// Nobody can import a main package, nor call an imported one init.
	reserved := token.IsKeyword(name) || name == "main" || name == "init"
	if name == "" || reserved || '0' <= name[0] && name[0] <= '9' {
		return "sdp" + name
	}
	return name
}

// Folder is the folder of a schema's package below those of all others: each
// component of its name is one.
func Folder(pkg *ir.Package) string {
	components := strings.Split(pkg.Name, ".")
	for i, name := range components {
		switch {
		case name == "internal" || name == "vendor" || name == "testdata":
			components[i] = name + "_" // the go command lets few import those, or overlooks them
		case name[0] == '_':
			components[i] = "sdp" + name // it overlooks those as well
		}
	}
	return strings.Join(components, "/")
}

// taken are the names that generated functions use themselves, so that an
// imported package can't have one of them.
var taken = []string{
	"b", "c", "d", "e", "n", "p", "v", "w", "ok", "err", "rest", "tag", "depth", "body", "data", "typeID",
	"sdp", "binary", "math", "time", "iter", "io", "maps", "slices", "bytes", "fmt", "strconv", "errors",
	"bool", "byte", "string", "len", "cap", "make", "new", "copy", "append", "nil", "true", "false", "error", "init", "main",
}

// importName is the name that generated code gives to an imported package.
func (t *types) importName(pkg *ir.Package) string {
	name := packageName(pkg)
	if slices.Contains(taken, name) || slices.Contains(t.reserved, name) || strings.HasPrefix(name, "int") || strings.HasPrefix(name, "uint") ||
		strings.HasPrefix(name, "float") {
		return name + "_"
	}
	return name
}
