package doc

import (
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/names"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/source"
)

// site is all that is told of a program. It knows no form.
type site struct {
	Options
	Packages []*packagePage

	program *plan.Program
	taken   map[string]bool
	pages   map[ir.Decl]*typePage
	owners  map[*ir.Package]*packagePage
	named   map[*ir.Package]map[string]string // the files of types by their names
	serving map[*ir.Service]string            // the files of services
	tables  []*names.Table
	uses    map[*ir.Meta][]use
}

// link is a text that leads somewhere; one without an address is a text alone.
type link struct{ Text, Href string }

// common is what every page and every row has.
type common struct {
	Name string
	// ID is the anchor within the page.
	ID         string
	Doc        comment
	Deprecated bool
	Reason     string   // for which it is deprecated; often empty
	Custom     []string // attributes of the user's own, as a schema has them
}

// packagePage tells of a package.
type packagePage struct {
	common
	File, Path  string
	Imports     []link
	Constants   []constantRow
	Aliases     []aliasRow
	Types       []*typePage
	Services    []*servicePage
	ReservedIDs string
	History     []history
}

type constantRow struct {
	common
	Type  []link
	Value string
}

type aliasRow struct {
	common
	Type []link
	Size string
	Uses []link
}

// typePage tells of a struct, message, union or enum.
type typePage struct {
	common
	Package *packagePage
	File    string
	Kind    string
	// TypeID is the id of messages; empty where there is none.
	TypeID   string
	Size     string
	Facts    []string
	Reserved string
	Bodies   []body
	Members  []memberRow
	Cases    []caseRow
	Example  *example
	Names    []nameRow
	Uses     []link
	History  []history
}

// body is the fields of a struct, a message or an inline alternative.
type body struct {
	ID     string
	Title  string // of an inline alternative
	Grows  bool   // has segments
	Fields []fieldRow
}

type fieldRow struct {
	common
	Offset, Size string
	Type         []link
	Segment      int
	Default      string
}

type memberRow struct {
	common
	Number string
}

type caseRow struct {
	common
	Tag     uint8
	Payload []link
	Size    string
}

// nameRow is what something is called in each language.
type nameRow struct {
	Name      string
	Languages []string
}

// servicePage tells of a service.
type servicePage struct {
	common
	Package  *packagePage
	File     string
	Methods  []methodRow
	Reserved string
	Names    []nameRow
	History  []history
}

type methodRow struct {
	common
	Number            uint16
	Kind              string
	Request, Response []link
	Idempotent        bool
}

func newSite(program *plan.Program, options Options) *site {
	s := &site{
		Options: options, program: program, taken: map[string]bool{},
		pages: map[ir.Decl]*typePage{}, owners: map[*ir.Package]*packagePage{},
		named: map[*ir.Package]map[string]string{}, serving: map[*ir.Service]string{},
	}
	for _, rules := range names.Languages {
		s.tables = append(s.tables, rules.Table())
	}
	s.taken[s.indexName()] = true
	// Files have their names before anything leads to them.
	for _, pkg := range program.Schema.Packages {
		p := &packagePage{common: common{Name: pkg.Name}, File: s.file(pkg.Name), Path: source.Visible(pkg.Path)}
		s.owners[pkg] = p
		s.Packages = append(s.Packages, p)
	}
	for _, pkg := range program.Schema.Packages {
		s.named[pkg] = map[string]string{}
		for _, d := range pkg.Decls {
			page := &typePage{Package: s.owners[pkg], File: s.file(ir.FullName(d))}
			s.named[pkg][d.DeclName()] = page.File
			for _, d := range ir.WithInline(d) {
				s.pages[d] = page
			}
		}
		for _, service := range pkg.Services {
			s.serving[service] = s.file(pkg.Name + "." + service.Name)
		}
	}
	s.findUses()
	changes := s.histories()
	for _, pkg := range program.Schema.Packages {
		s.fill(pkg, changes)
	}
	var decls []ir.Decl
	for _, pkg := range program.Schema.Packages {
		decls = append(decls, pkg.Decls...)
	}
	each(len(decls), func(i int) { s.pages[decls[i]].Example = exampleOf(program, decls[i]) })
	return s
}

func (s *site) indexName() string {
	if s.Form == Markdown {
		return "readme.md"
	}
	return "index.html"
}

// file is the name of a page's file. On a disk that knows no cases, names differ too.
func (s *site) file(name string) string {
	file := name + s.Form.Extension()
	for n := 2; s.taken[strings.ToLower(file)]; n++ {
		file = fmt.Sprintf("%s-%d%s", name, n, s.Form.Extension())
	}
	s.taken[strings.ToLower(file)] = true
	return file
}

