package place

// Output is one language and the folder its code goes to.
type Output struct {
	Language string
	Dir      string
	// Schemas are those of the config's schemas that the output is of, with what they
	// import; files and folders. Empty means all.
	Schemas []string
	// Services asks for clients and servers of the services that a schema has.
	// They need the language's MXP library.
	Services bool
	// Options are those of a language that are set, by their keys: "go-runtime". That of a
	// switch is On.
	Options map[string]string
}

// Set gives an option a value.
func (o *Output) Set(key, value string) {
	if o.Options == nil {
		o.Options = map[string]string{}
	}
	o.Options[key] = value
}

// Option is an option of the output's own language, by its name without the language.
func (o Output) Option(name string) string { return o.Options[o.Language+"-"+name] }

// On is the value of a switch.
const On = "true"

// The options that placements know.
const (
	// RuntimeOption is what a runtime is imported by that is there already, in the words of
	// the language. Without it one is laid beside the code.
	RuntimeOption = "runtime"
	// GoPrefix is what the names of packages begin with and the paths of their folders
	// don't, since the output's folder stands for it.
	GoPrefix = "prefix"
	// CppSplit asks for a source file beside each C++ header, which has the
	// functions that would else be compiled wherever they are used.
	CppSplit = "split"
	// Bare leaves out of the code what MXP's libraries don't use of the messages that are
	// their own.
	Bare = "bare"
)
