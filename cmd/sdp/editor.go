package main

import (
	"github.com/spf13/cobra"

	"github.com/serial-data-protocol/sdp/compiler/driver"
	"github.com/serial-data-protocol/sdp/compiler/lsp"
)

func newLSP(tool *driver.Tool) *cobra.Command {
	command := &cobra.Command{
		Use:   "lsp",
		Short: "Serve an editor: problems while you type, and all that it asks about schemas",
		Long: `Serve one editor by the Language Server Protocol, on the standard input and output.

The editor starts it; docs/editors.md says how each does. A schema is checked in the
project of the nearest ` + driver.ConfigName + ` that names it, else by itself; --config and -I are
as for the other commands.`,
		Example: `  sdp lsp        # the command that an editor is told`,
		Args:    arguments(0, 0, "no arguments"),
		RunE:    func(*cobra.Command, []string) error { return lsp.Serve(tool) },
	}
	// Clients written in JavaScript say it to every server.
	command.Flags().Bool("stdio", true, "speak on the standard input and output, as always")
	command.Flags().Lookup("stdio").Hidden = true
	return command
}
