// Package manual writes the help of a program's commands in two more forms: as a part of a page of Markdown, and as
// man pages. The help itself is written once, in the commands of the CLI library.
//
// The library has writers of its own, which take each text of a command for Markdown. The texts here are plain: their
// tables, files of JSON and shell commands would be run together, and programs would get two more libraries.
package manual

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Program is a program with its commands.
type Program struct {
	Root *cobra.Command
	// Product is the name and the version that stand at the foot of a man page.
	Product string
	Exits   []Exit
}

// Exit is an exit code, and when a program ends with it.
type Exit struct{ Code, Meaning string }

// Long is a description with the exit codes behind it, as the help of a program tells them.
func Long(text string, exits []Exit) string {
	var b strings.Builder
	b.WriteString(text)
	b.WriteString("\n\nExit codes:\n")
	for _, exit := range exits {
		fmt.Fprintf(&b, "\n  %-9s %s", exit.Code, exit.Meaning)
	}
	return b.String()
}

// commands are the commands that the help of a program lists, each behind its parent. The library's own are among
// them where the program has made them already.
func (p Program) commands() []*cobra.Command {
	var all []*cobra.Command
	var add func(command *cobra.Command)
	add = func(command *cobra.Command) {
		all = append(all, command)
		for _, child := range command.Commands() {
			if isListed(child) {
				add(child)
			}
		}
	}
	add(p.Root)
	return all
}

func isListed(command *cobra.Command) bool {
	return !command.Hidden && command.Deprecated == ""
}

// description is the help of a command before its usage. Exit codes have a place of their own.
func (p Program) description(command *cobra.Command) string {
	if command.Long == "" {
		return command.Short + "."
	}
	text := command.Long
	if command == p.Root {
		text = strings.TrimSuffix(text, Long("", p.Exits))
	}
	return strings.TrimSpace(text)
}

// paragraph is a piece of a description: running text, or lines that stay as they are.
type paragraph struct {
	text    string
	isFixed bool
}

// paragraphs are the paragraphs of a description: lines that begin with a space are fixed.
func paragraphs(text string) (all []paragraph) {
	for _, piece := range strings.Split(text, "\n\n") {
		var lines []string
		isFixed := false
		flush := func() {
			if len(lines) == 0 {
				return
			}
			if isFixed {
				all = append(all, paragraph{strings.Join(flushLeft(lines), "\n"), true})
			} else {
				all = append(all, paragraph{strings.Join(lines, " "), false})
			}
			lines = nil
		}
		for _, line := range strings.Split(piece, "\n") {
			if line == "" {
				continue
			}
			if begins := strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "\t"); begins != isFixed {
				flush()
				isFixed = begins
			}
			if strings.HasPrefix(line, "#") { // the library has headings in its own texts
				line = strings.TrimLeft(line, "# ")
			}
			lines = append(lines, line)
		}
		flush()
	}
	return all
}

// flushLeft takes the spaces away that all lines begin with.
func flushLeft(lines []string) []string {
	least := -1
	for _, line := range lines {
		if n := len(line) - len(strings.TrimLeft(line, " \t")); least < 0 || n < least {
			least = n
		}
	}
	var cut []string
	for _, line := range lines {
		cut = append(cut, strings.TrimRight(line[least:], " "))
	}
	return cut
}

// option is a flag as its help says it.
type option struct {
	short, long, value, fallback, meaning string
}

// options are flags in the order of the help.
func options(flags *pflag.FlagSet) (all []option) {
	flags.VisitAll(func(flag *pflag.Flag) {
		if flag.Hidden || flag.Deprecated != "" {
			return
		}
		value, meaning := pflag.UnquoteUsage(flag)
		o := option{long: flag.Name, value: valueWord(value), meaning: meaning}
		if flag.ShorthandDeprecated == "" {
			o.short = flag.Shorthand
		}
		if !isZero(flag.DefValue) {
			o.fallback = flag.DefValue
		}
		all = append(all, o)
	})
	return all
}

// valueWord is a word for a flag's values: the values of a repeatable flag are of the same kind.
func valueWord(kind string) string {
	switch kind {
	case "strings":
		return "string"
	case "uint", "uint64", "int64":
		return "int"
	}
	return strings.TrimSuffix(strings.TrimSuffix(kind, "Array"), "Slice")
}

// isZero tells whether a default is the value that a reader expects without any documentation.
func isZero(text string) bool {
	switch text {
	case "", "false", "0", "0s", "[]", "<nil>":
		return true
	}
	return false
}

// flags are the flags of a command alone, and the flags that it shares with the commands below it. All but --help,
// which each has.
func flags(command *cobra.Command) (own, shared []option) {
	command.InitDefaultVersionFlag()
	for _, o := range options(command.NonInheritedFlags()) {
		switch {
		case o.long == "help":
		case command.HasAvailableSubCommands() && command.PersistentFlags().Lookup(o.long) != nil:
			shared = append(shared, o)
		default:
			own = append(own, o)
		}
	}
	return own, shared
}

// usage is how a command is written.
func usage(command *cobra.Command) string {
	switch {
	case command.HasAvailableSubCommands() && !command.Runnable():
		return command.CommandPath() + " COMMAND"
	case command.HasAvailableSubCommands() && !strings.Contains(command.Use, " "):
		return command.CommandPath() + " [COMMAND]"
	}
	return command.UseLine()
}

// examples are the lines of a command's examples.
func examples(command *cobra.Command) string {
	if command.Example == "" {
		return ""
	}
	return strings.Join(flushLeft(strings.Split(strings.Trim(command.Example, "\n"), "\n")), "\n")
}
