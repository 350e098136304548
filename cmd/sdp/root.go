package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/driver"
	"github.com/serial-data-protocol/sdp/compiler/manual"
)

// root is the command line: the root command and the tool that its flags fill in.
type root struct {
	command *cobra.Command
	tool    *driver.Tool
	out     *standardOutput
	color   string
	format  string
	ran     bool
}

func newRoot(tool *driver.Tool) *root {
	r := &root{tool: tool, out: &standardOutput{to: tool.Out}}
	tool.Out = r.out
	r.command = &cobra.Command{
		Use:   "sdp",
		Short: "Compile schemas, and convert and show the data they describe",
		Long: manual.Long(`sdp compiles .sdp schemas into code, converts and shows the data that they
describe, and calls, serves and watches the services that they declare.`, exitTable),
		Example: `  sdp init plugins && cd plugins && sdp gen
  sdp check plugins.sdp
  sdp convert plugins.sdp PluginRegistry --from json --to message < in.json > out.sdpm`,
		Args:              noCommand,
		RunE:              func(*cobra.Command, []string) error { return r.command.Help() },
		PersistentPreRunE: func(*cobra.Command, []string) error { return r.apply() },
		SilenceErrors:     true,
		SilenceUsage:      true,
	}
	flags := r.command.PersistentFlags()
	flags.StringVar(&r.color, "color", "auto", "colour the output: auto, always or never")
	flags.StringVar(&r.format, "format", "text", "how problems are reported: text, json or github")
	flags.StringArrayVarP(&tool.Include, "include", "I", nil, "look up imports in this folder too (may be repeated)")
	flags.StringVar(&tool.ConfigPath, "config", "", "read this config file (default: "+driver.ConfigName+" here or above)")
	r.command.SetFlagErrorFunc(flagError)
	r.command.SetOut(tool.Out)
	r.command.SetErr(tool.Err)
	r.command.AddCommand(
		newGen(tool), newFmt(tool), newCheck(tool), newBreaking(tool), newIR(tool), newDoc(tool), newVectors(tool), newExplain(tool),
		newConvert(tool), newInspect(tool), newCall(tool), newServe(tool), newTap(tool), newLSP(tool), newImport(tool), newExport(tool), newInit(tool), newMesh(), newMCP(),
		newVersion(tool),
	)
	for _, command := range r.command.Commands() {
		r.noteRun(command)
		for _, sub := range command.Commands() {
			r.noteRun(sub)
		}
	}
	r.command.Version = driver.Version
	r.command.SetVersionTemplate("sdp {{.Version}}\n")
	completeWords(r.command, "color", colors)
	completeWords(r.command, "format", formats)
	r.command.InitDefaultHelpCmd()
	r.command.InitDefaultCompletionCmd()
	giveCompletionExamples(r.command)
	r.addMan()
	refuseUnknown(r.command)
	return r
}

// execute runs the command that the arguments name. An error before the command runs is an error of
// the command line.
func (r *root) execute(args []string) error {
	r.command.SetArgs(args)
	err := r.command.Execute()
	if !r.ran && r.out.err != nil {
		return r.out.err // help and the like don't look at what writing returns
	}
	var usage *driver.UsageError
	if err != nil && !r.ran && !errors.As(err, &usage) {
		return &driver.UsageError{Message: err.Error(), Help: "`sdp --help` tells more"}
	}
	return err
}

// noteRun lets execute know that a command's own work has begun.
func (r *root) noteRun(command *cobra.Command) {
	if work := command.RunE; work != nil {
		command.RunE = func(command *cobra.Command, args []string) error {
			r.ran = true
			return work(command, args)
		}
	}
}

var (
	colors  = []string{"auto", "always", "never"}
	formats = []string{string(driver.FormatText), string(driver.FormatJSON), string(driver.FormatGitHub)}
)

// apply checks the flags that all commands have.
func (r *root) apply() error {
	if err := oneOf("--color", r.color, colors); err != nil {
		return err
	}
	if err := oneOf("--format", r.format, formats); err != nil {
		return err
	}
	r.tool.Format = driver.Format(r.format)
	outTerminal, errTerminal := isTerminal(r.out.to), isTerminal(r.tool.Err)
	r.tool.OutColor, r.tool.ErrColor = r.colored(outTerminal), r.colored(errTerminal)
	r.tool.Progress = errTerminal
	r.tool.Columns = columnsOf(r.out.to)
	return nil
}

