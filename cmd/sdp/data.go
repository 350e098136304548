package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/serial-data-protocol/sdp/compiler/driver"
)

// The commands on data.

func newConvert(tool *driver.Tool) *cobra.Command {
	var options driver.ConvertOptions
	var from, to string
	forms := driver.DataForms()
	command := &cobra.Command{
		Use:   "convert SCHEMA TYPE --from FORM --to FORM [IN] [-o OUT]",
		Short: "Convert data between JSON, bytes and messages",
		Long: `Convert values of a type between forms:

  json      one JSON value; with a stream, one value after another
  bytes     byte mode: the encoding of one value and nothing else
  message   message mode: the same after a header with the type's id
  stream    messages one after another

Without IN, or for -, the standard input is read; without -o the standard output
is written. A stream is converted value by value, however long it is. With -o the
output appears only when it is whole.

A stream may have preambles: the layout that its writer's types have, in front of the
messages. Where the schema does not read it, the stream is refused by the name of the
member that differs. --preamble writes one; releases before 0.4 refuse it.

JSON may have members that a message does not have, which a later release may have
added: they are passed over, unless --strict is given. A refusal of JSON has the line and
the column.`,
		Example: `  sdp convert plugins.sdp PluginRegistry --from json --to message < in.json > out.sdpm
  sdp convert plugins.sdp PluginRegistry --from message --to json out.sdpm
  sdp convert plugins.sdp PluginRegistry --from stream --to json all.sdps -o all.jsonl`,
		Args: arguments(2, 3, "a schema, a type and at most one input"),
		RunE: func(_ *cobra.Command, args []string) error {
			for flag, value := range map[string]string{"--from": from, "--to": to} {
				if value == "" {
					return &driver.UsageError{Message: flag + " is missing", Help: "it is " + strings.Join(forms, ", ")}
				}
				if err := oneOf(flag, value, forms); err != nil {
					return err
				}
			}
			if options.Strict && from != string(driver.FormJSON) {
				return &driver.UsageError{Message: "--strict is for JSON, and --from is " + from, Help: "leave --strict out"}
			}
			options.Schema, options.Type, options.In = args[0], args[1], append(args, "-")[2]
			options.From, options.To = driver.DataForm(from), driver.DataForm(to)
			return tool.Convert(options)
		},
		ValidArgsFunction: completeData(tool),
	}
	flags := command.Flags()
	flags.StringVar(&from, "from", "", "the form of the input: "+strings.Join(forms, ", "))
	flags.StringVar(&to, "to", "", "the form of the output: the same")
	flags.StringVarP(&options.Out, "output", "o", "-", "write this file; - is the standard output")
	flags.BoolVar(&options.Preamble, "preamble", false, "write the type's layout in front of a stream, which readers hold against theirs")
	flags.BoolVar(&options.Strict, "strict", false, "refuse members of JSON that a message does not have")
	completeWords(command, "from", forms)
	completeWords(command, "to", forms)
	return command
}

func newInspect(tool *driver.Tool) *cobra.Command {
	var options driver.InspectOptions
	command := &cobra.Command{
		Use:   "inspect SCHEMA [TYPE] FILE",
		Short: "Show bytes with the fields they belong to",
		Long: `Show the bytes of a file, each line with its offset, the bytes, the field and the
value. FILE is - for the standard input. Messages, and streams of them, are
recognized by their header, which also tells the type; the bytes of byte mode need
the type's name. A capture of 'sdp tap --write' is shown frame by frame, with values
by the schema's services.

Damaged input is shown up to the damage, then the refusal; the exit code is 1.

With --json each row is an object in a line of its own: offset, hex, path and value,
with missing for fields of a segment that is not there; text for lines between values,
and refusal for what ends one.`,
		Example: `  sdp inspect plugins.sdp registry.sdpm | head
  sdp inspect plugins.sdp PluginRegistry registry.bin
  head -c 5000 registry.sdpm | sdp inspect plugins.sdp -
  sdp inspect plugins.sdp calls.cap`,
		Args: arguments(2, 3, "a schema, perhaps a type, and a file"),
		RunE: func(_ *cobra.Command, args []string) error {
			options.Schema, options.In = args[0], args[len(args)-1]
			if len(args) == 3 {
				options.Type = args[1]
			}
			return tool.Inspect(options)
		},
		ValidArgsFunction: completeData(tool),
	}
	command.Flags().BoolVar(&options.JSON, "json", false, "write each row as an object of JSON")
	return command
}

func newVersion(tool *driver.Tool) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: `  sdp version`,
		Args:    arguments(0, 0, "no argument"),
		RunE:    func(*cobra.Command, []string) error { return tool.PrintVersion() },
	}
}

// giveCompletionExamples adds what the CLI library's own completion command
// lacks.
func giveCompletionExamples(root *cobra.Command) {
	for _, command := range root.Commands() {
		if command.Name() != "completion" && command.Name() != "help" {
			continue
		}
		command.Example = map[string]string{
			"completion": "  source <(sdp completion bash)\n  sdp completion zsh > \"${fpath[1]}/_sdp\"",
			"help":       "  sdp help gen",
		}[command.Name()]
		for _, shell := range command.Commands() {
			shell.Example = "  sdp completion " + shell.Name()
		}
	}
}
