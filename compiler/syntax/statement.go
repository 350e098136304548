package syntax

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/diag"
)

// declarationWords start a statement. Nothing inside a body is a word of
// these followed by a name, which is how an unclosed body is noticed.
var declarationWords = []string{"const", "type", "enum", "struct", "message", "union", "service", "import", "package"}

// parseFile reads statements to the end of the file.
func (p *parser) parseFile() {
	p.file.Docs = p.commentsBefore(FileDocComment)
	for !p.is(kindEOF) && !p.lexer.problems.Full() {
		p.statement()
	}
}

// statement reads one statement with its attributes.
func (p *parser) statement() {
	head := Head{Docs: p.docs()}
	start := p.token.start
	var ok bool
	if head.Attributes, ok = p.attributes(); !ok {
		p.skipStatement()
		return
	}
	if !p.is(kindIdent) {
		p.strayToken()
		return
	}
	if p.protobufStatement() {
		return
	}
	switch word := p.statementWord(); word {
	case "package":
		ok = p.packageStatement(head)
	case "import":
		p.refuseAttributes(head.Attributes, "an import")
		ok = p.importStatement()
	case "reserved":
		p.refuseAttributes(head.Attributes, "a reserved statement")
		ok = p.reservedStatement(&p.file.ReservedIDs)
	case "":
		p.file.Incomplete = true
		ok = false
	default:
		ok = p.declaration(word, start, head)
	}
	if !ok {
		p.skipStatement()
	}
}

// strayToken reports what cannot start a statement.
func (p *parser) strayToken() {
	if p.is('}') {
		p.expected("a declaration", "").WithHelp("remove this brace, or look for one that closes a body too early")
		p.take()
		return
	}
	if p.is(';') {
		p.expected("a declaration", "").WithHelp("remove the `;`").
			WithFix("remove the `;`", diag.Edit{Span: p.span(p.token)})
		p.take()
		return
	}
	p.expected("a declaration", "")
	p.file.Incomplete = true
	p.skipStatement()
}

// statementWord returns the word that starts a statement, "" after reporting
// another one. A likely typo is taken for the likely word, so that the name it declares is known.
func (p *parser) statementWord() string {
	word := p.text(p.token)
	words := append([]string{"reserved"}, declarationWords...)
	for _, w := range words {
		if word == w {
			return word
		}
	}
	d := p.lexer.problems.Error(codeUnknownStatement, p.span(p.token), "no statement starts with %s", quoteShort(word))
	if near := diag.Nearest(word, words); near != "" && p.peek.kind == kindIdent {
		d.WithHelp(fmt.Sprintf("did you mean `%s`?", near)).
			WithFix(fmt.Sprintf("write `%s`", near), diag.Edit{Span: p.span(p.token), Text: near})
		return near
	}
	d.WithHelp("a statement starts with package, import, const, type, enum, struct, message, union, service or reserved")
	return ""
}

func (p *parser) refuseAttributes(attributes []*Attribute, subject string) {
	if len(attributes) > 0 {
		p.lexer.problems.Error(codeExpected, attributes[0].Span, "expected a declaration after an attribute, found %s", subject).
			WithHelp("remove the attribute")
	}
}

// packageStatement reads `package a.b;`.
func (p *parser) packageStatement(head Head) bool {
	start := p.take().start
	name, ok := p.path("the package's name")
	if !ok || !p.semicolon("the package's name") {
		return false
	}
	span := p.since(start)
	f := p.file
	switch {
	case f.Package != nil:
		p.lexer.problems.Error(codePackagePlace, span, "a file has one package statement").
			WithRelated(f.Package.Span, "this is the first").
			WithHelp("remove one of the two")
	case len(f.Imports)+len(f.Declarations)+len(f.ReservedIDs) > 0:
		p.lexer.problems.Error(codePackagePlace, span, "the package statement comes first in its file").
			WithHelp("move it to the top")
	default:
		f.Attributes = head.Attributes
	}
	if f.Package == nil {
		f.Package = &Package{Name: name, Span: span}
	}
	return true
}

