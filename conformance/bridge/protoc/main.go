// Command protoc makes Go code of .proto files as protoc does with protoc-gen-go and
// protoc-gen-go-grpc, for tests that are to need neither.
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
	flag.Parse()
	plugin, err := exec.Command("go", "tool", "-n", "protoc-gen-go-grpc").Output()
	if err == nil {
		err = plugins.Generate([]string{*folder}, flag.Args(), *out, *module, strings.TrimSpace(string(plugin)))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "protoc:", err)
		os.Exit(1)
	}
}
