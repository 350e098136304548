// Package runtime carries the source text of the runtimes that generated code
// imports, so that the compiler can lay them beside that code. It refuses to
// know what is in them.
package runtime

import "embed"

// Go holds the Go runtime's files, its tests among them, in the folder go.
//
//go:embed go/*.go
var Go embed.FS

// Rust holds the sources of the Rust runtime, its tests among them, in the
// folder rust/src.
//
//go:embed rust/src
var Rust embed.FS

// Cpp holds the headers of the C++ runtime in the folder cpp/include.
//
//go:embed cpp/include
var Cpp embed.FS

// Python holds the modules of the Python runtime, in the folder python/sdp.
//
//go:embed python/sdp/*.py python/sdp/py.typed
var Python embed.FS

// TypeScript holds the modules of the TypeScript runtime in the folder typescript/src, and their
// JavaScript with its declarations in typescript/javascript.
//
//go:embed typescript/src typescript/javascript
var TypeScript embed.FS
