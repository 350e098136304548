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
		Long:    "Make files:\n\n  a.toml   one\n  b        two\n\nSee --deep (and 'sdp gen').\n.hidden begins a line.",
		Example: "  tool make a\n    tool make b",
	}
	child.Flags().Int("deep", 3, "how deep")
	child.Flags().Bool("old", false, "nothing")
	_ = child.Flags().MarkHidden("old")
	hidden := &cobra.Command{Use: "secret", Short: "Hide", Run: run, Hidden: true}
	root.AddCommand(child, hidden)
	return manual.Program{Root: root, Exits: exits}
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

| flag | value | |
|---|---|---|
| '--deep' | 'int' | how deep (default '3') |

'''
tool make a
  tool make b
'''
`, "'", "`")
	want = strings.NewReplacer("```a_b```", "`a_b`").Replace(want)
	if got := program().Markdown(); got != want {
		t.Errorf("the part is\n%s\nand not\n%s", got, want)
	}
}
