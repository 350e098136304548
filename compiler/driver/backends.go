package driver

import (
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/backend/golang"
)

// backends are all languages that code can be generated in.
var backends = []backend.Backend{
	golang.Backend{},
}

// languageNames are the backends' names.
func languageNames() []string {
	var names []string
	for _, b := range backends {
		names = append(names, b.Name())
	}
	return names
}

// LanguageList names the languages for a help text.
func LanguageList() string { return strings.Join(languageNames(), ", ") }

// backendFor finds a backend; nil if there is none of that name.
func backendFor(language string) backend.Backend {
	for _, b := range backends {
		if b.Name() == language {
			return b
		}
	}
	return nil
}
