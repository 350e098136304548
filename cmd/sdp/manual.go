package main

import (
	"github.com/serial-data-protocol/sdp/compiler/manual"
)

// manual is the tool as its manual describes it.
func (r *root) manual() manual.Program {
	return manual.Program{Root: r.command, Exits: exitTable}
}