// Since is the oldest state that the schemas are compared with.
func (s *site) Since() string { return s.Releases[len(s.Releases)-1].Old }

// Languages are the languages whose names are shown.
func (s *site) Languages() []string {
	var all []string
	for _, rules := range names.Languages {
		all = append(all, rules.Language)
	}
	return append(all, "JSON")
}

func (s *site) fill(pkg *ir.Package, changes changes) {
	p := s.owners[pkg]
	p.Doc, p.Custom = s.comment(pkg, pkg.Doc), customs(pkg.Custom)
	p.ReservedIDs = ranges(pkg.ReservedIDs)
	p.History = changes.of(pkg.Name, "")
	for _, i := range pkg.Imports {
		p.Imports = append(p.Imports, link{i.Package.Name, s.owners[i.Package].File})
	}
	for _, c := range pkg.Consts {
		p.Constants = append(p.Constants, constantRow{s.commonOf(c.Name, "const-"+c.Name, &c.Meta), s.spelled(pkg, c.Type), c.Value.Text(c.Type)})
	}
	for _, a := range pkg.Aliases {
		row := aliasRow{common: s.commonOf(a.Name, "alias-"+a.Name, &a.Meta), Type: s.spelled(pkg, a.Type), Size: s.program.SizeOf(a.Type).Text()}
		row.Uses = s.usesOf(pkg, &a.Meta)
		p.Aliases = append(p.Aliases, row)
	}
	for _, d := range pkg.Decls {
		page := s.pages[d]
		s.fillType(page, pkg, d)
		page.History = changes.of(pkg.Name, d.DeclName())
		p.Types = append(p.Types, page)
	}
	for _, service := range pkg.Services {
		page := s.service(pkg, service)
		page.History = changes.of(pkg.Name, service.Name)
		p.Services = append(p.Services, page)
	}
}

func (s *site) commonOf(name, id string, meta *ir.Meta) common {
	c := common{Name: name, ID: id, Doc: s.comment(meta.Package, meta.Doc), Custom: customs(meta.Custom)}
	if meta.Deprecated != nil {
		c.Deprecated, c.Reason = true, *meta.Deprecated
	}
	return c
}

// comment is documentation in which names of the package's types, as code, are links.
func (s *site) comment(pkg *ir.Package, doc ir.Doc) comment {
	c := readComment(doc)
	linkTypes(c, s.named[pkg])
	return c
}

func linkTypes(blocks []block, names map[string]string) {
	for _, b := range blocks {
		linkTypes(b.blocks, names)
		linkSpans(b.spans, names)
	}
}

func linkSpans(spans []span, names map[string]string) {
	for i, s := range spans {
		switch s.kind {
		case codeSpan:
			if file, found := names[s.text]; found {
				spans[i] = span{kind: linkSpan, href: file, spans: []span{s}}
			}
		case emphasis, strong:
			linkSpans(s.spans, names)
		case plainSpan, linkSpan, lineBreak:
		}
	}
}

func (s *site) service(pkg *ir.Package, service *ir.Service) *servicePage {
	page := &servicePage{
		common: s.commonOf(service.Name, "", &service.Meta), Package: s.owners[pkg],
		File: s.serving[service], Reserved: reserved(service.Reserved),
	}
	page.Names = append(page.Names, s.nameRow(service.Name, service.Name, service))
	for _, m := range service.Methods {
		row := methodRow{common: s.commonOf(m.Name, "method-"+m.Name, &m.Meta), Number: m.Number, Kind: methodKind(m), Idempotent: m.Idempotent}
		row.Request = s.flowing(pkg, m.Request, m.RequestFlows)
		if m.Response != nil {
			row.Response = s.flowing(pkg, m.Response, m.ResponseFlows)
		}
		page.Methods = append(page.Methods, row)
		page.Names = append(page.Names, s.nameRow(m.Name, m.Name, m))
	}
	return page
}

func methodKind(m *ir.Method) string {
	return map[ir.MethodKind]string{ir.Call: "call", ir.Stream: "stream", ir.Event: "event"}[m.Kind]
}

func (s *site) flowing(pkg *ir.Package, t *ir.Type, flows bool) []link {
	if flows {
		return append([]link{{Text: "stream "}}, s.spelled(pkg, t)...)
	}
	return s.spelled(pkg, t)
}

// nameRow has the names of a thing in each language. On its page it is shown by a label.
func (s *site) nameRow(label, name string, object names.Object) nameRow {
	row := nameRow{Name: label}
	for _, table := range s.tables {
		row.Languages = append(row.Languages, table.Of(object))
	}
	if given, has := object.DeclMeta().Names[ir.JSON]; has {
		name = given
	}
	row.Languages = append(row.Languages, name)
	return row
}
