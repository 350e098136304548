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
		Long: `Make test vectors for the named schemas, or for the schemas of the config file. They are
for authors of codecs, and for tests of generated code and of programs that decode.

A vector is bytes and what every implementation makes of them: the value as canonical
JSON and its encoding, or a refusal's name, offset and path. Values have the ends of all
ranges, lengths of none, one and the most, each alternative, and missing or unknown
parts; refusals are made by damaging accepted bytes, item by item. The command prints
what no vector reaches. The same schema, seed and count give the same vectors.

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
	flags.StringVar(&options.Type, "type", "", "make vectors of this type alone")
	flags.IntVar(&options.Count, "count", 8, "how many values at random each type gets beside its chosen values")
	flags.Uint64Var(&options.Seed, "seed", 1, "what the values at random come from")
	completeWords(command, "as", forms)
	return command
}
