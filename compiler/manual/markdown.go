package manual

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

// Heading is the line that the program's part of a page begins with.
func (p Program) Heading() string { return "## The program " + p.Root.Name() + "\n" }

// Markdown is the program's part of a page: a table of its commands, its exit codes and flags, then each command.
func (p Program) Markdown() string {
	var b strings.Builder
	all := p.commands()
	b.WriteString(p.Heading() + "\n")
	p.body(&b, p.Root)
	if len(all) > 1 {
		b.WriteString("| command | |\n|---|---|\n")
		for _, command := range all[1:] {
			fmt.Fprintf(&b, "| [`%s`](#%s) | %s |\n", command.CommandPath(), anchor(command), cell(command.Short))
		}
		b.WriteString("\n")
	}
	b.WriteString("| exit code | |\n|---|---|\n")
	for _, exit := range p.Exits {
		fmt.Fprintf(&b, "| %s | %s |\n", exit.Code, cell(exit.Meaning))
	}
	b.WriteString("\n")
	for _, command := range all[1:] {
		fmt.Fprintf(&b, "### %s\n\n", command.CommandPath())
		p.body(&b, command)
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// body is the page's text about a command below its heading.
func (p Program) body(b *strings.Builder, command *cobra.Command) {
	fmt.Fprintf(b, "```\n%s\n```\n\n", usage(command))
	for _, one := range paragraphs(p.description(command)) {
		if one.isFixed {
			fmt.Fprintf(b, "```\n%s\n```\n\n", one.text)
		} else {
			fmt.Fprintf(b, "%s\n\n", running(one.text))
		}
	}
	own, shared := flags(command)
	table(b, "", own)
	table(b, "Its commands have these flags, too:\n\n", shared)
	if text := examples(command); text != "" {
		fmt.Fprintf(b, "```\n%s\n```\n\n", text)
	}
}

// table is a table of flags, if there are any.
func table(b *strings.Builder, title string, all []option) {
	head := title + "| flag | value | |\n|---|---|---|\n"
	for _, o := range all {
		name := "`--" + o.long + "`"
		if o.short != "" {
			name += ", `-" + o.short + "`"
		}
		value := ""
		if o.value != "" {
			value = "`" + o.value + "`"
		}
		meaning := cell(o.meaning)
		if o.fallback != "" {
			meaning += " (default `" + o.fallback + "`)"
		}
		fmt.Fprintf(b, "%s| %s | %s | %s |\n", head, name, value, meaning)
		head = ""
	}
	if head == "" {
		b.WriteString("\n")
	}
}

// anchor is where the page has a command.
func anchor(command *cobra.Command) string {
	return strings.ReplaceAll(command.CommandPath(), " ", "-")
}

var (
	// quoted are commands in a text, in the quotes that a terminal shows.
	quoted = regexp.MustCompile(`'(sdp[^']*|for)'`)
	// codes are words that are code by their looks: flags, programs, names of files, names with underscores, attributes,
	// variables, addresses, assignments and tables of TOML.
	codes = regexp.MustCompile(`^(--?[a-zA-Z][a-z-]*(=\S+)?|sdp-[a-zA-Z-]+|[a-z/-]*\.(1|json|md|mod|pem|proto|sdp|toml)|[a-zA-Z]+_\w+|@x\..+|\$\w+|[a-z+]+://.+|[a-zA-Z]+=[a-zA-Z]+|\[\[?[a-z]+\]\]?)$`)
	// edges are what stands around a word.
	edges = regexp.MustCompile(`^([("]*)(.*?)([)".,;:]*)$`)
)

// running is running text of a description as Markdown.
func running(text string) string {
	pieces := strings.Split(quoted.ReplaceAllString(text, "`$1`"), "`")
	for i, piece := range pieces {
		if i%2 == 1 {
			continue
		}
		words := strings.Split(piece, " ")
		for j, word := range words {
			parts := edges.FindStringSubmatch(word)
			if strings.Contains(parts[2], "(") && strings.HasPrefix(parts[3], ")") {
				parts[2], parts[3] = parts[2]+")", parts[3][1:]
			}
			if codes.MatchString(parts[2]) {
				words[j] = parts[1] + "`" + parts[2] + "`" + parts[3]
			} else {
				words[j] = escaped(word)
			}
		}
		pieces[i] = strings.Join(words, " ")
	}
	return strings.Join(pieces, "`")
}

// escaped is text in which nothing is markup.
func escaped(text string) string {
	return strings.NewReplacer(`\`, `\\`, `<`, `\<`, `*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`).Replace(text)
}

// cell is running text in a table.
func cell(text string) string {
	return strings.ReplaceAll(running(text), "|", `\|`)
}
