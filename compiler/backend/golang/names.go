package golang

import (
	"embed"
	"go/token"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/source"
)

//go:embed codes/*.md
var codeFiles embed.FS

// Codes explains the diagnostics of this backend.
var Codes = diag.NewTable(codeFiles)

const (
	codeCollision diag.Code = "G0101"
	codeName      diag.Code = "G0102"
)

// names finds names of a schema that differ there and are the same in Go.
type names struct {
	problems *diag.List
	taken    map[string]origin
}

type origin struct {
	what string
	span source.Span
}

// checkNames reports collisions among the package's own names, and among the
// fields of each type and the methods of each service that is generated.
func checkNames(pkg *ir.Package, services bool, problems *diag.List) {
	n := &names{problems: problems, taken: map[string]origin{}}
	for _, name := range []string{"FingerprintOfSource", "DecodeMessage", "DecodeMessageWith", "NewMessageReader", "NewMessageWriter"} {
		n.taken[name] = origin{what: "a function of every generated package"}
	}
	for _, c := range pkg.Consts {
		n.claim(nameOf(&c.Meta, c.Name), "the constant `"+c.Name+"`", &c.Meta)
	}
	for _, a := range pkg.Aliases {
		n.claim(nameOf(&a.Meta, a.Name), "the type `"+a.Name+"`", &a.Meta)
	}
	for _, d := range pkg.Decls {
		n.claim(declName(d), "the type `"+d.DeclName()+"`", d.DeclMeta())
	}
	for _, d := range pkg.Decls {
		n.derived(d)
		checkFields(d, problems)
	}
	if services {
		n.checkServices(pkg)
	}
}

func (n *names) claim(name, what string, meta *ir.Meta) {
	if !token.IsIdentifier(name) || !token.IsExported(name) {
		n.problems.Error(codeName, meta.Span, "`%s` is not an exported Go name", name).
			WithHelp("write a Go identifier that begins with a capital letter in @name(go = \"…\")")
		return
	}
	if other, ok := n.taken[name]; ok {
		n.problems.Error(codeCollision, meta.Span, "%s and %s are both `%s` in Go", other.what, what, name).
			WithRelated(other.span, "the other one").
			WithHelp("give one of the two another name in Go: @name(go = \"…\")")
		return
	}
	n.taken[name] = origin{what, meta.Span}
}

// derived claims the names that are made for one type.
func (n *names) derived(d ir.Decl) {
	name, meta := declName(d), d.DeclMeta()
	if e, ok := d.(*ir.Enum); ok {
		for _, m := range e.Members {
			n.claim(name+nameOf(&m.Meta, m.Name), "the member `"+e.Name+"."+m.Name+"`", &m.Meta)
		}
		return
	}
	what := "what is generated for `" + d.DeclName() + "`"
	made := []string{
		"New" + name, "Encode" + name, "Decode" + name, "Encode" + name + "ToWriter", "Decode" + name + "FromReader",
		"View" + name, "View" + name + "With", name + "View", "SDPView" + name, "SDPValid" + name, "SDPSkip" + name,
		name + "Fingerprint", name + "Fingerprints", name + "SegmentFingerprints", name + "Layout",
	}
	if _, isMessage := d.(*ir.Message); !isMessage {
		made = append(made, name+"ListReader", name+"ListWriter", "New"+name+"ListReader", "New"+name+"ListWriter")
	}
	if ir.IDOf(d) != nil {
		made = append(made, name+"TypeID", "Encode"+name+"Message", "Decode"+name+"Message", "View"+name+"Message")
	}
	for _, m := range made {
		n.claim(m, what, meta)
	}
	if u, ok := d.(*ir.Union); ok {
		n.claim(name+"Alternative", what, meta)
		if !u.Closed {
			n.claim(name+"Unknown", what, meta)
		}
		for _, a := range u.Alternatives {
			made := []string{alternativeName(u, a)}
			if a.Inline != nil {
				made = append(made, made[0]+"View", "SDPView"+made[0], "SDPValid"+made[0], "SDPSkip"+made[0])
			}
			for _, m := range made {
				n.claim(m, "the alternative `"+u.Name+"."+a.Name+"`", &a.Meta)
			}
		}
	}
}

func checkFields(d ir.Decl, problems *diag.List) {
	n := &names{problems: problems, taken: map[string]origin{}}
	for _, f := range fieldsOf(d) {
		n.claim(fieldName(f), "the field `"+f.Name+"`", &f.Meta)
		if f.Type.Kind == ir.ListKind || f.Type.Kind == ir.MapKind {
			n.claim(fieldName(f)+"Len", "the length of `"+f.Name+"` in a view", &f.Meta)
		}
	}
	if u, ok := d.(*ir.Union); ok {
		for _, a := range u.Alternatives {
			if a.Inline != nil {
				checkFields(a.Inline, problems)
			}
		}
	}
}
