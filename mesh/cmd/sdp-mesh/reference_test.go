package main

import (
	"testing"

	"github.com/spf13/cobra"

	"github.com/serial-data-protocol/sdp/compiler/manual"
	"github.com/serial-data-protocol/sdp/tools/reference/page"
)

func TestPageOfCommandsIsThatOfTheHelp(t *testing.T) {
	// Defaults are of the machine and its user.
	root := newRoot()
	for _, command := range root.Commands() {
		for name, value := range map[string]string{
			"name": "the host's name", "data": "/var/lib/sdp-mesh", "socket": "/run/sdp-mesh/node.sock", "node": "mxp+unix:///run/sdp-mesh/node.sock",
		} {
			if flag := command.Flags().Lookup(name); flag != nil && flag.DefValue != "" {
				flag.DefValue = value
			}
		}
	}
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
