// sdp-mesh runs a node of a mesh, and asks one how it is.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/serial-data-protocol/sdp/compiler/manual"
	"github.com/serial-data-protocol/sdp/compiler/version"
)

// exits are what `sdp-mesh --help` says of the exit codes.
var exits = []manual.Exit{
	{Code: "0", Meaning: "the work is done"},
	{Code: "1", Meaning: "the command line, a file or the node is at fault"},
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use: "sdp-mesh", Short: "A node of a mesh: programs find each other, and hear each other's events",
		Long: manual.Long(`Run a node of a mesh, by which programs find each other and hear each other's events;
ask a node; and make the certificates of nodes and programs.`, exits),
		Example: `  sdp-mesh up --data ~/mesh --socket /tmp/mesh.sock
  sdp-mesh status --node mxp+unix:///tmp/mesh.sock`,
		SilenceUsage: true, SilenceErrors: true, Version: version.Project,
	}
	root.SetVersionTemplate("sdp-mesh {{.Version}}\n")
	root.AddCommand(up(), status(), agents(), events(), drain(), authorities())
	return root
}

func main() {
	if err := newRoot().Execute(); err != nil {
		fmt.Fprintln(os.Stderr, "sdp-mesh: "+err.Error())
		os.Exit(1)
	}
}
