package rust

import (
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/emit"
)

// ModuleName is the module that a package of a name becomes, and the stem of
// its file. All packages of an output lie in one folder, so that they find each
// other there: the components of a dotted name become words of one name.
func ModuleName(name string) string {
	stem := emit.Snake(emit.Words(name))
	switch {
	case stem == "":
		// A name of underscores alone has no words.
		return "package"
	case stem[0] >= '0' && stem[0] <= '9':
		return "_" + stem
	case keywords[stem] || stem == "lib" || stem == "main":
		// A raw identifier would be no name of a file, and lib.rs and main.rs are
		// the roots of crates.
		return stem + "_"
	}
	return stem
}

// keywords are the words that Rust keeps to itself, in any edition up to 2024.
var keywords = wordSet(`
	as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref
	return self Self static struct super trait true type unsafe use where while
	abstract become box do final gen macro override priv try typeof unsized virtual yield`)

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}
