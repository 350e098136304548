// Package language is the list of the languages that code can be generated in. Every user of a
// language's name, from the flags of the tool to the reports of its comparisons, reads the list; a
// language that is added to it is known everywhere.
//
// It refuses to know how a language is spelled and where its files go: those are the
// backend's and the placement's.
package language

import (
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/backend"
	"github.com/serial-data-protocol/sdp/compiler/compat"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/place"
)

// Language is one that code can be generated in.
type Language struct {
	backend.Backend
	place.Placement
	// Alias is another name for flags and config files, where the language's own is long.
	Alias string
	// Options are what its outputs may say, in a config file, and most of them by flags, too.
	Options []Option
	// Codes explains the codes that its backend reports.
	Codes diag.Table
	// Breaks are the ways to grow that its programs do not compile after.
	Breaks []compat.Growth
	// Attributes are the names of attributes that choose its types.
	Attributes []string
	// OnCore says that its clients and servers run on the core, mxp/c. It has no frames and sessions of its own then.
	OnCore bool
	// StarterDir is where its code goes in the project that `sdp init` begins, with slashes.
	StarterDir string
	// Help says where the code and its runtime go, in lines of a help text; Example is a
	// command that generates it.
	Help, Example string
}

// HasServices reports whether the language has clients and servers, and a library of MXP for them.
func (l Language) HasServices() bool {
	_, has := l.Option(place.Services)
	return has
}

// List is languages in the order in which they are named.
type List []Language

// Names are the names of flags and config files.
func (all List) Names() []string {
	var names []string
	for _, l := range all {
		names = append(names, l.Name())
	}
	return names
}

// String names the languages for a help text.
func (all List) String() string { return strings.Join(all.Names(), ", ") }

// Find finds a language by its name, or its other one.
func (all List) Find(name string) (Language, bool) {
	for _, l := range all {
		if l.Name() == name || l.Alias != "" && l.Alias == name {
			return l, true
		}
	}
	return Language{}, false
}

// Codes are the tables of all languages.
func (all List) Codes() diag.Catalog {
	var catalog diag.Catalog
	for _, l := range all {
		catalog = append(catalog, l.Codes)
	}
	return catalog
}

// Compared are the languages as a comparison of two schemas asks about them.
func (all List) Compared() []compat.Language {
	var languages []compat.Language
	for _, l := range all {
		languages = append(languages, compat.Language{Name: l.Name(), Breaks: l.Breaks, Attributes: l.Attributes})
	}
	return languages
}
