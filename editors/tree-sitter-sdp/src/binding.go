// Package sdp is the grammar of schema files for the Go binding of Tree-sitter. It lies
// beside the parser, so that Go compiles that anew when it changes.
package sdp

// #cgo CFLAGS: -std=c11 -fPIC
// typedef struct TSLanguage TSLanguage;
// const TSLanguage *tree_sitter_sdp(void);
import "C"

import "unsafe"

// Language is the grammar, which tree_sitter.NewLanguage takes.
func Language() unsafe.Pointer { return unsafe.Pointer(C.tree_sitter_sdp()) }