// colored decides for one stream. NO_COLOR is what https://no-color.org asks
// programs to respect.
func (r *root) colored(terminal bool) bool {
	if r.color == "auto" {
		return terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	}
	return r.color == "always"
}

// isTerminal reports whether a stream is a terminal that interprets escape sequences.
func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd())) && showsColors(file)
}

// columnsOf is the width of a terminal; 0 for other streams.
func columnsOf(stream any) int {
	if file, ok := stream.(*os.File); ok {
		if columns, _, err := term.GetSize(int(file.Fd())); err == nil {
			return columns
		}
	}
	return 0
}

// oneOf refuses a flag's value that is none of the words it may be.
func oneOf(flag, value string, words []string) error {
	if slices.Contains(words, value) {
		return nil
	}
	list := strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
	err := &driver.UsageError{Message: fmt.Sprintf("%s is %s, not %q", flag, list, value)}
	if near := diag.Nearest(value, words); near != "" {
		err.Help = fmt.Sprintf("did you mean `%s %s`?", flag, near)
	}
	return err
}

func completeWords(command *cobra.Command, flag string, words []string) {
	complete := cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
	if err := command.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic(err) // the flag does not exist, which is a mistake in this program
	}
}

// noCommand refuses arguments of the bare program: each is a misspelt command.
func noCommand(command *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := &driver.UsageError{
		Message: fmt.Sprintf("`%s` has no command %q", command.CommandPath(), args[0]),
		Help:    fmt.Sprintf("`%s --help` lists the commands", command.CommandPath()),
	}
	var names []string
	for _, sub := range command.Commands() {
		names = append(names, sub.Name())
	}
	if near := diag.Nearest(args[0], names); near != "" {
		err.Help = fmt.Sprintf("did you mean `%s %s`?", command.CommandPath(), near)
	}
	return err
}

// refuseUnknown lets the commands that come from the library refuse what they don't
// know: they would show a help text, and be done.
func refuseUnknown(root *cobra.Command) {
	for _, command := range root.Commands() {
		switch command.Name() {
		case "help":
			command.Args = func(_ *cobra.Command, args []string) error {
				found, rest, err := root.Find(args)
				if err != nil {
					found, rest = root, args
				}
				return noCommand(found, rest)
			}
		case "completion":
			command.Args = noCommand
			command.RunE = func(command *cobra.Command, _ []string) error { return command.Help() }
		}
	}
}

// flagError explains a flag that is not understood.
func flagError(command *cobra.Command, err error) error {
	usage := &driver.UsageError{
		Message: err.Error(),
		Help:    fmt.Sprintf("`%s --help` lists the flags", command.CommandPath()),
	}
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		name := unknown.GetSpecifiedName()
		usage.Message = fmt.Sprintf("`%s` has no flag --%s", command.CommandPath(), name)
		if len(name) == 1 {
			usage.Message = fmt.Sprintf("`%s` has no flag -%s", command.CommandPath(), name)
		}
		var names []string
		collect := func(f *pflag.Flag) { names = append(names, f.Name) }
		command.Flags().VisitAll(collect)
		command.InheritedFlags().VisitAll(collect)
		if near := diag.Nearest(name, names); near != "" {
			usage.Help = fmt.Sprintf("did you mean --%s?", near)
		}
	}
	return usage
}

// arguments is a check of how many arguments there are; wanted says which.
func arguments(least, most int, want string) cobra.PositionalArgs {
	return func(command *cobra.Command, args []string) error {
		problem := ""
		switch {
		case len(args) < least:
			problem = fmt.Sprintf("needs %s", want)
		case most >= 0 && len(args) > most:
			problem = fmt.Sprintf("takes %s, and %q is too many", want, args[most])
		default:
			return nil
		}
		return &driver.UsageError{
			Message: fmt.Sprintf("`%s` %s", command.CommandPath(), problem),
			Help:    "usage: " + command.UseLine(),
		}
	}
}
