package language

import (
	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/backend/cpp"
	"github.com/serial-data-protocol/sdp/compiler/backend/golang"
	"github.com/serial-data-protocol/sdp/compiler/backend/python"
	"github.com/serial-data-protocol/sdp/compiler/backend/rust"
	"github.com/serial-data-protocol/sdp/compiler/backend/typescript"
	"github.com/serial-data-protocol/sdp/compiler/compat"
	"github.com/serial-data-protocol/sdp/compiler/place"
)

// All is the list.
var All = List{
	{
		Backend:   golang.Backend{},
		Placement: place.Go{},
		Options: []Option{
			forms(backend.Owned, backend.Views), jsonOption, servicesOption, testsWithJSON, runtimeOption,
			{Name: place.GoPrefix},
		},
		Codes: golang.Codes,
		// Literals name their fields, and a switch need not be complete.
		Breaks:     nil,
		StarterDir: "go",
		Help: `Go code goes to one folder per package below DIR. The runtime that it imports is
laid into the folder sdp below DIR, once per Go module, unless --go-runtime names
one that is there already.`,
		Example: "sdp gen schemas --out go=gen --go-runtime example.com/project/sdp",
	},
	{
		Backend:   rust.Backend{},
		Placement: place.Rust{},
		Options: []Option{
			freeForms(backend.Owned, backend.Borrowed, backend.Views), jsonOption.ofForm(backend.Owned),
			{Name: place.Serde, Kind: Switch, Default: place.Off, Needs: place.JSON, Flag: "make what Rust's serde reads and writes types by"},
			servicesOption.ofForm(backend.Owned), testsWithJSON, runtimeOption,
		},
		Codes: rust.Codes,
		// A literal of a struct lists all fields and a match over closed cases lists all cases,
		// while messages and open types are non-exhaustive.
		Breaks:     []compat.Growth{compat.StructField, compat.ClosedMember, compat.ClosedCase},
		StarterDir: "rust/src",
		Help: `Rust code goes to one file per package in DIR, which is declared as a module: 'mod
plugins;'. The runtime is laid as a crate into the folder sdp of the crate that DIR
is in, unless that depends on serial-data-protocol from a registry or --rust-runtime
names another.`,
		Example: "sdp gen plugins.sdp --out rust=src --rust-runtime ::sdp",
	},
	{
		Backend:   cpp.Backend{},
		Placement: place.Cpp{},
		Options: []Option{
			forms(backend.Owned, backend.Borrowed, backend.Pooled, backend.Views), servicesOption, testsOption, runtimeOption,
			{Name: place.CppSplit, Kind: Switch, Default: place.Off, Flag: "also make a source file of each package of C++, so that what uses its header compiles faster"},
		},
		Codes: cpp.Codes,
		// A visitor of a closed union handles all cases, and designated initialisers stand
		// in the order of the fields.
		Breaks:     []compat.Growth{compat.ClosedCase, compat.FieldOrder},
		StarterDir: "cpp",
		Help: `C++ code goes to one header per package in DIR, and its runtime into the folder sdp of
DIR; a compiler finds both wherever they lie. Where the runtime is installed, or shared
by several folders, name its header by --cpp-runtime. With --cpp-split there is a source
file beside each header, to be compiled once: what uses the header then compiles faster.`,
		Example: "sdp gen plugins.sdp --out cpp=generated --cpp-runtime sdp/sdp.hpp",
	},
	{
		Backend:   python.Backend{},
		Placement: place.Python{},
		Alias:     "py",
		OnCore:    true,
		Options:   []Option{forms(backend.Owned), servicesOption, testsOption, runtimeOption},
		Codes:     python.Codes,
		// A constructor needs all fields of a struct, and all of a message's first segment.
		Breaks:     []compat.Growth{compat.StructField, compat.FirstField},
		StarterDir: "python",
		Help: `Python code, --out py=DIR for short, goes to one module per package in DIR, and its runtime
into the package sdp of DIR. Modules import each other and the runtime relatively, so that
DIR is a package of your program: an empty __init__.py makes it one, unless you have written
yours. Where the runtime is installed, name it by --python-runtime.`,
		Example: "sdp gen plugins.sdp --out py=schemas --python-runtime sdp_runtime",
	},
	{
		Backend:   typescript.Backend{},
		Placement: place.TypeScript{},
		Alias:     "ts",
		Options: []Option{
			forms(backend.Owned),
			{Name: place.JavaScript, Kind: Switch, Default: place.Off, Flag: "make JavaScript and its declarations instead of TypeScript"},
			servicesOption, testsOption, runtimeOption,
		},
		Codes: typescript.Codes,
		// Literals of a struct have all fields, literals of a message all of the first segment, and
		// a switch over a closed union or enum may have to be complete.
		Breaks:     []compat.Growth{compat.StructField, compat.ClosedMember, compat.ClosedCase, compat.FirstField},
		Attributes: []string{typescript.AttributeName},
		StarterDir: "ts",
		Help: `TypeScript code, --out ts=DIR for short, goes to one module per package in DIR, and its
runtime into the folder sdp of DIR. With --js both are JavaScript, with declarations
beside it, for projects that compile none. Where the runtime is a package, or shared by
several folders, name its module by --typescript-runtime.`,
		Example: "sdp gen plugins.sdp --out ts=src --typescript-runtime serial-data-protocol",
	},
}
