package main

import (
	"fmt"
	"path"
	"strings"
)

// startFolder has the pages that begin with nothing, one for each language.
const startFolder = "docs/start"

// startPages are the pages that begin with nothing: files and the names of their languages, in the order of the index.
func (b *book) startPages() (pages []startPage) {
	for _, p := range b.parts {
		for _, file := range p.files {
			if path.Dir(file) == startFolder {
				pages = append(pages, startPage{file, strings.TrimPrefix(titleOf(file), "Start in ")})
			}
		}
	}
	return pages
}

type startPage struct{ file, language string }

// home is the site's first page: README, whose title and first paragraph stand large, with the ways to begin.
func (b *book) home(readme string) string {
	title, rest, _ := strings.Cut(readme, "\n\n")
	lead, rest, _ := strings.Cut(rest, "\n\n")
	var s strings.Builder
	fmt.Fprintf(&s, "<div class=\"hero\">\n\n%s\n\n%s\n\n</div>\n\n<p class=\"begin\">\n", title, strings.ReplaceAll(lead, "\n", "\n\n"))
	for _, p := range b.startPages() {
		fmt.Fprintf(&s, "<a href=\"%s\">%s</a>\n", strings.TrimSuffix(p.file, ".md")+".html", p.language)
	}
	s.WriteString("<a href=\"docs/install.html\">Install</a>\n<a href=\"docs/index.html\">All pages</a>\n</p>\n\n")
	return s.String() + rest
}

// siblings are the links from a page of one language to the pages of the others.
func (b *book) siblings(file string) string {
	var s strings.Builder
	s.WriteString("<nav class=\"begin\" aria-label=\"Languages\">\n")
	for _, p := range b.startPages() {
		current := ""
		if p.file == file {
			current = " aria-current=\"page\""
		}
		fmt.Fprintf(&s, "<a href=\"%s.html\"%s>%s</a>\n", strings.TrimSuffix(path.Base(p.file), ".md"), current, p.language)
	}
	s.WriteString("</nav>\n\n")
	return s.String()
}
