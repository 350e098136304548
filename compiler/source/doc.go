// Package source turns the bytes of schema files into places that a person
// can find: spans of bytes, lines and columns.
//
// It refuses to know what the bytes mean. Any bytes are a file, also bytes that are not UTF-8; its
// readers decide about reports of that.
package source
