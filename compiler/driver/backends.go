package driver

import (
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/backend/cpp"
	"github.com/serial-data-protocol/sdp/compiler/backend/golang"
	"github.com/serial-data-protocol/sdp/compiler/backend/rust"
	"github.com/serial-data-protocol/sdp/compiler/place"
)

// language is one that code can be generated in.
type language struct {
	backend.Backend
	place.Placement
}

var languages = []language{
	{golang.Backend{}, place.Go{}},
	{rust.Backend{}, place.Rust{}},
	{cpp.Backend{}, place.Cpp{}},
}

// languageNames are the names of flags and config files.
func languageNames() []string {
	var names []string
	for _, l := range languages {
		names = append(names, l.Name())
	}
	return names
}

// LanguageList names the languages for a help text.
func LanguageList() string { return strings.Join(languageNames(), ", ") }

// languageOf finds a language by its name.
func languageOf(name string) (language, bool) {
	for _, l := range languages {
		if l.Name() == name {
			return l, true
		}
	}
	return language{}, false
}
