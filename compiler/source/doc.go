// Package source turns the bytes of schema files into places that a person
// can find: spans of bytes, lines and columns.
//
// It refuses to know what the bytes mean. Any bytes are a file, also such that
// are not UTF-8; whoever reads them decides what to say about that.
package source
