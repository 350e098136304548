package place

// Output is one language and the folder its code goes to.
type Output struct {
	Language string `toml:"language"`
	Dir      string `toml:"dir"`
	// Schemas are those of the config's schemas that the output is of, with what they
	// import; files and folders. Empty means all.
	Schemas []string `toml:"schemas"`
	// GoPrefix is what the names of packages begin with and the paths of their folders
	// don't, since Dir stands for it.
	GoPrefix string `toml:"go-prefix"`
	// GoRuntime is the import path of a Go runtime that is there already. Empty
	// means that one is laid into the module.
	GoRuntime string `toml:"go-runtime"`
	// RustRuntime is the path by which Rust code names a runtime that is there
	// already. Empty means that one is laid into the crate.
	RustRuntime string `toml:"rust-runtime"`
	// CppRuntime is the header by which C++ code includes a runtime that is there
	// already.
	CppRuntime string `toml:"cpp-runtime"`
	// CppSplit asks for a source file beside each C++ header, which has the
	// functions that would else be compiled wherever they are used.
	CppSplit bool `toml:"cpp-split"`
	// Services asks for clients and servers of the services that a schema has.
	// They need the language's MXP library.
	Services bool `toml:"services"`
}
