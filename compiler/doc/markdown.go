package doc

import (
	"fmt"
	"strings"
)

// markdown makes the pages as GitHub and its like show them: CommonMark with tables.
func (s *site) markdown() []File {
	files := []File{{"README.md", s.indexMarkdown()}}
	for _, p := range s.Packages {
		files = append(files, File{p.File, s.packageMarkdown(p)})
		for _, page := range p.Types {
			files = append(files, File{page.File, s.typeMarkdown(page)})
		}
		for _, page := range p.Services {
			files = append(files, File{page.File, s.serviceMarkdown(page)})
		}
	}
	return files
}

// sheet writes a page of Markdown.
type sheet struct{ strings.Builder }

func (s *site) sheet(title string) *sheet {
	out := &sheet{}
	out.WriteString("<!-- " + mark(s.Version) + " -->\n\n# " + title + "\n")
	return out
}

func (o *sheet) bytes() []byte { return []byte(o.String()) }

func (o *sheet) heading(text string) { o.WriteString("\n## " + text + "\n") }

func (o *sheet) paragraph(text string) {
	if text != "" {
		o.WriteString("\n" + text + "\n")
	}
}

// table writes a table; a row is as many cells as there are titles. Columns without anything
// are left out.
func (o *sheet) table(titles []string, rows [][]string) {
	var kept []int
	for i := range titles {
		for _, row := range rows {
			if row[i] != "" {
				kept = append(kept, i)
				break
			}
		}
	}
	line := func(cells []string) {
		for _, i := range kept {
			o.WriteString("| " + strings.ReplaceAll(cells[i], "\n", " ") + " ")
		}
		o.WriteString("|\n")
	}
	o.WriteByte('\n')
	line(titles)
	o.WriteString(strings.Repeat("|---", len(kept)) + "|\n")
	for _, row := range rows {
		line(row)
	}
}

func (s *site) indexMarkdown() []byte {
	out := s.sheet("Schemas")
	var rows [][]string
	for _, p := range s.Packages {
		rows = append(rows, []string{linkTo(p.Name, p.File), fmt.Sprint(len(p.Types)), fmt.Sprint(len(p.Services)), plain(p.Doc.Summary())})
	}
	out.table([]string{"Package", "Types", "Services", "About"}, rows)
	if len(s.Releases) == 0 {
		return out.bytes()
	}
	out.heading("History")
	rows = nil
	for _, r := range s.Releases {
		rows = append(rows, []string{plain(between(r.Old, r.New)), fmt.Sprint(len(r.Report.Changes)), fmt.Sprint(r.Report.Breaking())})
	}
	out.table([]string{"Changes", "All", "Breaking"}, rows)
	return out.bytes()
}

// between names what lies between two states.
func between(prefix, newer string) string {
	if newer == "" {
		return "Since " + prefix
	}
	return "From " + prefix + " to " + newer
}

func (s *site) packageMarkdown(p *packagePage) []byte {
	out := s.sheet(plain(p.Name))
	about := "Package of " + codeText(p.Path) + "; [all packages](README.md)"
	if len(p.Imports) > 0 {
		var imports []string
		for _, i := range p.Imports {
			imports = append(imports, linkTo(i.Text, i.Href))
		}
		about += "; imports " + strings.Join(imports, ", ")
	}
	if p.ReservedIDs != "" {
		about += "; reserved type ids: " + p.ReservedIDs
	}
	out.paragraph(about + ".")
	out.about(p.common)
	if len(p.Services) > 0 {
		out.heading("Services")
		var rows [][]string
		for _, service := range p.Services {
			rows = append(rows, []string{linkTo(service.Name, service.File), fmt.Sprint(len(service.Methods)), service.inTable()})
		}
		out.table([]string{"Service", "Methods", "About"}, rows)
	}
	if len(p.Types) > 0 {
		out.heading("Types")
		var rows [][]string
		for _, t := range p.Types {
			rows = append(rows, []string{linkTo(t.Name, t.File), t.Kind, t.TypeID, t.Size, t.inTable()})
		}
		out.table([]string{"Type", "Kind", "Type id", "Size", "About"}, rows)
	}
	if len(p.Aliases) > 0 {
		out.heading("Aliases")
		var rows [][]string
		for _, a := range p.Aliases {
			rows = append(rows, []string{codeText(a.Name), spelledText(a.Type), a.Size, a.cell(), usesText(a.Uses)})
		}
		out.table([]string{"Alias", "Type", "Size", "About", "Used by"}, rows)
	}
	if len(p.Constants) > 0 {
		out.heading("Constants")
		var rows [][]string
		for _, c := range p.Constants {
			rows = append(rows, []string{codeText(c.Name), spelledText(c.Type), inTable(codeText(c.Value)), c.cell()})
		}
		out.table([]string{"Constant", "Type", "Value", "About"}, rows)
	}
	s.historyMarkdown(out, p.History)
	return out.bytes()
}

// inTable is the beginning of the text about a thing that has a page of its own.
func (c common) inTable() string {
	text := plain(c.Doc.Summary())
	if c.Deprecated {
		return strings.TrimSpace("**deprecated** " + text)
	}
	return text
}

