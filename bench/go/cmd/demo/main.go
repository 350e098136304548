// Command demo takes a plugin registry from JSON through generated Go types
// into SDP bytes and back, in byte mode and in message mode, sets sizes and times
// beside encoding/json and protobuf-go, and hands the bytes to Rust, C++ and Python, and
// back.
//
// It is in the module of the benchmarks because that is the only one that
// depends on Protobuf. Its times are a first impression; the benchmarks measure
// with more care.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/serial-data-protocol/sdp/examples/registry/compact"
	"github.com/serial-data-protocol/sdp/examples/registry/plugins"
	sdp "github.com/serial-data-protocol/sdp/runtime/go"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("demo: ")
	input := flag.String("input", "../../examples/registry/lv2-62.json", "a plugin registry, as JSON")
	flag.Parse()
	if err := demonstrate(*input); err != nil {
		log.Fatal(err)
	}
}

// demonstrate builds the programs in other languages, and runs.
func demonstrate(input string) error {
	dir, err := os.MkdirTemp("", "sdp-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	others, err := counterparts(dir)
	if err != nil {
		return err
	}
	return run(os.Stdout, input, others)
}

func run(out io.Writer, input string, others []counterpart) error {
	text, err := os.ReadFile(input)
	if err != nil {
		return err
	}
	registry := new(plugins.PluginRegistry)
	if err := registry.UnmarshalJSON(text); err != nil {
		return fmt.Errorf("%s is no PluginRegistry: %w", input, err)
	}
	parameters := 0
	for _, p := range registry.Plugins {
		parameters += len(p.Parameters)
	}
	fmt.Fprintf(out, "%s\n  %s plugins with %s parameters, %s bytes of JSON\n\n",
		input, grouped(len(registry.Plugins)), grouped(parameters), grouped(len(text)))

	if err := roundTrips(out, registry); err != nil {
		return err
	}
	table, err := contestants(registry)
	if err != nil {
		return err
	}
	if err := writeTable(out, table); err != nil {
		return err
	}
	if err := sizes(out, table, registry); err != nil {
		return err
	}
	return through(others, out, registry)
}

// roundTrips proves that nothing is lost on any way there and back. The last
// comparison is of JSON text, which would show what Equal overlooked.
func roundTrips(out io.Writer, registry *plugins.PluginRegistry) error {
	bytes, err := plugins.EncodePluginRegistry(registry)
	if err != nil {
		return err
	}
	decoded := new(plugins.PluginRegistry)
	if err := plugins.DecodePluginRegistry(decoded, bytes); err != nil {
		return err
	}
	message, err := plugins.EncodePluginRegistryMessage(registry)
	if err != nil {
		return err
	}
	typed, err := plugins.DecodePluginRegistryMessage(message)
	if err != nil {
		return err
	}
	anything, err := plugins.DecodeMessage(message)
	if err != nil {
		return err
	}
	dispatched, isRegistry := anything.(*plugins.PluginRegistry)
	if !isRegistry {
		return fmt.Errorf("the message was taken for a %T", anything)
	}
	want, err := registry.AppendJSON(nil)
	if err != nil {
		return err
	}
	for _, way := range []struct {
		name string
		got  *plugins.PluginRegistry
	}{
		{"JSON → Go → byte mode → Go → JSON", decoded},
		{"JSON → Go → message mode → Go → JSON", typed},
		{"the same, the type found by its id", dispatched},
	} {
		got, err := way.got.AppendJSON(nil)
		if err != nil {
			return err
		}
		if !registry.Equal(way.got) || string(got) != string(want) {
			return fmt.Errorf("%s: what comes back differs", way.name)
		}
		fmt.Fprintf(out, "  %-40s equal\n", way.name)
	}
	fmt.Fprintln(out)
	return nil
}

// sizes sets the variant with lengths of one byte beside Protobuf's varints.
func sizes(out io.Writer, table []contestant, registry *plugins.PluginRegistry) error {
	text, err := registry.AppendJSON(nil)
	if err != nil {
		return err
	}
	var short compact.PluginRegistry
	if err := short.UnmarshalJSON(text); err != nil {
		return err
	}
	bytes, err := compact.EncodePluginRegistry(&short)
	if errors.Is(err, sdp.ErrValueTooLarge) {
		fmt.Fprintf(out, "with @len(u8) str it can't be written: %v\n", err)
		return nil
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "with @len(u8) str (compact.sdp): %s bytes; Protobuf: %s\n",
		grouped(len(bytes)), grouped(table[len(table)-1].bytes))
	return nil
}
