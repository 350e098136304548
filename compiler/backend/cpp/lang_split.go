package cpp

import (
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// Source is the name of the file that a package's functions are compiled in, where
// they are split from the header.
func Source(pkg *ir.Package) string { return strings.TrimSuffix(Header(pkg), ".hpp") + ".cpp" }

// splitRuntime is the runtime's header beside its own that lacks what only the source files need.
const splitRuntime = "split.hpp"

// source makes the file that has what the header declares to be elsewhere.
func (g *generator) source(options backend.Options) backend.File {
	g.Printer = emit.NewPrinter("    ")
	g.generatedLine(options)
	g.Line("")
	g.Line("#include %s", quote(options.Runtime))
	g.Line("#include %s", quote(Header(g.pkg)))
	g.Line("")
	if ir.DeprecatesTypes(g.program.Schema) {
		g.Line("#if defined(__GNUC__)")
		g.Line("#pragma GCC diagnostic ignored %s", quote("-Wdeprecated-declarations"))
		g.Line("#endif")
		g.Line("")
	}
	g.instantiations("template")
	return backend.File{Name: Source(g.pkg), Content: []byte(strings.TrimRight(g.String(), "\n") + "\n")}
}

// instantiations prints the functions that programs call, for all types and forms,
// behind `template`, which compiles them here, or `extern template`, which says that
// they are compiled elsewhere. Functions that they call are then compiled there too.
func (g *generator) instantiations(start string) {
	for _, declared := range g.decls {
		for _, d := range ir.WithInline(declared) {
			for _, form := range g.forms(d) {
				g.instantiated(start, g.types.qualified(d, form))
			}
			if g.Has(backend.Views) {
				g.decoding(start, g.types.view(d))
			}
			g.Line("")
		}
	}
}

func (g *generator) instantiated(start, name string) {
	g.Emit(emit.Vars{"start": start, "T": name}, `
		$start$ std::string sdp::layout<$T$>();
		$start$ std::size_t sdp::encoded_size<$T$>(const $T$&);
		$start$ sdp::result<void> sdp::validate<$T$>(const $T$&);
		$start$ std::byte* sdp::wire::write_value<$T$>(sdp::wire::writer&, std::byte*, const $T$&);
		$start$ sdp::unexpected sdp::wire::encode_refusal<$T$>(const $T$&, sdp::kind, bool);
	`)
	g.decoding(start, name)
}

// decoding prints the one function that all ways of decoding come to.
func (g *generator) decoding(start, name string) {
	g.Emit(emit.Vars{"start": start, "T": name}, `
		$start$ sdp::result<std::size_t> sdp::wire::decode_at<$T$>(
			$T$&, sdp::bytes_view, std::size_t, sdp::wire::mode, const sdp::decode_options&);
	`)
}
