package doc

import (
	"bytes"
	"embed"
	"encoding/json"
	"html"
	"html/template"
	"strings"
	"sync"
)

//go:embed templates/*.html templates/style.css templates/search.js
var templates embed.FS

// These names are files that pages need. All pages have another ending, and none of the names
// begins as those do that Jekyll leaves out, which GitHub Pages runs unless plainFile is there.
const (
	plainFile  = ".nojekyll"
	styleFile  = "style.css"
	scriptFile = "search.js"
	indexFile  = "index.js"
)

// pageTemplates are parsed when the first pages are made, so that other commands don't wait.
// Their functions write what comes often, with all text escaped.
var pageTemplates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"comment": comment.html, "inline": comment.inline, "bytes": bytesHTML, "names": namesHTML,
		"mark": func(version string) template.HTML {
			return written("<!-- " + html.EscapeString(mark(version)) + " -->")
		},
	}).ParseFS(templates, "templates/*.html"))
})

// written is HTML that has been escaped where it was made.
func written(text string) template.HTML { return template.HTML(text) } //nolint:gosec // see above

func bytesHTML(rows []exampleRow) template.HTML {
	var out strings.Builder
	for _, r := range rows {
		out.WriteString(`<tr><td class="place">` + r.Offset + `</td><td class="hex">` + r.Hex + `</td><td><code>` +
			html.EscapeString(r.Path) + `</code></td><td>` + html.EscapeString(r.Note) + "</td></tr>\n")
	}
	return written(out.String())
}

func namesHTML(rows []nameRow) template.HTML {
	var out strings.Builder
	for _, r := range rows {
		out.WriteString(`<tr><th scope="row"><code>` + html.EscapeString(r.Name) + `</code></th>`)
		for _, name := range r.Languages {
			out.WriteString(`<td><code>` + html.EscapeString(name) + `</code></td>`)
		}
		out.WriteString("</tr>\n")
	}
	return written(out.String())
}

// pageData is the input of a page's templates.
type pageData struct {
	Site *site
	// Title is that of the window.
	Title   string
	Package *packagePage // nil on the first page
	Page    any
	File    string

	template string
}

// rendered are pages, which are made side by side.
func rendered(list []pageData) []File {
	t := pageTemplates()
	files := make([]File, len(list))
	each(len(list), func(i int) {
		var out bytes.Buffer
		if err := t.ExecuteTemplate(&out, list[i].template, list[i]); err != nil {
			panic("doc: " + err.Error()) // a template is wrong, whatever the schema is
		}
		files[i] = File{list[i].File, out.Bytes()}
	})
	return files
}

// html makes the pages and the files that they need.
func (s *site) html() []File {
	var all []pageData
	add := func(template, title, file string, p *packagePage, page any) {
		all = append(all, pageData{Site: s, Title: title, Package: p, Page: page, File: file, template: template})
	}
	add("index.html", "Schemas", s.indexName(), nil, nil)
	for _, p := range s.Packages {
		add("package.html", p.Name, p.File, p, p)
		for _, page := range p.Types {
			add("type.html", p.Name+"."+page.Name, page.File, p, page)
		}
		for _, page := range p.Services {
			add("service.html", p.Name+"."+page.Name, page.File, p, page)
		}
	}
	files := rendered(all)
	for _, f := range []struct{ name, file string }{{styleFile, "style.css"}, {scriptFile, "search.js"}} {
		content, err := templates.ReadFile("templates/" + f.file)
		if err != nil {
			panic("doc: " + err.Error())
		}
		files = append(files, File{f.name, append([]byte("/* "+mark(s.Version)+" */\n"), content...)})
	}
	return append(files, File{indexFile, s.searchIndex()}, File{plainFile, []byte(mark(s.Version) + "\n")})
}

// searchEntry is an entry of the search: name, kind, address and subject.
type searchEntry [4]string

