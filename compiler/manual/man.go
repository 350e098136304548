package manual

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// Page is a man page: the name of its file, and its text in the macros of man(7).
type Page struct{ File, Text string }

// Pages are the man pages of a program: its own, and one for each of its commands.
func (p Program) Pages() (all []Page) {
	for _, command := range p.commands() {
		all = append(all, Page{pageName(command) + ".1", p.page(command)})
	}
	return all
}

// Write puts the man pages into a folder, which is made if it is not there.
func (p Program) Write(folder string) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	for _, page := range p.Pages() {
		if err := os.WriteFile(filepath.Join(folder, page.File), []byte(page.Text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

func pageName(command *cobra.Command) string {
	return strings.ReplaceAll(command.CommandPath(), " ", "-")
}

// page is the text of a command's man page. It has no date, so that the same program makes the same page.
func (p Program) page(command *cobra.Command) string {
	var b strings.Builder
	name := pageName(command)
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"%s\" \"SDP's commands\"\n.nh\n.ad l\n", roff(strings.ToUpper(name)), roff(p.Product))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(name), roff(command.Short))
	path := command.CommandPath()
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(path))
	if rest := strings.TrimSpace(strings.TrimPrefix(usage(command), path)); rest != "" {
		b.WriteString(line(rest))
	}
	b.WriteString(".SH DESCRIPTION\n")
	for i, one := range paragraphs(p.description(command)) {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		if one.isFixed {
			b.WriteString(fixed(one.text))
		} else {
			b.WriteString(line(one.text))
		}
	}
	if children := p.children(command); len(children) > 0 {
		b.WriteString(".SH COMMANDS\n")
		for _, child := range children {
			fmt.Fprintf(&b, ".TP\n.BR %s (1)\n%s", roff(pageName(child)), line(child.Short))
		}
	}
	b.WriteString(".SH OPTIONS\n")
	own, shared := flags(command)
	writeOptions(&b, append(append(own, shared...), option{short: "h", long: "help", meaning: "help for " + command.Name()}))
	if inherited := options(command.InheritedFlags()); len(inherited) > 0 {
		b.WriteString(".SH OPTIONS OF ALL COMMANDS\n")
		writeOptions(&b, inherited)
	}
	if text := examples(command); text != "" {
		b.WriteString(".SH EXAMPLES\n" + fixed(text))
	}
	b.WriteString(".SH EXIT STATUS\n")
	for _, exit := range p.Exits {
		fmt.Fprintf(&b, ".TP\n%s%s", line(exit.Code), line(exit.Meaning))
	}
	if command.HasParent() {
		fmt.Fprintf(&b, ".SH SEE ALSO\n.BR %s (1)\n", roff(pageName(command.Parent())))
	}
	return b.String()
}

// children are the commands below a command that its help lists.
func (p Program) children(command *cobra.Command) (all []*cobra.Command) {
	for _, child := range command.Commands() {
		if isListed(child) {
			all = append(all, child)
		}
	}
	return all
}

func writeOptions(b *strings.Builder, all []option) {
	for _, o := range all {
		b.WriteString(".TP\n")
		if o.short != "" {
			fmt.Fprintf(b, "\\fB\\-%s\\fR, ", roff(o.short))
		}
		fmt.Fprintf(b, "\\fB\\-\\-%s\\fR", roff(o.long))
		if o.value != "" {
			fmt.Fprintf(b, " \\fI%s\\fR", roff(o.value))
		}
		meaning := o.meaning
		if o.fallback != "" {
			meaning += " (default " + o.fallback + ")"
		}
		b.WriteString("\n" + line(meaning))
	}
}

// fixed are lines that stay as they are.
func fixed(text string) string {
	var b strings.Builder
	b.WriteString(".RS 4\n.nf\n")
	for _, one := range strings.Split(text, "\n") {
		b.WriteString(line(one))
	}
	b.WriteString(".fi\n.RE\n")
	return b.String()
}

// line is a line of text, which is no request even if it begins as one.
func line(text string) string {
	text = roff(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") || text == "" {
		text = `\&` + text
	}
	return text + "\n"
}

// roff is text in which nothing is markup, and hyphens can be copied into a shell.
func roff(text string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`, "\"", `\(dq`).Replace(text)
}
