// Reference writes docs/cli.md from the help of the programs: their commands with usage, flags, examples and exit codes.
//
//	go run ./tools/reference          writes the parts that changed
//	go run ./tools/reference -check   only says which would change, and exits 1
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// programs are the folders of the programs that the page describes. Each has a test of this name.
var programs = []string{"cmd/sdp", "mesh/cmd/sdp-mesh", "mcp/cmd/sdp-mcp", "conformance/peer/sdp-peer-test"}

const test = "TestPageOfCommandsIsThatOfTheHelp"

func main() {
	root := flag.String("root", ".", "root of the repository")
	check := flag.Bool("check", false, "write nothing; exit 1 if a part is out of date")
	flag.Parse()
	failed := false
	for _, program := range programs {
		command := exec.Command("go", "test", "-count=1", "-run", "^"+test+"$", ".")
		if !*check {
			command.Args = append(command.Args, "-update")
		}
		command.Dir = filepath.Join(*root, filepath.FromSlash(program))
		if out, err := command.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "reference: %s: %v\n%s", program, err, out)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}
