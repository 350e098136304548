package lint

import (
	"regexp"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/diag"
)

// style is one way to write names.
type style struct {
	code  diag.Code
	name  string
	valid *regexp.Regexp
	write func(words []string) string
}

var (
	camel = style{codeCamelName, "UpperCamel", regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`), func(words []string) string {
		for i, w := range words {
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
		return strings.Join(words, "")
	}}
	snake = style{codeSnakeName, "snake_case", regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`), func(words []string) string {
		return strings.ToLower(strings.Join(words, "_"))
	}}
	upper = style{codeUpperName, "UPPER_SNAKE", regexp.MustCompile(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$`), func(words []string) string {
		return strings.ToUpper(strings.Join(words, "_"))
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
		better := style.write(words(it.name))
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

// words splits a name in any style: at underscores, before a capital that
// follows a small letter or digit, and before the last of several capitals if a
// small letter follows it.
func words(name string) []string {
	var spaced strings.Builder
	for i := range len(name) {
		if i > 0 && isUpper(name[i]) && (!isUpper(name[i-1]) || i+1 < len(name) && isLower(name[i+1])) {
			spaced.WriteByte('_')
		}
		spaced.WriteByte(name[i])
	}
	var words []string
	for _, w := range strings.Split(spaced.String(), "_") {
		if w != "" {
			words = append(words, strings.ToLower(w))
		}
	}
	return words
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }

// docs reports what has no documentation.
func (l *linter) docs() {
	for _, it := range items(l.pkg) {
		if it.meta.Doc == nil {
			l.warn(codeMissingDoc, it.within(), it.meta.Span, "%s `%s` has no documentation", it.kind, it.name).
				WithHelp("write a `///` comment before it")
		}
	}
}
