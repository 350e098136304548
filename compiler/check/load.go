package check

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// Loader supplies schema files. Its results must not change during a run.
type Loader interface {
	// Find returns the name of the file that a path means: one that an import
	// of the file `importer` says, or, with an empty importer, one that was
	// asked for. The name is what diagnostics show, and the same for one file
	// however it is reached. A file that is not there is fs.ErrNotExist.
	Find(path, importer string) (name string, err error)
	// Read returns the text of a file by the name that Find gave it.
	Read(name string) (string, error)
}

// Keeper is a Loader that keeps the trees of files from one run to the next, and may
// give a run up.
type Keeper interface {
	Loader
	// Parse is what syntax.Parse makes of a file, and the problems that it reports,
	// which the caller does not change.
	Parse(name string) (*syntax.File, *diag.List, error)
	// GivenUp tells whether nobody waits for the result of the run any longer.
	GivenUp() bool
}

// Memory is files in memory, by name. Imports are relative to the importing
// file's folder; the separator is a slash.
type Memory map[string]string

// Find implements Loader.
func (m Memory) Find(path, importer string) (string, error) {
	name := path
	if importer != "" {
		name = filepath.ToSlash(filepath.Join(filepath.Dir(importer), path))
	}
	if _, there := m[name]; !there {
		return "", fs.ErrNotExist
	}
	return name, nil
}

// Read implements Loader.
func (m Memory) Read(name string) (string, error) { return m[name], nil }

// load parses the roots and their imports.
func (p *program) load(roots []string) {
	for _, path := range roots {
		name, err := p.loader.Find(path, "")
		if err != nil {
			p.unreadable(syntax.Span{}, path, err)
			continue
		}
		if u := p.unit(name, syntax.Span{}, nil); u != nil && !contains(p.roots, u) {
			p.roots = append(p.roots, u)
		}
	}
}

func contains(units []*unit, u *unit) bool {
	for _, other := range units {
		if other == u {
			return true
		}
	}
	return false
}

func (p *program) unreadable(span syntax.Span, path string, err error) {
	reason := err.Error()
	if errors.Is(err, fs.ErrNotExist) {
		reason = "there is no such file"
	}
	d := p.problems.Error(codeUnreadable, span, "%q cannot be read: %s", path, reason)
	switch {
	case span.IsZero():
	case strings.HasSuffix(path, ".proto"):
		d.WithHelp("schemas import schemas: translate this one too, or remove the line; `timestamp` and `duration` are built in")
	default:
		d.WithHelp("paths are relative to the importing file, then to the folders given by -I")
	}
}

// unit parses a file and its imports, once. The trail is the imports that led here. The result is
// nil if the file cannot be used.
func (p *program) unit(name string, span syntax.Span, trail []step) *unit {
	if u, known := p.units[name]; known {
		return u
	}
	file, err := p.parse(name)
	if err != nil {
		p.unreadable(span, name, err)
		p.units[name] = nil
		return nil
	}
	u := &unit{program: p, file: file, symbols: map[string]*symbol{}}
	u.pkg = &ir.Package{Name: packageName(file), Path: name, Doc: docOf(file.Docs), Span: file.Source.Span(0, 0)}
	if file.Package != nil {
		u.pkg.Span = file.Package.Span
	}
	p.units[name] = u
	p.claimName(u)
	u.imports(trail)
	p.sorted = append(p.sorted, u)
	return u
}

func (p *program) parse(name string) (*syntax.File, error) {
	if keeper, keeps := p.loader.(Keeper); keeps {
		file, problems, err := keeper.Parse(name)
		if err == nil {
			p.problems.Append(problems)
		}
		return file, err
	}
	text, err := p.loader.Read(name)
	if err != nil {
		return nil, err
	}
	return syntax.Parse(name, text, p.problems), nil
}

// givenUp tells whether the loader gives the run up.
func (p *program) givenUp() bool {
	keeper, keeps := p.loader.(Keeper)
	return keeps && keeper.GivenUp()
}

