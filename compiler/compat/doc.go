// Package compat turns two versions of a schema into the list of what changed
// between them, and says of each change what it breaks: old readers of new
// bytes, new readers of old bytes, source that uses the generated code, JSON.
//
// Old bytes are all that a writer with the old schema, or with an earlier
// release of it, may have written: a message's body may end at any of its
// segments. New bytes are what a writer with the new schema writes.
//
// It refuses to know where the two versions come from, and which of the
// changes were meant.
package compat
