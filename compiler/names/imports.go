package names

import (
	"slices"
	"strconv"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// Imports are the names of imported packages: their own, or where several have one,
// that behind as many of the components before it as tell them apart. Names that the code itself
// uses are taken, and free makes another name of a taken one.
func (r *Rules) Imports(packages []*ir.Package, free func(name string) string) map[*ir.Package]string {
	all, used := map[*ir.Package]string{}, map[string]bool{}
	for n, waiting := 1, packages; len(waiting) > 0; n++ {
		name := func(pkg *ir.Package) string { return free(r.Package(ending(pkg, n))) }
		var still []*ir.Package
		for _, pkg := range waiting {
			own := name(pkg)
			shared := used[own] || slices.ContainsFunc(waiting, func(o *ir.Package) bool { return o != pkg && name(o) == own })
			if shared && ending(pkg, n+1) != ending(pkg, n) {
				still = append(still, pkg)
				continue
			}
			stem := own
			for number := 2; used[own]; number++ {
				own = stem + strconv.Itoa(number)
			}
			all[pkg], used[own] = own, true
		}
		waiting = still
	}
	return all
}

// ending is the last n components of a package's name, or all, as one.
func ending(pkg *ir.Package, n int) string {
	components := strings.Split(pkg.Name, ".")
	return strings.Join(components[max(0, len(components)-n):], "_")
}

// GoFolder is the folder of a Go package: each component of the schema's is one.
func GoFolder(name string) string {
	components := strings.Split(name, ".")
	for i, name := range components {
		switch {
		case name == "internal" || name == "vendor" || name == "testdata" || IsDevice(name):
			// The go command lets few import the first two, overlooks the third, and takes
			// no path that Windows has no folder of.
			components[i] = name + "_"
		case name[0] == '_':
			components[i] = "sdp" + name // it overlooks those as well
		}
	}
	return strings.Join(components, "/")
}
