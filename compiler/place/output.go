package place

import "time"

// Output is one language and the folder its code goes to.
type Output struct {
	Language string
	Dir      string
	// Schemas are the config's schemas that the output is of, with their imports; files and
	// folders. Empty means all.
	Schemas []string
	// Options are the options of the output's language, by their names; in an output that was read
	// from a config file, by the keys that it has there. A switch is On or Off, and a list has
	// commas between its words.
	Options map[string]string
	// Plugin says how the program is run that makes the code, where no language of the
	// compiler's does.
	Plugin Plugin
}

// Plugin is what an output says of its program.
type Plugin struct {
	// Program is a path, or a name on PATH; empty stands for the name by the language.
	Program string
	// Options are the options of the program, which it knows itself.
	Options map[string]string
	// Timeout and MaxMiB bound what it may take, if they are not 0.
	Timeout time.Duration
	MaxMiB  int64
}

// Option is the value of an option.
func (o Output) Option(name string) string { return o.Options[name] }

// IsOn reports whether a switch is on.
func (o Output) IsOn(name string) bool { return o.Options[name] == On }

// The values of a switch.
const On, Off = "true", "false"

// The options of outputs.
const (
	// Forms are the forms that types are made in.
	Forms = "forms"
	// JSON asks for JSON and text, and Serde for what other formats of Rust's are made by.
	JSON, Serde = "json", "serde"
	// Services asks for clients and servers of the services that a schema has.
	// They need the language's MXP library.
	Services = "services"
	// Tests asks for tests of the code, and the vectors that they run.
	Tests = "tests"
	// RuntimeOption is the name by which an existing runtime is imported, in the words of the
	// language. Without it one is laid beside the code.
	RuntimeOption = "runtime"
	// GoPrefix is the first part of the names of packages that the paths of their folders lack,
	// since the output's folder stands for it.
	GoPrefix = "prefix"
	// CppSplit asks for a source file beside each C++ header, which has the
	// functions that would else be compiled wherever they are used.
	CppSplit = "split"
	// JavaScript asks for JavaScript and its declarations instead of TypeScript.
	JavaScript = "js"
)
