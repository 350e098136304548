package main

import (
	"testing"

	"github.com/spf13/cobra"

	"github.com/serial-data-protocol/sdp/compiler/manual"
	"github.com/serial-data-protocol/sdp/tools/reference/page"
)

func TestPageOfCommandsIsThatOfTheHelp(t *testing.T) {
	// Defaults are of the machine and its user.
	t.Setenv("MXP_MESH", "")
	t.Setenv("XDG_RUNTIME_DIR", "")
	root := newRoot()
	node, _, err := root.Find([]string{"up"})
	if err != nil {
		t.Fatal(err)
	}
	node.Flags().Lookup("name").DefValue = "the host's name"
	node.Flags().Lookup("data").DefValue = "/var/lib/sdp-mesh"
	page.Compare(t, "../../../docs/cli.md", manual.Program{Root: root, Exits: exits})
}

func TestEveryCommandHasHelpWithAnExample(t *testing.T) {
	var visit func(command *cobra.Command)
	visit = func(command *cobra.Command) {
		if command.Short == "" || command.Example == "" {
			t.Errorf("`%s` has no short text or no example", command.CommandPath())
		}
		for _, child := range command.Commands() {
			visit(child)
		}
	}
	visit(newRoot())
}
