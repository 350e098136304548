package main

import (
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/manual"
	"github.com/serial-data-protocol/sdp/tools/reference/page"
)

func TestPageOfCommandsIsThatOfTheHelp(t *testing.T) {
	page.Compare(t, "../../../docs/cli.md", manual.Program{Root: newRoot(t.Context(), nil, nil), Exits: exits})
}
