package lint

import (
	"regexp"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/names"
)

// style is one way to write names.
type style struct {
	code  diag.Code
	name  string
	valid *regexp.Regexp
	write func(words []string) string
}

var (
	camel = style{codeCamelName, "UpperCamel", regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`), names.UpperCamel}
	snake = style{codeSnakeName, "snake_case", regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`), names.Snake}
	upper = style{codeUpperName, "UPPER_SNAKE", regexp.MustCompile(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$`), func(words []string) string {
		return strings.ToUpper(names.Snake(words))
	}}
)

var styles = map[itemKind]style{
	typeItem: camel, aliasItem: camel, serviceItem: camel, memberItem: camel, alternativeItem: camel,
	fieldItem: snake, methodItem: snake,
	constItem: upper,
}

// names reports names in another style than their kind has everywhere. There is
// no fix: programs use the name, and JSON often does.
func (l *linter) names() {
	for _, it := range items(l.pkg) {
		style := styles[it.kind]
		if style.valid.MatchString(it.name) {
			continue
		}
		d := l.warn(style.code, it.within(), it.meta.Span, "%s `%s` is not in %s", it.kind, it.name, style.name)
		better := style.write(names.Words(it.name))
		if better == "" || !style.valid.MatchString(better) {
			continue
		}
		help := "call it `" + better + "`"
		switch it.kind {
		case fieldItem, memberItem, alternativeItem:
			help += "; `@name(json = \"" + it.name + "\")` keeps JSON as it is"
		}
		d.WithHelp(help)
	}
}

// docs reports what has no documentation.
func (l *linter) docs() {
	for _, it := range items(l.pkg) {
		if it.meta.Doc == nil {
			l.warn(codeMissingDoc, it.within(), it.meta.Span, "%s `%s` has no documentation", it.kind, it.name).
				WithHelp("write a `///` comment before it")
		}
	}
}
