// Command protoc makes Go code of .proto files as protoc does with protoc-gen-go and other
// plugins, for tests and benchmarks that are to need neither.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/serial-data-protocol/sdp/conformance/bridge/plugins"
)

func main() {
	folder := flag.String("I", ".", "the folder of the .proto files")
	out := flag.String("out", ".", "the folder that the code goes to")
	module := flag.String("module", "", "the import path of that folder")
	var others []plugins.Plugin
	flag.Func("plugin", "TOOL[:PARAMETER], a further plugin, which is a tool of the module in the working folder; can be repeated", func(text string) error {
		tool, parameter, _ := strings.Cut(text, ":")
		program, err := exec.Command("go", "tool", "-n", tool).Output()
		if err != nil {
			return fmt.Errorf("go tool -n %s: %w", tool, err)
		}
		others = append(others, plugins.Plugin{Program: strings.TrimSpace(string(program)), Parameter: parameter})
		return nil
	})
	flag.Parse()
	if err := plugins.Generate([]string{*folder}, flag.Args(), *out, *module, others...); err != nil {
		fmt.Fprintln(os.Stderr, "protoc:", err)
		os.Exit(1)
	}
}
