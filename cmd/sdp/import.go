package main

import (
	"github.com/spf13/cobra"

	"github.com/serial-data-protocol/sdp/compiler/driver"
)

func newImport(tool *driver.Tool) *cobra.Command {
	command := &cobra.Command{
		Use:   "import",
		Short: "Import schemas of other languages",
		Long: `Make schemas of schemas in another language, and keep them in step with it: a further
import appends what is new.`,
		Example: `  sdp import proto -I protos protos/shop --out schemas`,
		Args:    noCommand,
		RunE:    func(command *cobra.Command, _ []string) error { return command.Help() },
	}
	command.AddCommand(newImportProto(tool))
	return command
}

func newImportProto(tool *driver.Tool) *cobra.Command {
	var options driver.ImportProtoOptions
	command := &cobra.Command{
		Use:   "proto PROTO... --out DIR",
		Short: "Make schemas of .proto files of Protocol Buffers",
		Long: `Make schemas of .proto files: of the named files, of the files in named folders, and of
the files whose types they use. They import each other from the folders of -I, else from
the working folder, or the folder that is named.

A schema that is there already stays as it is, edits by hand too. Fields that the .proto
has besides are appended as a segment; fields that it lacks are deprecated, never taken
away. The numbers of the .proto stand in @x.proto(n), by which the next import knows
them. A construct that can't be held is named with its file and line; 'sdp explain CODE'
tells more. Groups, extensions and message sets are refused, unless --leave-out is given.

With --bridge go=DIR there is Go code besides. It converts values of protoc-gen-go's types
to the types of 'sdp gen', and back, and lets one handler serve gRPC and MXP. The config
file says in its [[output]] of Go where the types are.

With --verify payloads are carried over and back by the schemas that were made, and
compared. It tells their bytes before and after.`,
		Example: `  sdp import proto -I protos protos/shop/order.proto --out schemas
  sdp import proto protos --out schemas --check
  sdp import proto protos --out schemas --bridge go=internal/bridge
  sdp import proto protos --out schemas --verify order.binpb --message shop.Order`,
		Args: arguments(1, -1, "any number of .proto files or folders"),
		RunE: func(_ *cobra.Command, args []string) error {
			if options.Out == "" {
				return &driver.UsageError{Message: "--out is missing", Help: "it is the folder that the schemas go into"}
			}
			options.Protos = args
			return tool.ImportProto(options)
		},
	}
	flags := command.Flags()
	flags.StringVarP(&options.Out, "out", "o", "", "the folder that the schemas go into")
	flags.StringSliceVar(&options.Bytes, "bytes", nil, "take strings that may be no UTF-8 as bytes, by the full names of fields, messages or packages")
	flags.BoolVar(&options.LeaveOut, "leave-out", false, "leave out what can't be held, instead of refusing it")
	flags.BoolVar(&options.Check, "check", false, "write nothing; exit 1 if a schema would change")
	flags.StringVar(&options.Bridge, "bridge", "", "make code that converts values, as LANGUAGE=DIR: go")
	flags.StringArrayVar(&options.Verify, "verify", nil, "carry the payloads of this file over and back, and compare (may be repeated)")
	flags.StringVar(&options.Message, "message", "", "the full name of the payloads' message")
	flags.BoolVar(&options.Delimited, "delimited", false, "a file has any number of payloads, each behind its length")
	return command
}
