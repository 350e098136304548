package rust

import (
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/source"
)

const (
	codeCollision diag.Code = "R0101"
	codeName      diag.Code = "R0102"
)

// names finds names of a schema that differ there and are the same in Rust.
type names struct {
	problems *diag.List
	taken    map[string]origin
}

type origin struct {
	what string
	span source.Span
}

// checkNames reports collisions among the module's own names, and among the
// members of each type.
func checkNames(pkg *ir.Package, problems *diag.List) {
	n := &names{problems: problems, taken: map[string]origin{}}
	for _, name := range []string{"Message", "MessageRef", "MessageView", "SOURCE_FINGERPRINT"} {
		n.taken[name] = origin{what: "a name of every generated module"}
	}
	for _, c := range pkg.Consts {
		n.claim(constName(&c.Meta, c.Name), "the constant `"+c.Name+"`", &c.Meta)
	}
	for _, a := range pkg.Aliases {
		n.claim(declared(&a.Meta, a.Name), "the type `"+a.Name+"`", &a.Meta)
	}
	for _, d := range pkg.Decls {
		for _, d := range withInline(d) {
			n.claim(typeName(d), "the type `"+d.DeclName()+"`", d.DeclMeta())
		}
	}
	for _, d := range pkg.Decls {
		for _, d := range withInline(d) {
			if _, isEnum := d.(*ir.Enum); !isEnum {
				for _, suffix := range []string{"Ref", "View"} {
					n.claim(derived(typeName(d), suffix), "what is generated for `"+d.DeclName()+"`", d.DeclMeta())
				}
			}
			checkMembers(d, problems)
		}
	}
}

func (n *names) claim(name, what string, meta *ir.Meta) {
	if given, ok := meta.Names["rust"]; ok && !isIdentifier(given) {
		n.problems.Error(codeName, meta.Span, "`%s` is not a Rust name", given).
			WithHelp("write a Rust identifier in @name(rust = \"…\")")
		return
	}
	if other, ok := n.taken[name]; ok {
		d := n.problems.Error(codeCollision, meta.Span, "%s and %s are both `%s` in Rust", other.what, what, name)
		if other.span.File != nil {
			d = d.WithRelated(other.span, "the other one")
		}
		d.WithHelp("give one of the two another name in Rust: @name(rust = \"…\")")
		return
	}
	n.taken[name] = origin{what, meta.Span}
}

// isIdentifier reports whether an identifier of a schema is one in Rust too.
func isIdentifier(name string) bool { return !keywords[name] && name != "_" }

func checkMembers(d ir.Decl, problems *diag.List) {
	n := &names{problems: problems, taken: map[string]origin{}}
	switch d := d.(type) {
	case *ir.Enum:
		if !d.Closed {
			n.taken["Unknown"] = origin{what: "the member for other numbers"}
		}
		for _, m := range d.Members {
			n.claim(enumVariant(m), "the member `"+m.Name+"`", &m.Meta)
		}
	case *ir.Union:
		if !d.Closed {
			n.taken["Unknown"] = origin{what: "the alternative for other tags"}
		}
		for _, a := range d.Alternatives {
			n.claim(variantName(a), "the alternative `"+a.Name+"`", &a.Meta)
		}
	case *ir.Message:
		n.taken["unknown_fields"] = origin{what: "a name of every message"}
		n.taken["borrowed"] = origin{what: "a name of every message"}
	}
	for _, f := range fieldsOf(d) {
		n.claim(strings.TrimPrefix(fieldName(f), "r#"), "the field `"+f.Name+"`", &f.Meta)
	}
	for _, f := range fieldsOf(d) {
		if slices.Contains(viewFunctions, snake(f)) {
			n.claim(accessorName(f), "what reads the field `"+f.Name+"` of a view", &f.Meta)
		}
	}
}
