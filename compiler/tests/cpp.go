package tests

import (
	"path"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/backend/cpp"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/names"
)

// comparison is how a view of C++ is held against its owned value.
type comparison struct {
	View   string
	Fields []string
	Cases  []unionCase
}

// unionCase is the accessor of an alternative, and the alternative's index in its variant.
type unionCase struct {
	Index int
	Name  string
}

// cppStem is the name of a package's header without its ending.
func cppStem(pkg *ir.Package) string { return strings.TrimSuffix(cpp.Header(pkg), ".hpp") }

// cppForms names what a type is borrowed and looked at by.
func cppForms(t *typ, table *names.Table, code string) {
	for key, role := range map[string]names.Role{"Borrowed": names.Ref, "View": names.View} {
		t.Extra[key] = t.Name
		name := table.Get(t.Decl, role)
		if strings.Contains(code, "\nstruct "+name+" {") || strings.Contains(code, "\nclass "+name+" {") {
			t.Extra[key] = name
		}
	}
}

// cppModel adds the runtime's folder, and what compares views.
func cppModel(m *model, table *names.Table, pkg *ir.Package, options backend.Options) {
	m.Module = cppStem(pkg)
	m.Extra["Include"] = path.Dir(options.Runtime)
	if options.Has(backend.Borrowed) {
		m.Extra["Borrowed"] = "yes"
	}
	if !m.Views {
		return
	}
	done := map[*ir.Package]bool{}
	var add func(pkg *ir.Package)
	add = func(pkg *ir.Package) {
		if done[pkg] {
			return
		}
		done[pkg] = true
		for _, imported := range pkg.Imports {
			add(imported.Package)
		}
		for _, d := range pkg.Decls {
			if ir.KindOf(d) == ir.EnumKind {
				continue
			}
			for _, d := range ir.WithInline(d) {
				m.Comparisons = append(m.Comparisons, comparisonOf(d, table))
			}
		}
	}
	add(pkg)
}

func comparisonOf(d ir.Decl, table *names.Table) comparison {
	c := comparison{View: "::" + names.Cpp.Package(d.DeclPackage().Name) + "::" + table.Get(d, names.View)}
	for _, f := range ir.FieldsOf(d) {
		c.Fields = append(c.Fields, table.Of(f))
	}
	if u, ok := d.(*ir.Union); ok {
		for i, a := range u.Alternatives {
			c.Cases = append(c.Cases, unionCase{i + 1, table.Get(a, names.Reader)})
		}
		if !u.Closed {
			c.Cases = append(c.Cases, unionCase{len(u.Alternatives) + 1, "unknown"})
		}
	}
	return c
}