// importStatement reads `import "path" as name;`.
func (p *parser) importStatement() bool {
	start := p.take().start
	path, ok := p.expect(kindString, "`import`")
	if !ok {
		return false
	}
	imported := &Import{Path: path.value.text, PathSpan: p.span(path)}
	if p.isWord("as") {
		p.take()
		name, ok := p.ident("a name after `as`")
		if !ok {
			return false
		}
		imported.Name = &name
	}
	if !p.semicolon("the import") {
		return false
	}
	imported.Span = p.since(start)
	if f := p.file; len(f.Declarations)+len(f.ReservedIDs) > 0 {
		p.lexer.problems.Error(codeImportPlace, imported.Span, "imports come before declarations").
			WithHelp("move it up, below the package statement")
	}
	p.file.Imports = append(p.file.Imports, imported)
	return true
}

// declaration reads what follows the attributes of a declaration. It is in the
// tree if at least the name is there.
func (p *parser) declaration(word string, start int, head Head) bool {
	p.take()
	name, ok := p.ident("a name after `" + word + "`")
	if !ok {
		p.file.Incomplete = true
		return false
	}
	head.Name = name
	foreign := p.protobuf
	var declaration Declaration
	switch word {
	case "const":
		c := &Const{Head: head}
		declaration, ok = c, p.constant(c)
	case "type":
		a := &Alias{Head: head}
		declaration, ok = a, p.alias(a)
	case "enum":
		e := &Enum{Head: head}
		declaration, ok = e, p.enum(e)
	case "struct", "message":
		s := &Struct{Head: head, Message: word == "message"}
		declaration, ok = s, p.structBody(s)
	case "union":
		u := &Union{Head: head}
		declaration, ok = u, p.union(u)
	case "service":
		s := &Service{Head: head}
		declaration, ok = s, p.service(s)
	}
	h := declaration.DeclarationHead()
	h.Span = p.since(start)
	h.Broken = h.Broken || !ok || p.protobuf > foreign
	p.file.Declarations = append(p.file.Declarations, declaration)
	return ok
}

// constant reads `: T = value;` after the name.
func (p *parser) constant(c *Const) bool {
	if _, ok := p.expect(':', "the constant's name"); !ok {
		return false
	}
	var ok bool
	if c.Type, ok = p.parseType(); !ok {
		return false
	}
	if _, ok := p.expect('=', "the constant's type"); !ok {
		return false
	}
	if c.Value, ok = p.value(); !ok {
		return false
	}
	return p.semicolon("the constant's value")
}

// alias reads `= T;` after the name.
func (p *parser) alias(a *Alias) bool {
	if _, ok := p.expect('=', "the alias's name"); !ok {
		return false
	}
	var ok bool
	if a.Type, ok = p.parseType(); !ok {
		return false
	}
	return p.semicolon("the alias's type")
}

// semicolon takes the `;` that ends a statement. A missing one is reported and
// then taken as written, since what follows is usually right.
func (p *parser) semicolon(newer string) bool {
	if p.accept(';') {
		return true
	}
	if !p.token.firstOnLine && !p.is(kindEOF) && !p.is('}') {
		p.expected("`;`", newer)
		return false
	}
	if !p.cut() {
		p.missing(";", newer)
	}
	return true
}

// missing reports a sign that is not there at the end of the last token.
func (p *parser) missing(sign, newer string) {
	at := p.lexer.span(p.end, p.end)
	p.lexer.problems.Error(codeSeparator, at, "expected `%s` after %s", sign, newer).
		WithHelp(fmt.Sprintf("add a `%s`", sign)).
		WithFix(fmt.Sprintf("add a `%s`", sign), diag.Edit{Span: at, Text: sign})
}
