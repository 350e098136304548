package golang

import (
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/names"
)

// Folder is the folder of a schema's package below those of all others.
func Folder(pkg *ir.Package) string { return names.GoFolder(pkg.Name) }

// taken are the names that generated functions use themselves, so that an
// imported package can't have one of them.
var taken = []string{
	"b", "c", "d", "e", "n", "p", "v", "w", "ok", "err", "rest", "tag", "depth", "body", "data", "typeID",
	"sdp", "binary", "math", "time", "iter", "io", "maps", "slices", "bytes", "fmt", "strconv", "errors",
	"bool", "byte", "string", "len", "cap", "make", "new", "copy", "append", "nil", "true", "false", "error", "init", "main",
}

// importName is the name that generated code gives to an imported package.
func (t *types) importName(pkg *ir.Package) string {
	if t.imports == nil {
		t.imports = names.Go.Imports(importedBy(t.pkg, true), t.free)
	}
	return t.imports[pkg]
}

// free is a name of a package that generated code does not use itself.
func (t *types) free(name string) string {
	if slices.Contains(taken, name) || slices.Contains(t.reserved, name) || strings.HasPrefix(name, "int") || strings.HasPrefix(name, "uint") ||
		strings.HasPrefix(name, "float") {
		return name + "_"
	}
	return name
}
