// Command registry reads a plugin registry from JSON, encodes it in byte mode
// and in message mode, decodes both, and looks at one through a view.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/serial-data-protocol/sdp/examples/registry/plugins"
)

func main() {
	log.SetFlags(0)
	input := flag.String("input", "examples/registry/lv2-62.json", "the registry, as JSON")
	message := flag.String("message", "", "write the registry in message mode to this file")
	flag.Parse()
	if err := run(os.Stdout, *input, *message); err != nil {
		log.Fatal(err)
	}
}

func run(out io.Writer, input, message string) error {
	text, err := os.ReadFile(input)
	if err != nil {
		return err
	}
	var registry plugins.PluginRegistry
	if err := registry.UnmarshalJSON(text); err != nil {
		return fmt.Errorf("%s: %w", input, err)
	}
	fmt.Fprintf(out, "JSON          %7d bytes, %d plugins\n", len(text), len(registry.Plugins))

	bytes, err := plugins.EncodePluginRegistry(&registry)
	if err != nil {
		return err
	}
	var decoded plugins.PluginRegistry
	if err := plugins.DecodePluginRegistry(&decoded, bytes); err != nil {
		return err
	}
	fmt.Fprintf(out, "byte mode     %7d bytes, equal after decoding: %t\n", len(bytes), registry.Equal(&decoded))

	framed, err := plugins.EncodePluginRegistryMessage(&registry)
	if err != nil {
		return err
	}
	again, err := plugins.DecodePluginRegistryMessage(framed)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "message mode  %7d bytes, equal after decoding: %t\n", len(framed), registry.Equal(again))

	if err := longestList(out, framed); err != nil {
		return err
	}
	if message == "" {
		return nil
	}
	return os.WriteFile(message, framed, 0o644)
}

// longestList finds the plugin with the most parameters without decoding: a
// view is validated once, and then reads fields where they lie.
func longestList(out io.Writer, framed []byte) error {
	view, err := plugins.ViewPluginRegistryMessage(framed)
	if err != nil {
		return err
	}
	var name string
	most := -1
	for plugin := range view.Plugins() {
		if n := plugin.ParametersLen(); n > most {
			name, most = plugin.Name(), n
		}
	}
	fmt.Fprintf(out, "through a view: %s has the most parameters, %d\n", name, most)
	return nil
}
