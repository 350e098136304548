package main

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// part is a heading of the table of contents, with its chapters.
type part struct {
	title string
	files []string
}

// book is the chapters: documents at the places that they have in the repository, so that
// they lead to each other as they do there.
type book struct {
	tracked  map[string]bool
	parts    []part
	chapters map[string]bool
}

// schemasChapter leads to what mdBook does not make.
const schemasChapter = "schemas.md"

func newBook(tracked map[string]bool) *book {
	b := &book{tracked: tracked, chapters: map[string]bool{}}
	taken := map[string]bool{"README.md": true}
	add := func(title string, want func(file string) bool, files ...string) {
		p := part{title: title}
		for _, file := range files {
			if path.Ext(file) == ".md" && !taken[file] && tracked[file] && want(file) {
				taken[file] = true
				p.files = append(p.files, file)
			}
		}
		b.parts = append(b.parts, p)
	}
	all := slices.Sorted(maps.Keys(tracked))
	within := func(folder string) func(string) bool {
		return func(file string) bool { return strings.HasPrefix(file, folder+"/") }
	}
	for _, section := range sections("docs/README.md") {
		if section.title != "Examples" {
			add(section.title, within("docs"), section.files...)
		}
	}
	add("Specification", within("spec"), append(append([]string{"spec/README.md"}, linked("spec/README.md")...), all...)...)
	add("Examples", func(file string) bool {
		return path.Base(file) == "README.md" && (within("examples")(file) || file == "playground/README.md")
	}, all...)
	add("Development", func(file string) bool {
		return path.Dir(file) == "." || path.Base(file) == "README.md" && (within("conformance")(file) || within("bench")(file) || within("mxp")(file))
	}, append([]string{"ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"}, all...)...)
	for file := range taken {
		b.chapters[file] = true
	}
	return b
}

var linkPattern = regexp.MustCompile(`\]\(([^()\s]+)\)`)

// linked are the files that a document leads to, in its order.
func linked(document string) (files []string) {
	for _, section := range sections(document) {
		files = append(files, section.files...)
	}
	return files
}

// sections are the second headings of a document, with the files that each leads to. The document itself is the first
// file of the first.
func sections(document string) []part {
	text, err := os.ReadFile(document)
	if err != nil {
		return nil
	}
	parts := []part{{files: []string{document}}}
	for line := range strings.Lines(string(text)) {
		if title, is := strings.CutPrefix(line, "## "); is {
			if len(parts) == 1 && parts[0].title == "" {
				parts[0].title = strings.TrimSpace(title)
			} else {
				parts = append(parts, part{title: strings.TrimSpace(title)})
			}
		}
		last := &parts[len(parts)-1]
		for _, match := range linkPattern.FindAllStringSubmatch(line, -1) {
			file, _, _ := strings.Cut(match[1], "#")
			last.files = append(last.files, path.Join(path.Dir(document), file))
		}
	}
	return parts
}

// place is a chapter's file in the book: what stands for a folder is its index.
func place(file string) string {
	if path.Base(file) == "README.md" {
		return path.Join(path.Dir(file), "index.md")
	}
	return file
}

// write writes the chapters, the table of contents, and the pictures.
func (b *book) write(folder string) error {
	var summary strings.Builder
	summary.WriteString("# Summary\n\n[SDP and MXP](index.md)\n")
	for _, p := range b.parts {
		fmt.Fprintf(&summary, "\n# %s\n\n", p.title)
		for _, file := range p.files {
			fmt.Fprintf(&summary, "- [%s](%s)\n", titleOf(file), place(file))
		}
		if p.title == "Specification" {
			fmt.Fprintf(&summary, "- [MXP's own schemas](%s)\n", schemasChapter)
		}
	}
	files := map[string]string{"SUMMARY.md": summary.String(), schemasChapter: b.schemas()}
	for file := range b.chapters {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		chapter := tabbed(b.rewritten(file, string(text)))
		switch {
		case file == "README.md":
			chapter = b.home(chapter)
		case path.Dir(file) == startFolder:
			title, rest, _ := strings.Cut(chapter, "\n\n")
			chapter = title + "\n\n" + b.siblings(file) + rest
		}
		files[place(file)] = chapter
	}
	for file := range b.tracked {
		if ext := path.Ext(file); b.isShown(file) && (ext == ".svg" || ext == ".png") {
			picture, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			files[file] = string(picture)
		}
	}
	for name, text := range files {
		at := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// isShown reports whether a file lies in a folder of the chapters' pictures.
func (*book) isShown(file string) bool {
	return slices.ContainsFunc([]string{"docs/", "playground/screenshots/", "bench/", "examples/"}, func(folder string) bool { return strings.HasPrefix(file, folder) })
}

// schemas is the chapter of the pages that `sdp doc` makes.
func (b *book) schemas() string {
	text := "# MXP's own schemas\n\nWhat MXP itself says is declared in SDP: [pages of these schemas](schemas/index.html), as `sdp doc` makes them for any schema.\n"
	if _, err := os.Stat(playground); err == nil {
		text += "\nSchemas can be tried in the [playground](" + playgroundAt + "/index.html).\n"
	}
	return text
}

// titleOf is the first heading of a document.
func titleOf(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return file
	}
	for line := range strings.Lines(string(text)) {
		if title, is := strings.CutPrefix(line, "# "); is {
			return strings.NewReplacer("[", "", "]", "", "`", "").Replace(strings.TrimSpace(title))
		}
	}
	return file
}

// target finds addresses in Markdown and in the HTML within it.
var target = regexp.MustCompile(`(\]\(|(?:href|src|srcset)=")([^()\s"]+)([)"])`)

// schemaBlock is the beginning of a block that schema.js colours, and mdBook does not.
var schemaBlock = regexp.MustCompile(`^(\s*` + "`" + `{3,})sdp(\s)`)

// rewritten is a document with links to chapters as the book has them, and to other files
// of the repository where those are.
func (b *book) rewritten(file, text string) string {
	var out strings.Builder
	fence := ""
	for line := range strings.Lines(text) {
		trimmed := strings.TrimLeft(line, " ")
		switch {
		case fence == "" && strings.HasPrefix(trimmed, "```"):
			fence = trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, "`"))]
			line = schemaBlock.ReplaceAllString(line, "${1}plaintext,sdp$2")
		case fence != "" && strings.HasPrefix(trimmed, fence):
			fence = ""
		case fence == "":
			line = target.ReplaceAllStringFunc(line, func(list string) string {
				m := target.FindStringSubmatch(list)
				return m[1] + b.address(file, m[2]) + m[3]
			})
		}
		out.WriteString(line)
	}
	return out.String()
}

// address is where the site has what a document leads to.
func (b *book) address(document, address string) string {
	file, anchor, hasAnchor := strings.Cut(address, "#")
	if file == "" || strings.Contains(file, ":") {
		return address
	}
	to := path.Join(path.Dir(document), file)
	if b.tracked[path.Join(to, "README.md")] && b.chapters[path.Join(to, "README.md")] {
		to = path.Join(to, "README.md")
	}
	if hasAnchor {
		anchor = "#" + anchor
	}
	switch ext := path.Ext(to); {
	case !b.tracked[to]:
		return address
	case b.chapters[to]:
		return relative(place(document), place(to)) + anchor
	case b.isShown(to) && (ext == ".svg" || ext == ".png"):
		return relative(place(document), to)
	}
	return repository + "/blob/main/" + to + anchor
}

// relative leads from one file of the book to another.
func relative(source, address string) string {
	r, err := filepath.Rel(path.Dir(source), address)
	if err != nil {
		return address
	}
	return filepath.ToSlash(r)
}
