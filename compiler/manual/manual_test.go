package manual_test

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/serial-data-protocol/sdp/compiler/manual"
)

// program has a command below a command, a hidden one, and texts that are no Markdown.
func program() manual.Program {
	exits := []manual.Exit{{Code: "0", Meaning: "fine"}, {Code: "128 + N", Meaning: "a signal | none"}}
	run := func(*cobra.Command, []string) {}
	root := &cobra.Command{Use: "tool", Short: "Works", Long: manual.Long("Work with a_b files,\nand <others>.", exits)}
	root.PersistentFlags().StringArrayP("include", "I", nil, "look here (may be repeated)")
	child := &cobra.Command{
		Use: "make FILE...", Short: "Make [All]", Run: run,
		Long:    "Make files:\n\n  a.toml   one\n  b        two\n\nSee --deep (and 'sdp gen').\n.hidden begins a line.\n\n.it does not end a page's \\n.",
		Example: "  tool make a\n    tool make b",
	}
	child.Flags().Int("deep", 3, "how deep")
	child.Flags().Bool("old", false, "nothing")
	_ = child.Flags().MarkHidden("old")
	hidden := &cobra.Command{Use: "secret", Short: "Hide", Run: run, Hidden: true}
	root.AddCommand(child, hidden)
	return manual.Program{Root: root, Product: "tool 1.2", Exits: exits}
}

func TestPartOfAPageHasAllOfAProgram(t *testing.T) {
	want := strings.ReplaceAll(`## The program tool

'''
tool COMMAND
'''

Work with '''a_b''' files, and \<others>.

Its commands have these flags, too:

| flag | value | |
|---|---|---|
| '--include', '-I' | 'string' | look here (may be repeated) |

| command | |
|---|---|
| ['tool make'](#tool-make) | Make \[All\] |

| exit code | |
|---|---|
| 0 | fine |
| 128 + N | a signal \| none |

### tool make

'''
tool make FILE... [flags]
'''

Make files:

'''
a.toml   one
b        two
'''

See '--deep' (and 'sdp gen'). .hidden begins a line.

.it does not end a page"s \\n.

| flag | value | |
|---|---|---|
| '--deep' | 'int' | how deep (default '3') |

'''
tool make a
  tool make b
'''
`, "'", "`")
	want = strings.NewReplacer("```a_b```", "`a_b`", `page"s`, "page's").Replace(want)
	if got := program().Markdown(); got != want {
		t.Errorf("the part is\n%s\nand not\n%s", got, want)
	}
}

func TestManPagesEscapeWhatIsText(t *testing.T) {
	const want = `.TH TOOL\-MAKE 1 "" "tool 1.2" "SDP's commands"
.nh
.ad l
.SH NAME
tool\-make \- Make [All]
.SH SYNOPSIS
.B tool make
FILE... [flags]
.SH DESCRIPTION
Make files:
.PP
.RS 4
.nf
a.toml   one
b        two
.fi
.RE
.PP
See \-\-deep (and \(aqsdp gen\(aq). .hidden begins a line.
.PP
\&.it does not end a page\(aqs \en.
.SH OPTIONS
.TP
\fB\-\-deep\fR \fIint\fR
how deep (default 3)
.TP
\fB\-h\fR, \fB\-\-help\fR
help for make
.SH OPTIONS OF ALL COMMANDS
.TP
\fB\-I\fR, \fB\-\-include\fR \fIstring\fR
look here (may be repeated)
.SH EXAMPLES
.RS 4
.nf
tool make a
  tool make b
.fi
.RE
.SH EXIT STATUS
.TP
0
fine
.TP
128 + N
a signal | none
.SH SEE ALSO
.BR tool (1)
`
	pages := program().Pages()
	if len(pages) != 2 || pages[0].File != "tool.1" || pages[1].File != "tool-make.1" {
		t.Fatalf("the pages are %v", pages)
	}
	if pages[1].Text != want {
		t.Errorf("the page is\n%s\nand not\n%s", pages[1].Text, want)
	}
	if !strings.Contains(pages[0].Text, ".SH COMMANDS\n.TP\n.BR tool\\-make (1)\n") {
		t.Errorf("the program's page is\n%s", pages[0].Text)
	}
}
