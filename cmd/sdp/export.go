package main

import (
	"github.com/spf13/cobra"

	"github.com/serial-data-protocol/sdp/compiler/driver"
)

func newExport(tool *driver.Tool) *cobra.Command {
	command := &cobra.Command{
		Use:     "export",
		Short:   "Write schemas in other languages",
		Long:    "Write what a schema declares in another language, for the tools of that one.",
		Example: `  sdp export json-schema plugins.sdp --type PluginRegistry`,
		Args:    noCommand,
		RunE:    func(command *cobra.Command, _ []string) error { return command.Help() },
	}
	command.AddCommand(newExportJSONSchema(tool))
	return command
}

func newExportJSONSchema(tool *driver.Tool) *cobra.Command {
	var options driver.ExportJSONSchemaOptions
	command := &cobra.Command{
		Use:   "json-schema [SCHEMA...] [--type TYPE]",
		Short: "Write types as JSON Schema",
		Long: `Write a type as JSON Schema, draft 2020-12: it accepts a text where 'sdp convert' of
the type does, from JSON. The types that it uses stand below $defs; comments are
descriptions.
Without --type it accepts everything, and has all types of the schemas below $defs, for
others to refer to.

JSON Schema has no words for members that are there twice, the bytes of strings, digits
that a validator rounds, and nesting: see docs/json-schema.md.`,
		Example: `  sdp export json-schema plugins.sdp --type PluginRegistry
  sdp export json-schema plugins.sdp --type PluginRegistry --strict -o registry.schema.json`,
		Args: arguments(0, -1, anySchemas),
		RunE: func(_ *cobra.Command, args []string) error {
			options.Schemas = args
			return tool.ExportJSONSchema(options)
		},
		ValidArgsFunction: completeSchemas,
	}
	flags := command.Flags()
	flags.StringVar(&options.Type, "type", "", "the type of the texts that are accepted")
	flags.BoolVar(&options.Strict, "strict", false, "refuse members that a message does not have, as convert --strict does")
	flags.StringVar(&options.ID, "id", "", "the schema's $id (default: urn:sdp: and the type's full name, or that of the packages)")
	flags.StringVarP(&options.Out, "output", "o", "-", "write to this file")
	return command
}
