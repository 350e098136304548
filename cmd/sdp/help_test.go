package main

import (
	"io"
	"testing"

	"github.com/spf13/cobra"

	"github.com/serial-data-protocol/sdp/compiler/driver"
)

func TestEveryCommandHasHelpWithAnExample(t *testing.T) {
	root := newRoot(&driver.Tool{In: nil, Out: io.Discard, Err: io.Discard})
	seen := 0
	var visit func(command *cobra.Command)
	visit = func(command *cobra.Command) {
		seen++
		if command.Short == "" || command.Example == "" {
			t.Errorf("`%s` has no short text or no example", command.CommandPath())
		}
		for _, sub := range command.Commands() {
			visit(sub)
		}
	}
	visit(root.command)
	if seen < 12 {
		t.Errorf("only %d commands were seen", seen)
	}
}
