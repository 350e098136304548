package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"
)

// meshProgram is the node of a mesh, a program of its own.
const meshProgram = "sdp-mesh"

// errNoMesh is what `sdp mesh` says where the program is missing.
var errNoMesh = errors.New("`sdp mesh` runs the program " + meshProgram + ", which is neither beside sdp nor on PATH; " +
	"`go build -o DIR ./cmd/" + meshProgram + "` in the folder mesh of SDP's sources makes it")

func newMesh() *cobra.Command {
	return &cobra.Command{
		Use:   "mesh [ARGUMENT]…",
		Short: "Run a node of a mesh, and ask it: the program " + meshProgram,
		Long: `Run ` + meshProgram + ` with the arguments as they are. It is looked up beside sdp, and
then on PATH. All that follows is its own: its flags, its output and its exit code.`,
		Example: `  sdp mesh --help
  sdp mesh up --data ~/mesh
  sdp mesh agents --capability mix`,
		DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			program, err := findMesh()
			if err != nil {
				return err
			}
			return become(program, args)
		},
	}
}

// findMesh is where the program is.
func findMesh() (string, error) {
	name := meshProgram
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if own, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(own), name)
		if found, err := exec.LookPath(beside); err == nil {
			return found, nil
		}
	}
	found, err := exec.LookPath(name)
	if err != nil {
		return "", errNoMesh
	}
	return found, nil
}
