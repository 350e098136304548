package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"
)

// program is a command that is a program of its own, which needs libraries that the tool
// does not.
type program struct {
	command string
	// module is the folder of its sources.
	module string
	short  string
	use    string
	// example has one command for each line.
	example string
}

// name is that of the program.
func (p program) name() string { return "sdp-" + p.command }

func newMesh() *cobra.Command {
	return program{
		command: "mesh", module: "mesh",
		use:   "mesh [ARGUMENT]…",
		short: "Run a node of a mesh, and ask it",
		example: `  sdp mesh --help
  sdp mesh up --data ~/mesh
  sdp mesh agents --capability mix`,
	}.cobra()
}

func newMCP() *cobra.Command {
	return program{
		command: "mcp", module: "mcp",
		use:   "mcp ADDRESS [ARGUMENT]…",
		short: "Offer a service's methods to agents as tools",
		example: `  sdp mcp --help
  sdp mcp ADDRESS --schema host.sdp --only PluginHost/list`,
	}.cobra()
}

// cobra is the command, which becomes the program.
func (p program) cobra() *cobra.Command {
	return &cobra.Command{
		Use:   p.use,
		Short: p.short + ": the program " + p.name(),
		Long: `Run ` + p.name() + ` with the arguments as they are. It is looked up beside sdp, and
then on PATH. All that follows is its own: its flags, its output and its exit code.`,
		Example:            p.example,
		DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			file, err := p.find()
			if err != nil {
				return err
			}
			return become(file, args)
		},
	}
}

// find is where the program is.
func (p program) find() (string, error) {
	name := p.name()
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
		return "", fmt.Errorf("`sdp %s` runs the program %s, which is neither beside sdp nor on PATH; "+
			"`go build -o DIR ./cmd/%s` in the folder %s of SDP's sources makes it", p.command, p.name(), p.name(), p.module)
	}
	return found, nil
}
