//go:build js && wasm

// Command wasm is the compiler as a page's worker has it: one function, which takes a
// question of package api as a text and returns the answer as one.
package main

import (
	"syscall/js"

	"github.com/serial-data-protocol/sdp/playground/api"
)

// version is that of the whole project, which the linker is told.
var version string

func main() {
	compiler := api.New(version)
	js.Global().Set("sdpAnswer", js.FuncOf(func(_ js.Value, arguments []js.Value) any {
		return string(compiler.Answer([]byte(arguments[0].String())))
	}))
	select {} // the function is called for as long as the worker lives
}