// searchIndex is a script that has all names: a page from a disk may load no other file.
func (s *site) searchIndex() []byte {
	all := []searchEntry{}
	for _, p := range s.Packages {
		all = append(all, searchEntry{p.Name, "package", p.File, p.Doc.Summary()})
		for _, c := range p.Constants {
			all = append(all, searchEntry{p.Name + "." + c.Name, "const", p.File + "#" + c.ID, c.Doc.Summary()})
		}
		for _, a := range p.Aliases {
			all = append(all, searchEntry{p.Name + "." + a.Name, "alias", p.File + "#" + a.ID, a.Doc.Summary()})
		}
		for _, t := range p.Types {
			name := p.Name + "." + t.Name
			all = append(all, searchEntry{name, t.Kind, t.File, t.Doc.Summary()})
			for _, b := range t.Bodies {
				for _, f := range b.Fields {
					all = append(all, searchEntry{name + "." + strings.TrimPrefix(f.ID, "field-"), "field", t.File + "#" + f.ID, f.Doc.Summary()})
				}
			}
			for _, m := range t.Members {
				all = append(all, searchEntry{name + "." + m.Name, "member", t.File + "#" + m.ID, m.Doc.Summary()})
			}
			for _, c := range t.Cases {
				all = append(all, searchEntry{name + "." + c.Name, "alternative", t.File + "#" + c.ID, c.Doc.Summary()})
			}
		}
		for _, service := range p.Services {
			name := p.Name + "." + service.Name
			all = append(all, searchEntry{name, "service", service.File, service.Doc.Summary()})
			for _, m := range service.Methods {
				all = append(all, searchEntry{name + "." + m.Name, "method", service.File + "#" + m.ID, m.Doc.Summary()})
			}
		}
	}
	text, err := json.Marshal(all) // which spells < and > so that no tag can end the script
	if err != nil {
		panic("doc: " + err.Error())
	}
	return []byte("/* " + mark(s.Version) + " */\nconst searchIndex = " + string(text) + ";\n")
}

// html is the comment as harmless HTML: all text is escaped, and no attribute is but an
// address of a known scheme.
func (c comment) html() template.HTML {
	var out strings.Builder
	blocksHTML(&out, c)
	return written(out.String())
}

// inline is the comment in a line, as harmless HTML.
func (c comment) inline() template.HTML {
	var out strings.Builder
	for _, b := range c {
		spansHTML(&out, b.spans)
	}
	return written(out.String())
}

func blocksHTML(builder *strings.Builder, blocks []block) {
	for _, b := range blocks {
		switch b.kind {
		case paragraph:
			wrapped(builder, "p", func() { spansHTML(builder, b.spans) })
		case heading:
			wrapped(builder, "p", func() { wrapped(builder, "strong", func() { spansHTML(builder, b.spans) }) })
		case code:
			wrapped(builder, "pre", func() { wrapped(builder, "code", func() { builder.WriteString(html.EscapeString(b.text)) }) })
		case quotation:
			wrapped(builder, "blockquote", func() { blocksHTML(builder, b.blocks) })
		case list:
			tag := "ul"
			if b.ordered {
				tag = "ol"
			}
			wrapped(builder, tag, func() { blocksHTML(builder, b.blocks) })
		case item:
			wrapped(builder, "li", func() { blocksHTML(builder, b.blocks) })
		case rule:
			builder.WriteString("<hr>")
		}
	}
}

func spansHTML(b *strings.Builder, spans []span) {
	for _, s := range spans {
		switch s.kind {
		case plainSpan:
			b.WriteString(html.EscapeString(s.text))
		case codeSpan:
			wrapped(b, "code", func() { b.WriteString(html.EscapeString(s.text)) })
		case emphasis:
			wrapped(b, "em", func() { spansHTML(b, s.spans) })
		case strong:
			wrapped(b, "strong", func() { spansHTML(b, s.spans) })
		case linkSpan:
			b.WriteString(`<a rel="nofollow noopener noreferrer" href="` + html.EscapeString(s.href) + `">`)
			spansHTML(b, s.spans)
			b.WriteString("</a>")
		case lineBreak:
			b.WriteString("<br>")
		}
	}
}

func wrapped(b *strings.Builder, tag string, inner func()) {
	b.WriteString("<" + tag + ">")
	inner()
	b.WriteString("</" + tag + ">")
}
