package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/serial-data-protocol/sdp/compiler/driver"
)

// The commands on services.

const schemaFlagHelp = "a schema, or a folder of schemas (may be repeated; default: the schemas of " + driver.ConfigName + ")"

func newCall(tool *driver.Tool) *cobra.Command {
	options := driver.CallOptions{Deadline: -1}
	var list, health, asJSON bool
	command := &cobra.Command{
		Use:   "call ADDRESS SERVICE/METHOD [JSON|-]",
		Short: "Call a method of a service",
		Long: `Call a method of a service over MXP, and print what it answers: one line of JSON
for each response, as it comes. The address is
` + driver.AddressForms(false) + `,
or, of agents that the node of a mesh knows, mesh:///NAME, or mesh:///? and one or more of
capability=C, service=S and name=N with & between them.

The service may be named without its package. JSON is the request; where requests
stream it may be several, one after the other. Without it the request is {}, and
requests that stream are read from the standard input, as they are for -.

A request that fails tells its status, its name, its text, and whether the peer may
have acted on it; the exit code is 1. An interrupt cancels the request.

With --list, and with an address, it lists what the peer serves, for which no schema is
needed: methods where the peer serves reflection, else the names of services. With
--health it tells whether a service of the peer's can be asked, or without a service the
peer itself: the exit code is 0 if it serves, and else 1.`,
		Example: `  sdp call ADDRESS PluginHost/list '{"vendor": "Calf"}' --deadline 2s
  sdp call ADDRESS PluginHost/changes < changes.jsonl
  sdp call ADDRESS PluginHost/list --ca ca.pem --metadata key=sesame --trace
  sdp call ADDRESS --list
  sdp call ADDRESS --health host.PluginHost
  sdp call --list                          # of the schema`,
		Args: func(command *cobra.Command, args []string) error {
			switch {
			case list && health:
				return &driver.UsageError{Message: "--list and --health are two questions", Help: "ask one after the other"}
			case list:
				return arguments(0, 1, "at most an address beside --list")(command, args)
			case health:
				return arguments(1, 2, "an address and at most one service beside --health")(command, args)
			case asJSON:
				return &driver.UsageError{Message: "--json is for --list", Help: "what a method answers is JSON already"}
			}
			return arguments(2, 3, "an address, a method and at most one request")(command, args)
		},
		RunE: func(command *cobra.Command, args []string) error {
			if command.Flags().Changed("deadline") && options.Deadline < 0 {
				return &driver.UsageError{Message: "--deadline is below 0", Help: "0 is none"}
			}
			args = append(args, "", "")
			options.Address, options.Method = args[0], args[1]
			switch {
			case list:
				return tool.List(driver.ListOptions{CallOptions: options, JSON: asJSON})
			case health:
				return tool.Health(options, args[1])
			case len(args) == 5:
				options.JSON = &args[2]
			}
			return tool.Call(options)
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 1 {
				return tool.Methods(options.Schemas), cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
	}
	flags := command.Flags()
	flags.StringArrayVarP(&options.Schemas, "schema", "s", nil, schemaFlagHelp)
	flags.DurationVar(&options.Deadline, "deadline", options.Deadline, "how long connecting and the answer may take, such as 500ms or 2s; 0 is for ever")
	flags.Lookup("deadline").DefValue = driver.DefaultDeadline.String() + "; of a stream, none once it is open"
	flags.StringArrayVarP(&options.Metadata, "metadata", "m", nil, "send key=value beside the request (may be repeated)")
	flags.BoolVar(&options.Defaults, "defaults", false, "give fields that the request leaves out zero, or their default")
	flags.BoolVar(&options.Ack, "ack", false, "wait until the peer has taken the event")
	flags.BoolVar(&options.Trace, "trace", false, "begin a trace, and tell its traceparent, what took how long, and the answer's metadata")
	flags.StringVar(&options.CA, "ca", "", "trust the certificates of this PEM file, for "+driver.EncryptingSchemes()+" (default: the system's certificates)")
	flags.StringVar(&options.Cert, "cert", "", "show this certificate to the server, a PEM file, with the certificates between it and its authority; with --key")
	flags.StringVar(&options.Key, "key", "", "the certificate's key, a PEM file")
	flags.BoolVar(&list, "list", false, "list what the peer serves instead, or without an address the methods of the schema")
	flags.BoolVar(&asJSON, "json", false, "list as JSON, with types and their layouts")
	flags.BoolVar(&health, "health", false, "tell whether the peer can be asked, or one of its services")
	return command
}

func newServe(tool *driver.Tool) *cobra.Command {
	var options driver.ServeOptions
	var mock bool
	command := &cobra.Command{
		Use:   "serve ADDRESS --mock",
		Short: "Serve made-up answers",
		Long: `Serve all services of the schema over MXP with answers that are made up, and print a
line for each request. The program ends, after what is in flight, when it is interrupted.
Health and reflection are served beside them, for call --list and call --health. The address
is ` + driver.AddressForms(true) + `.

Answers have the schema's defaults, zeros and empty lists, unless a file says others:

  {
    "PluginHost/list":   {"answer": {"plugins": []}},
    "PluginHost/watch":  {"answers": [{"id": 1}, {"id": 2}]},
    "PluginHost/remove": {"error": {"status": "NotFound", "name": "plugin_unknown", "text": "no such plugin"}}
  }

Where requests and responses stream, each request is answered by the next of the
answers, and after the last by the first; an error comes after the last.`,
		Example: `  sdp serve ADDRESS --mock
  sdp serve ADDRESS --mock --answers answers.json --delay 20ms`,
		Args: arguments(1, 1, "an address"),
		RunE: func(_ *cobra.Command, args []string) error {
			if !mock {
				return &driver.UsageError{Message: "--mock is missing, and nothing but made-up answers can be served", Help: "`sdp gen --services` makes a server to fill in"}
			}
			if options.Delay < 0 {
				return &driver.UsageError{Message: "--delay is below 0"}
			}
			options.Address = args[0]
			return tool.Serve(options)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	flags := command.Flags()
	flags.BoolVar(&mock, "mock", false, "make answers up")
	flags.StringArrayVarP(&options.Schemas, "schema", "s", nil, schemaFlagHelp)
	flags.StringVar(&options.Answers, "answers", "", "answer as this JSON file says")
	flags.DurationVar(&options.Delay, "delay", 0*time.Second, "wait so long before each answer, such as 20ms")
	return command
}

func newTap(tool *driver.Tool) *cobra.Command {
	var options driver.TapOptions
	command := &cobra.Command{
		Use:   "tap LISTEN TARGET",
		Short: "Watch what clients and a server say",
		Long: `Listen at an address, pass on to a server what clients send there, and pass back what it
answers. Print a line for each frame: the time, the connection, → to the server or
← to the client, the frame's type and id, the method, and the value as JSON.

The addresses are ` + driver.AddressForms(true) + `.
Bytes are passed on as they are, even bytes that are no frames; checksums are looked at.
A line is printed before its frame is passed on, so that a program that stops the output
stops the traffic. Without a schema, values are not shown.

With --json a line is an object of JSON. With --write everything is kept in a file,
message by message, which 'sdp inspect SCHEMA FILE' shows byte by byte; with --pcap in one
of packets, for Wireshark and tshark, as if connections of TCP had been captured.`,
		Example: `  sdp tap LISTEN TARGET
  sdp tap LISTEN TARGET --schema plugins.sdp --write calls.cap
  sdp inspect plugins.sdp calls.cap
  sdp tap LISTEN TARGET --json | jq 'select(.type == "Error")'`,
		Args: arguments(2, 2, "an address to listen at and that of the server"),
		RunE: func(_ *cobra.Command, args []string) error {
			options.Listen, options.Target = args[0], args[1]
			return tool.Tap(options)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	flags := command.Flags()
	flags.StringArrayVarP(&options.Schemas, "schema", "s", nil, schemaFlagHelp)
	flags.StringVarP(&options.Write, "write", "w", "", "also keep what passes in this file")
	flags.StringVar(&options.Packets, "pcap", "", "also keep what passes in this file of packets")
	flags.BoolVar(&options.JSON, "json", false, "print a line of JSON for each event")
	return command
}
