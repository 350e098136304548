package place

import "github.com/serial-data-protocol/sdp/compiler/ir"

// Placement knows how the users of one language lay out their code.
type Placement interface {
	// Place says where the code of an output's packages goes and by what names it
	// finds its imports and its runtime. Unless a runtime is named, it lays one. Unacceptable
	// outputs are reported.
	Place(b *Batch, o Output, packages []*ir.Package) (PackagePlace, error)
	// Library describes the dependency that the project of a folder lacks for the code of services;
	// the zero value is nothing.
	Library(dir string) (MissingLibrary, error)
	// Earlier lists what sdp made for an output in its folder, now or at some time.
	Earlier(o Output) ([]EarlierFile, error)
	// Files are the names, in its folder, of all files of a package, for any parts that an output
	// asks for.
	Files(pkg *ir.Package) []string
	// Starter is what `sdp init` writes for the language.
	Starter(dir, name string) ([]StarterFile, error)
}

// PackagePlace is where the code of one output goes.
type PackagePlace struct {
	// Folders are the folders of the packages' files.
	Folders map[*ir.Package]string
	// Runtime, Laid, Split and Imports are as backend.Options has them.
	Runtime string
	Laid    bool
	Split   bool
	Imports map[*ir.Package]string
	// Mark stands in the first line of each generated file, for a language where
	// they lie among the user's own. A file without it is not overwritten.
	Mark string
}

// StarterFile is one file that `sdp init` writes; {{package}} in its text stands for the
// package's name.
type StarterFile struct{ Path, Text string }
