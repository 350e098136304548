// Package lsp is a language server: it answers an editor's questions about schemas, by
// the Language Server Protocol 3.17 over a stream.
//
// One goroutine reads messages, one answers them in their order and owns all state, and
// one checks projects in the background; what it finds comes back as one more message.
// The package refuses to know the language: files are parsed, checked and formatted by the
// phases, through package driver, and places come from trees.
package lsp
