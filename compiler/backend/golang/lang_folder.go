package golang

import (
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/names"
)

// Folder is the folder of a schema's package below the folder of all packages.
func Folder(pkg *ir.Package) string { return names.GoFolder(pkg.Name) }

// taken are the names that generated functions use themselves, with or without a number
// behind them, so that an imported package can't have one of them.
var taken = strings.Fields(`
	a b body c d data depth e err i k key keys last list n none o ok options p payload r rest s segment start tag text there v value w x y yield
	sdp binary math time iter io maps slices bytes fmt strconv errors
	bool byte string len cap make new copy append nil true false error init main
`)

// importName is the name that generated code gives to an imported package.
func (t *types) importName(pkg *ir.Package) string {
	if t.imports == nil {
		t.imports = names.Go.Imports(importedBy(t.pkg, true), t.free)
	}
	return t.imports[pkg]
}

// free is a name of a package that generated code does not use itself.
func (t *types) free(name string) string {
	if slices.Contains(taken, strings.TrimRight(name, "0123456789")) || slices.Contains(t.reserved, name) || strings.HasPrefix(name, "int") || strings.HasPrefix(name, "uint") ||
		strings.HasPrefix(name, "float") {
		return name + "_"
	}
	return name
}
