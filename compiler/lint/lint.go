package lint

import (
	"embed"
	"slices"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/source"
)

//go:embed codes/*.md
var codeFiles embed.FS

// Codes explains every code that this package reports.
var Codes = diag.NewTable(codeFiles)

const (
	codePositionalID diag.Code = "L0101"
	codeFieldOrder   diag.Code = "L0102"
	codeMemory       diag.Code = "L0103"
	codeDroppedTail  diag.Code = "L0104"
	codeUnusedImport diag.Code = "L0201"
	codeUnusedType   diag.Code = "L0202"
	codeUnusedAlias  diag.Code = "L0203"
	codeUnusedConst  diag.Code = "L0204"
	codeCamelName    diag.Code = "L0301"
	codeSnakeName    diag.Code = "L0302"
	codeUpperName    diag.Code = "L0303"
	codeMissingDoc   diag.Code = "L0401"
	codeUnusedWaiver diag.Code = "L0901"
	codeUnknownLint  diag.Code = "L0902"
)

// offByDefault are the lints that only some projects want.
var offByDefault = []diag.Code{codeUnusedConst, codeMissingDoc}

// Options choose lints beyond the defaults. A code in both lists is off.
type Options struct {
	Enable, Disable []diag.Code
}

// Known tells whether there is a lint of that code.
func Known(code diag.Code) bool { return Codes.Has(code) }

// OnByDefault tells whether a lint is on without being asked for.
func OnByDefault(code diag.Code) bool { return Known(code) && !slices.Contains(offByDefault, code) }

func (o Options) wants(code diag.Code) bool {
	if slices.Contains(o.Disable, code) {
		return false
	}
	return OnByDefault(code) || slices.Contains(o.Enable, code)
}

// Run gives the advice on the packages of the command; advice on their imports is their own
// authors'. All of it are warnings.
func Run(program *plan.Program, options Options) *diag.List {
	l := &linter{
		program: program, options: options, costs: newCosts(program),
		reached: reached(program.Schema), passages: passages(program.Schema), used: map[source.Span]bool{},
	}
	for _, pkg := range program.Schema.Roots {
		l.pkg = pkg
		l.positionalIDs()
		l.fieldOrder()
		l.memoryFactors()
		l.droppedTails()
		l.unused()
		l.names()
		l.docs()
		l.waivers()
	}
	return &l.list
}

type linter struct {
	program  *plan.Program
	options  Options
	costs    *costs
	reached  map[ir.Decl]bool
	passages map[ir.Decl]passage
	pkg      *ir.Package
	list     diag.List
	used     map[source.Span]bool // waivers that silenced something
}

// warn reports a lint about something within the given declarations and
// members, whose waivers count. It returns the diagnostic for its labels; of a
// lint that is off or waived too, which then goes nowhere. Lints that are off
// run all the same, since whether a waiver is needed does not depend on it.
func (l *linter) warn(code diag.Code, owners []*ir.Meta, span source.Span, format string, args ...any) *diag.Diagnostic {
	if l.waived(code, owners) || !l.options.wants(code) {
		return &diag.Diagnostic{}
	}
	return l.list.Warning(code, span, format, args...)
}

func (l *linter) waived(code diag.Code, owners []*ir.Meta) bool {
	found := false
	mark := func(waivers []ir.Waiver) {
		for _, w := range waivers {
			if diag.Code(w.Code) == code {
				l.used[w.Span] = true
				found = true
			}
		}
	}
	mark(l.pkg.Waivers)
	for _, meta := range owners {
		mark(meta.Waivers)
	}
	return found
}

// waivers reports waivers that silenced nothing. It comes after all other lints.
func (l *linter) waivers() {
	check := func(waivers []ir.Waiver, owners []*ir.Meta) {
		for _, w := range waivers {
			switch {
			case !Known(diag.Code(w.Code)):
				l.warn(codeUnknownLint, owners, w.Span, "there is no lint `%s`", w.Code).
					WithHelp(nearestCode(w.Code))
			case !l.used[w.Span]:
				l.warn(codeUnusedWaiver, owners, w.Span, "nothing here needs a waiver of `%s`", w.Code).
					WithHelp("remove the attribute").
					WithFix("remove the attribute", deletion(w.Span))
			}
		}
	}
	for _, it := range items(l.pkg) {
		check(it.meta.Waivers, it.within())
	}
	check(l.pkg.Waivers, nil)
}

func nearestCode(code string) string {
	var known []string
	for _, c := range Codes.Codes() {
		known = append(known, string(c))
	}
	if near := diag.Nearest(code, known); near != "" {
		return "did you mean `" + near + "`?"
	}
	return "`sdp explain` tells what each lint is about"
}
