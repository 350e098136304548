// sdp-mesh runs a node of a mesh, and asks one how it is.
package main

import (
	"fmt"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is that of the module that was built, if it has one.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

func main() {
	root := &cobra.Command{
		Use: "sdp-mesh", Short: "A node of a mesh: programs find each other, and hear each other's events",
		SilenceUsage: true, SilenceErrors: true, Version: version(),
	}
	root.AddCommand(up(), status(), agents(), events(), drain(), authorities())
	if err := root.Execute(); err != nil {
		fmt.Fprintln(os.Stderr, "sdp-mesh: "+err.Error())
		os.Exit(1)
	}
}
