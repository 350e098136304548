package golang

import (
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/names"
)

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
	name := names.Go.Package(pkg.Name)
	if slices.Contains(taken, name) || slices.Contains(t.reserved, name) || strings.HasPrefix(name, "int") || strings.HasPrefix(name, "uint") ||
		strings.HasPrefix(name, "float") {
		return name + "_"
	}
	return name
}
