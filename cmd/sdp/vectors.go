package main

import (
	"github.com/spf13/cobra"

	"github.com/serial-data-protocol/sdp/compiler/driver"
)

func newVectors(tool *driver.Tool) *cobra.Command {
	var options driver.VectorsOptions
	forms := []string{driver.VectorsAsCases, driver.VectorsAsLines}
	command := &cobra.Command{
		Use:   "vectors [SCHEMA...] --out DIR",
		Short: "Make test vectors: bytes that are accepted or refused",
		Long: `Make test vectors for schemas: those named, or those of the config file. They are for
whoever writes a codec, changes generated code, or tests a program that decodes.

A vector is bytes and what every implementation makes of them: the value as canonical
JSON and its encoding, or a refusal's name, offset and path. Values have the ends of all
ranges, lengths of none, one and the most, each alternative, and what is missing or
unknown; refusals are made by damaging accepted bytes, item by item. What no vector
reaches is printed. The same schema, seed and count give the same vectors.

  --as cases   a file of JSON for each, as in the project's conformance suite
  --as lines   one file for each schema, a line for each: request, tab, answer

'sdp gen --tests' makes tests that run them.`,
		Example: `  sdp vectors plugins.sdp --out vectors
  sdp vectors plugins.sdp --type Plugin --count 100 --seed 7 --out vectors
  sdp vectors --as lines --out vectors`,
		Args: arguments(0, -1, anySchemas),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := oneOf("--as", options.Form, forms); err != nil {
				return err
			}
			options.Schemas = args
			return tool.Vectors(options)
		},
		ValidArgsFunction: completeSchemas,
	}
	flags := command.Flags()
	flags.StringVarP(&options.Out, "out", "o", "", "write into this folder")
	flags.StringVar(&options.Form, "as", driver.VectorsAsCases, "how they are written: cases or lines")
	flags.StringVar(&options.Type, "type", "", "write the vectors of this type alone")
	flags.IntVar(&options.Count, "count", 8, "the number of random values of each type, beside the chosen values")
	flags.Uint64Var(&options.Seed, "seed", 1, "what the values at random come from")
	completeWords(command, "as", forms)
	return command
}
