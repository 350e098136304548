package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/serial-data-protocol/sdp/compiler/driver"
)

// The commands on schemas.

const anySchemas = "any number of schema files or folders"

func newGen(tool *driver.Tool) *cobra.Command {
	options := driver.GenOptions{Options: map[string]string{}}
	helps, examples := tool.LanguageHelp()
	command := &cobra.Command{
		Use:   "gen [SCHEMA...]",
		Short: "Generate code",
		Long: `Generate code for the named schemas, or for the schemas of the config file.

Languages and folders come from --out, or from the [[output]] tables of the config file.
Nothing is written if a schema has an error, and a file that would not change is
not touched. Files that sdp made of the same schemas earlier and makes no more, since a
form or services are not asked for, are removed; --check names them. Where the config file
says all, files of schemas that are gone are removed, too.

` + strings.Join(helps, "\n\n") + `

Each output says which parts its code has. Without a word types have the owned form, and
JSON. --forms names others, --json=false leaves JSON out, and --serde adds what Rust's
serde needs. A flag is for all outputs whose language has the option; with a language
before it, as in --rust-forms, it is for that one alone.

With --services there is one file more for each package that has services: a client and
a server of each, over MXP. That file needs the MXP library of its language; a project
that does not depend on it is told what to add.

With --tests there are tests of the code beside it, with fuzz targets, and the vectors
that they run: see 'sdp vectors'.

Where LANGUAGE is none of these, the program sdp-gen-LANGUAGE makes the code, which is
looked for on PATH, or is named by --plugin: docs/plugins.md tells how one is written. It
runs with your rights, as any program that you start.`,
		Example: `  sdp gen                                  # as sdp.toml says
  sdp gen plugins.sdp --out go=internal/gen
  ` + strings.Join(examples, "\n  ") + `
  sdp gen plugins.sdp --out lua=lua --plugin lua=./sdp-gen-lua --option lua:module=host
  sdp gen --watch`,
		Args: arguments(0, -1, anySchemas),
		RunE: func(_ *cobra.Command, args []string) error {
			options.Schemas = args
			return tool.Gen(options)
		},
		ValidArgsFunction: completeSchemas,
	}
	flags := command.Flags()
	flags.StringArrayVarP(&options.Out, "out", "o", nil, "generate a language into a folder, as LANGUAGE=DIR (may be repeated): "+strings.Join(tool.LanguageNames(), ", "))
	for _, f := range tool.OptionFlags() {
		flags.Var(outputOption{options.Options, f}, f.Name, f.Usage)
		flag := flags.Lookup(f.Name)
		if flag.Hidden = f.Hidden; f.Switch {
			flag.NoOptDefVal = "true"
		}
	}
	plugins := &options.Plugins
	flags.StringArrayVar(&plugins.Programs, "plugin", nil, "run this program for a language that sdp does not have, as NAME=PATH (may be repeated)")
	flags.StringArrayVar(&plugins.Options, "option", nil, "give a plugin an option of its own, as NAME:OPTION=VALUE (may be repeated)")
	flags.DurationVar(&plugins.Timeout, "plugin-timeout", 0, "how long a plugin may take (default "+driver.PluginTimeout.String()+")")
	flags.Int64Var(&plugins.MaxMiB, "plugin-max-mib", 0, "how many MiB a plugin may answer (default "+strconv.FormatInt(driver.PluginMaxMiB, 10)+")")
	flags.BoolVarP(&options.Watch, "watch", "w", false, "stay, and generate again whenever a schema changes")
	flags.BoolVar(&options.Check, "check", false, "write nothing; exit 1 if a file is not up to date, or is made no more")
	flags.StringVar(&options.Deps, "deps", "", "also write a rule of make to this file: what was made of which schemas")
	command.MarkFlagsMutuallyExclusive("watch", "check")
	command.MarkFlagsMutuallyExclusive("deps", "check")
	return command
}

// outputOption is the value of a flag for an option of outputs.
type outputOption struct {
	options map[string]string
	flag    driver.OptionFlag
}

func (o outputOption) String() string { return o.options[o.flag.Name] }

func (o outputOption) Type() string {
	if o.flag.Switch {
		return "bool"
	}
	return "string"
}

// Set takes the value from the command line.
func (o outputOption) Set(value string) error {
	if o.flag.Switch {
		on, err := strconv.ParseBool(value)
		if err != nil {
			return err
		}
		value = strconv.FormatBool(on)
	}
	o.options[o.flag.Name] = value
	return nil
}