// claimName refuses a second package of one name.
func (p *program) claimName(u *unit) {
	first, taken := p.names[u.pkg.Name]
	if !taken {
		p.names[u.pkg.Name] = u
		return
	}
	p.problems.Error(codePackageTwice, u.pkg.Span, "package `%s` is in two files", u.pkg.Name).
		WithRelated(first.pkg.Span, "this is the other").
		WithHelp("a package is one file; give one of the two another name")
}

// step is an import on the way to a file.
type step struct {
	file string
	span syntax.Span
}

// imports resolves the import statements of a file and binds their names.
func (u *unit) imports(trail []step) {
	for _, statement := range u.file.Imports {
		imported := &ir.Import{Span: statement.Span}
		target := u.importedUnit(statement, trail)
		switch {
		case statement.Name != nil:
			imported.Name = statement.Name.Text
		case target != nil:
			imported.Name = target.pkg.Name[strings.LastIndexByte(target.pkg.Name, '.')+1:]
		default:
			imported.Name = identifier(stem(statement.Path))
		}
		if target != nil {
			imported.Package = target.pkg
			u.pkg.Imports = append(u.pkg.Imports, imported)
		}
		span := statement.PathSpan
		if statement.Name != nil {
			span = statement.Name.Span
		}
		u.bind(&symbol{name: imported.Name, span: span, imported: imported, target: target})
	}
}

// importedUnit returns the file that an import means, nil after a report.
func (u *unit) importedUnit(statement *syntax.Import, trail []step) *unit {
	name, err := u.loader.Find(statement.Path, u.file.Source.Name())
	if err != nil {
		u.unreadable(statement.PathSpan, statement.Path, err)
		return nil
	}
	trail = append(trail, step{file: u.file.Source.Name(), span: statement.PathSpan})
	for i, s := range trail {
		if s.file == name {
			u.importCycle(trail[i:])
			return nil
		}
	}
	return u.unit(name, statement.PathSpan, trail)
}

func (u *unit) importCycle(cycle []step) {
	last := cycle[len(cycle)-1]
	d := u.problems.Error(codeImportCycle, last.span, "this import closes a cycle").
		WithHelp("move what both need into a package that imports neither")
	for _, s := range cycle[:len(cycle)-1] {
		d.WithRelated(s.span, "through this import")
	}
}

// packageName is the name of the package statement, else one made of the
// file's stem [LANG-2.1].
func packageName(file *syntax.File) string {
	if file.Package != nil {
		return file.Package.Name.String()
	}
	return identifier(stem(file.Source.Name()))
}

func stem(path string) string {
	base := filepath.Base(filepath.ToSlash(path))
	if name := strings.TrimSuffix(base, filepath.Ext(base)); name != "" {
		return name
	}
	return base
}

// identifier replaces what an identifier cannot have.
func identifier(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, s)
	if s == "" || '0' <= s[0] && s[0] <= '9' {
		return "_" + s
	}
	return s
}

func docOf(comments []syntax.Comment) ir.Doc {
	var doc ir.Doc
	for _, c := range comments {
		doc = append(doc, c.Text())
	}
	return doc
}

// suggest adds "did you mean" to a diagnostic. Looking for a near name costs
// time for each candidate, so a hostile file gets only so many.
func (u *unit) suggest(d *diag.Diagnostic, span syntax.Span, name string, candidates func() []string) {
	const suggestionsMax, candidatesMax = 100, 10_000
	if here := syntax.ProtobufType(name); here != "" {
		d.WithHelp("write `"+here+"`").WithFix("write `"+here+"`", diag.Edit{Span: span, Text: here})
		return
	}
	if u.suggestions == suggestionsMax {
		return
	}
	u.suggestions++
	names := candidates()
	if len(names) > candidatesMax {
		return
	}
	if near := diag.Nearest(name, names); near != "" {
		d.WithHelp("did you mean `"+near+"`?").
			WithFix("write `"+near+"`", diag.Edit{Span: span, Text: near})
	}
}