func (s *site) typeMarkdown(page *typePage) []byte {
	out := s.sheet(plain(page.Name))
	about := strings.ToUpper(page.Kind[:1]) + page.Kind[1:] + " of " + linkTo(page.Package.Name, page.Package.File)
	if page.TypeID != "" {
		about += ", type id " + page.TypeID
	}
	out.paragraph(about + ". Size: " + page.Size + ".")
	out.about(page.common)
	for i, fact := range page.Facts {
		if i == 0 {
			out.WriteByte('\n')
		}
		out.WriteString("* " + plain(fact) + "\n")
	}
	if page.Reserved != "" {
		out.paragraph("Reserved: " + plain(page.Reserved))
	}
	if len(page.Members) > 0 {
		out.heading("Members")
		var rows [][]string
		for _, m := range page.Members {
			rows = append(rows, []string{m.Number, codeText(m.Name), m.cell()})
		}
		out.table([]string{"Number", "Member", "About"}, rows)
	}
	if len(page.Cases) > 0 {
		out.heading("Alternatives")
		var rows [][]string
		for _, c := range page.Cases {
			payload := spelledText(c.Payload)
			if len(c.Payload) == 1 && strings.HasPrefix(c.Payload[0].Href, "#") {
				payload = linkTo(c.Payload[0].Text, anchor(c.Payload[0].Text))
			}
			rows = append(rows, []string{fmt.Sprint(c.Tag), codeText(c.Name), payload, c.Size, c.cell()})
		}
		out.table([]string{"Tag", "Alternative", "Payload", "Payload's size", "About"}, rows)
	}
	for _, b := range page.Bodies {
		out.fields(b)
	}
	if page.Example != nil {
		out.example(page.Example)
	}
	out.heading("Used by")
	if len(page.Uses) > 0 {
		out.paragraph(usesText(page.Uses))
	} else {
		out.paragraph("Nothing in these schemas names it.")
	}
	s.namesMarkdown(out, page.Names)
	s.historyMarkdown(out, page.History)
	return out.bytes()
}

// anchor is the address of a heading of identifiers and words.
func anchor(title string) string {
	return "#" + strings.ToLower(strings.ReplaceAll(title, " ", "-"))
}

func (o *sheet) fields(b body) {
	title := "Fields"
	if b.Title != "" {
		title = "Fields of " + plain(b.Title)
	}
	o.heading(title)
	if len(b.Fields) == 0 {
		o.paragraph("It has none.")
		return
	}
	var rows [][]string
	for _, f := range b.Fields {
		segment := ""
		if b.Grows {
			segment = fmt.Sprint(f.Segment)
		}
		about := f.cell()
		if f.Default != "" {
			about = strings.TrimPrefix(about+"<br>where it is missing: "+inTable(codeText(f.Default)), "<br>")
		}
		rows = append(rows, []string{f.Offset, f.Size, codeText(f.Name), spelledText(f.Type), segment, about})
	}
	o.table([]string{"Offset", "Size", "Field", "Type", "Segment", "About"}, rows)
}

func (o *sheet) example(e *example) {
	o.heading("An example")
	o.WriteString("\n" + fenced("json", e.JSON))
	how := e.Bytes
	if e.Message {
		how += ", as a message with its header"
	}
	o.paragraph(how + ":")
	o.WriteString("\n" + fenced("text", e.Hex))
	var rows [][]string
	for _, r := range e.Rows {
		rows = append(rows, []string{r.Offset, codeText(r.Hex), inTable(codeText(r.Path)), plain(r.Note)})
	}
	o.table([]string{"Offset", "Bytes", "Of", "What they say"}, rows)
	if e.More > 0 {
		o.paragraph(fmt.Sprintf("And %d more items.", e.More))
	}
}

func (s *site) serviceMarkdown(page *servicePage) []byte {
	out := s.sheet(plain(page.Name))
	out.paragraph("Service of " + linkTo(page.Package.Name, page.Package.File) + ".")
	out.about(page.common)
	if page.Reserved != "" {
		out.paragraph("Reserved: " + plain(page.Reserved))
	}
	out.heading("Methods")
	if len(page.Methods) == 0 {
		out.paragraph("It has none.")
	} else {
		var rows [][]string
		for _, m := range page.Methods {
			kind := m.Kind
			if m.Idempotent {
				kind += ", idempotent"
			}
			rows = append(rows, []string{fmt.Sprint(m.Number), codeText(m.Name), kind, spelledText(m.Request), spelledText(m.Response), m.cell()})
		}
		out.table([]string{"Number", "Method", "Kind", "Request", "Response", "About"}, rows)
	}
	s.namesMarkdown(out, page.Names)
	s.historyMarkdown(out, page.History)
	return out.bytes()
}

func (s *site) namesMarkdown(page *sheet, list []nameRow) {
	page.heading("Names in code")
	var rows [][]string
	for _, n := range list {
		row := []string{codeText(n.Name)}
		for _, name := range n.Languages {
			row = append(row, inTable(codeText(name)))
		}
		rows = append(rows, row)
	}
	page.table(append([]string{"Schema"}, s.Languages()...), rows)
}

func (s *site) historyMarkdown(page *sheet, list []history) {
	if len(s.Releases) == 0 {
		return
	}
	page.heading("History")
	if len(list) == 0 {
		page.paragraph("Nothing has changed since " + plain(s.Since()) + ".")
	}
	for _, h := range list {
		page.WriteString("\n### " + plain(between(h.Old, h.New)) + "\n")
		var rows [][]string
		for _, c := range h.Changes {
			text := inTable(codeText(c.Subject)) + " " + strings.Join(c.What.lines(), " ")
			if len(c.Breaks) > 0 {
				text = "**breaking** " + text
			}
			if c.Help != nil {
				text += "<br>" + strings.Join(c.Help.lines(), " ")
			}
			rows = append(rows, []string{text, plain(c.OldReaders.Text()), plain(c.NewReaders.Text()), plain(c.Code.Text()), plain(c.JSON.Text())})
		}
		page.table([]string{"Change", "Old readers, new bytes", "New readers, old bytes", "Source", "JSON"}, rows)
	}
}
