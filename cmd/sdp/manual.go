package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/serial-data-protocol/sdp/compiler/driver"
	"github.com/serial-data-protocol/sdp/compiler/manual"
)

// manual is the tool as its manual describes it.
func (r *root) manual() manual.Program {
	return manual.Program{Root: r.command, Product: "sdp " + driver.Version, Exits: exitTable}
}

// addMan puts the command that writes man pages below help, which the CLI library makes.
func (r *root) addMan() {
	all := r.command.Commands()
	help := all[slices.IndexFunc(all, func(command *cobra.Command) bool { return command.Name() == "help" })]
	man := &cobra.Command{
		Use:   "man DIR",
		Short: "Write a man page for each command",
		Long: `Write man pages into a folder, which is made if it is not there: sdp.1, and one for each
command, as sdp-gen.1. They have the texts of --help. The archives and the packages for Linux
have them in share/man/man1.`,
		Example: `  sdp help man ~/.local/share/man/man1 && man sdp-gen`,
		Args:    arguments(1, 1, "one folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			return r.manual().Write(args[0])
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	r.noteRun(man)
	help.AddCommand(man)
}