func newFmt(tool *driver.Tool) *cobra.Command {
	var options driver.FormatOptions
	command := &cobra.Command{
		Use:   "fmt [SCHEMA...]",
		Short: "Format schemas",
		Long: `Format schemas in the one canonical way, and keep every comment.

Without a flag the formatted text of the named files goes to the standard output;
without a name, or for -, the standard input is formatted. With --write or --check
and no name, the schemas of the config file are meant.`,
		Example: `  sdp fmt -w plugins.sdp
  sdp fmt --check                # shows what would change; exit 1 if anything would
  sdp fmt < plugins.sdp`,
		Args: arguments(0, -1, anySchemas),
		RunE: func(_ *cobra.Command, args []string) error {
			options.Schemas = args
			return tool.Fmt(options)
		},
		ValidArgsFunction: completeSchemas,
	}
	command.Flags().BoolVarP(&options.Write, "write", "w", false, "write the formatted text back to the files")
	command.Flags().BoolVarP(&options.Check, "check", "c", false, "show what would change as a diff; exit 1 if anything would")
	command.MarkFlagsMutuallyExclusive("write", "check")
	return command
}

func newCheck(tool *driver.Tool) *cobra.Command {
	var options driver.CheckOptions
	command := &cobra.Command{
		Use:   "check [SCHEMA...]",
		Short: "Find errors in schemas, and give advice",
		Long: `Find every error in schemas, and give advice about valid schemas.

Advice is a warning and leaves the exit code 0, unless --strict is given. A schema
waives advice with a reason; 'sdp explain CODE' shows how.`,
		Example: `  sdp check
  sdp check plugins.sdp --fix
  sdp check --format github      # in a workflow: shown at the lines of a change`,
		Args: arguments(0, -1, anySchemas),
		RunE: func(_ *cobra.Command, args []string) error {
			options.Schemas = args
			return tool.Check(options)
		},
		ValidArgsFunction: completeSchemas,
	}
	flags := command.Flags()
	flags.BoolVar(&options.Fix, "fix", false, "solve what can be solved mechanically, in the files")
	flags.BoolVar(&options.Strict, "strict", false, "exit 1 for advice too")
	flags.StringSliceVar(&options.Enable, "enable", nil, "give this advice too, by its codes")
	flags.StringSliceVar(&options.Disable, "disable", nil, "do not give this advice, by its codes")
	return command
}

func newBreaking(tool *driver.Tool) *cobra.Command {
	var options driver.BreakingOptions
	command := &cobra.Command{
		Use:   "breaking [SCHEMA...] --against FILE|DIR|git:REV",
		Short: "Say what a change of schemas breaks",
		Long: `Compare schemas with an older state of them, and say for each change whether
old readers can read new bytes, new readers old bytes, and whether source code and
JSON stay as they were. Exit 1 if anything breaks that counts.

The flag --for names what counts, or 'for' in the table [breaking] of the config file:

  bytes         both directions; this is the default
  old-readers   programs of the older release read bytes of the newer one
  new-readers   programs of the newer release read bytes of the older one, files say
  json          JSON, in both directions
  source        programs that use the generated code compile as before
` + fmt.Sprintf("  %-13s the same in one language", strings.Join(tool.LanguageNames(), ", ")) + `
  all           everything

All of it is reported; what breaks and does not count is (✗) instead of ✗.`,
		Example: `  sdp breaking --against git:v1
  sdp breaking plugins.sdp --against released/plugins.sdp
  sdp breaking --against git:v1 --for bytes,json,go`,
		Args: arguments(0, -1, anySchemas),
		RunE: func(_ *cobra.Command, args []string) error {
			options.Schemas = args
			return tool.Breaking(options)
		},
		ValidArgsFunction: completeSchemas,
	}
	command.Flags().StringVar(&options.Against, "against", "", "the older state: a file, a folder, or git:REV for the same files in a revision")
	command.Flags().StringSliceVar(&options.For, "for", nil, "what counts: "+strings.Join(tool.BreakingColumns(), ", ")+" (default bytes)")
	completeWords(command, "for", tool.BreakingColumns())
	return command
}

