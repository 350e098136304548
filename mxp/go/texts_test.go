package mxp_test

import (
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/stubs/texts"
)

// TestConstantsAndDefaultsHaveAllCharactersOfTheSchema is of a schema whose texts
// try to be code.
func TestConstantsAndDefaultsHaveAllCharactersOfTheSchema(t *testing.T) {
	var odd strings.Builder
	for r := range rune(0x100) {
		odd.WriteRune(r)
	}
	odd.WriteString("\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069\ufeff\ufffd\U0001f600??/\\\"`$hole$%d{\r\n")
	note := texts.NewNote()
	maybe, ok := note.Maybe.Get()
	//lint:ignore SA1019 the reason of its deprecation is hostile, too
	constant := texts.ODD
	if constant != odd.String() || note.Odd != odd.String() || maybe != odd.String() || !ok {
		t.Errorf("got %q, %q and %q", constant, note.Odd, maybe)
	}
	if len(texts.DeskTypes()) != 2 {
		t.Error("the service has other types")
	}
}