func newIR(tool *driver.Tool) *cobra.Command {
	var options driver.IROptions
	command := &cobra.Command{
		Use:   "ir [SCHEMA...]",
		Short: "Print the resolved schema, or its wire plan, for other tools",
		Long: `Print what the compiler has understood: with --json (the default) the resolved
schema, every name looked up and every constant evaluated, as docs/ir-json.md
describes it; with --plan the steps that encode and decode each type, for people.`,
		Example: `  sdp ir plugins.sdp --json | jq '.packages[].declarations[].name'
  sdp ir plugins.sdp --plan`,
		Args: arguments(0, -1, anySchemas),
		RunE: func(_ *cobra.Command, args []string) error {
			options.Schemas = args
			return tool.IR(options)
		},
		ValidArgsFunction: completeSchemas,
	}
	command.Flags().Bool("json", true, "print the resolved schema as JSON")
	command.Flags().BoolVar(&options.Plan, "plan", false, "print the wire plan instead")
	command.MarkFlagsMutuallyExclusive("json", "plan")
	return command
}

func newDoc(tool *driver.Tool) *cobra.Command {
	var options driver.DocOptions
	command := &cobra.Command{
		Use:   "doc [SCHEMA...] --out FORM=DIR",
		Short: "Make pages about schemas, in HTML or Markdown",
		Long: `Make a page for each package, type and service: comments, where fields lie in the
bytes, an example with what each of its bytes is, names in each language, and who
uses it. Comments are CommonMark; HTML in them is shown as text. HTML has a search
and needs no network.

With --against, pages also have what changed since an older state, as 'sdp breaking'
says it; given several times, the oldest first, from each state to the next one. The
key 'for' in the table [breaking] of the config file says what counts as breaking.

Pages that an earlier run made, and this one does not, are removed. With --check
nothing is written, and files that are not up to date are named; exit 1 if there are
any.`,
		Example: `  sdp doc --out html=target/schemas
  sdp doc plugins.sdp --out html=site --out markdown=docs/schemas
  sdp doc --out html=site --against git:v1 --against git:v2`,
		Args: arguments(0, -1, anySchemas),
		RunE: func(_ *cobra.Command, args []string) error {
			options.Schemas = args
			return tool.Doc(options)
		},
		ValidArgsFunction: completeSchemas,
	}
	flags := command.Flags()
	flags.StringArrayVarP(&options.Out, "out", "o", nil, "FORM=DIR: the pages' form, "+strings.Join(tool.DocForms(), " or ")+", and their folder (may be repeated)")
	flags.StringArrayVar(&options.Against, "against", nil, "an older state: a file, a folder, or git:REV (may be repeated, the oldest first)")
	flags.BoolVar(&options.Check, "check", false, "write nothing; exit 1 if a file is not up to date")
	return command
}

func newExplain(tool *driver.Tool) *cobra.Command {
	return &cobra.Command{
		Use:   "explain [CODE|NAME...]",
		Short: "Tell more about a diagnostic's code or an error's name",
		Long: `Tell the meaning of a diagnostic's code, with an example; or of the name of an error of
generated code or MXP, with its cause and its remedy. Without an argument, list all codes
and names.`,
		Example: `  sdp explain S0203
  sdp explain session_lost
  sdp explain`,
		Args: arguments(0, -1, "any number of codes and names"),
		RunE: func(_ *cobra.Command, args []string) error { return tool.Explain(args) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return tool.CodeTitles(), cobra.ShellCompDirectiveNoFileComp
		},
	}
}

func newInit(tool *driver.Tool) *cobra.Command {
	return &cobra.Command{
		Use:   "init [DIR]",
		Short: "Begin a project: a starter schema and a config file",
		Long: `Write a starter schema and ` + driver.ConfigName + ` into a folder, which is made if it is not
there, and for each language what makes the generated code compile: a go.mod, where
none is found above, and a crate in the folder rust; C++ needs none. No file is
overwritten. Remove from ` + driver.ConfigName + ` what you don't need.`,
		Example: `  sdp init plugins && cd plugins && sdp gen`,
		Args:    arguments(0, 1, "one folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			return tool.Init(append(args, ".")[0])
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
}

// completeSchemas lets the shell offer schema files.
func completeSchemas(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"sdp"}, cobra.ShellCompDirectiveFilterFileExt
}

// completeData offers a schema, then its types, then any file.
func completeData(tool *driver.Tool) cobra.CompletionFunc {
	return func(command *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		switch len(args) {
		case 0:
			return completeSchemas(command, args, toComplete)
		case 1:
			return tool.Types(args[0]), cobra.ShellCompDirectiveDefault
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
}
