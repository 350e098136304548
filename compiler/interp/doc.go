// Package interp runs a plan on dynamic values: it turns bytes into events,
// values or JSON, and values or JSON into bytes, for any type of a schema,
// without generated code. The tools convert and inspect with it, and tests take
// it as the oracle that generated code is compared with.
//
// Everything that reads bytes stands on one walk. Codec.Walk reads an Input one
// item at a time, in wire order, makes every check of an item before it reads
// the next, and hands each item to a Visitor; decoding to values, writing JSON
// and inspecting are visitors. It prefers to be exact to being fast: a refusal
// has the kind, the offset and the path that the wire format's specification
// says. An Input that comes from a reader is held one item at a time, so that
// memory does not follow the size of the input.
//
// In the other direction ReadJSON writes bytes while it reads tokens, into a
// Spool, whose earlier bytes can still be patched and whose bulk lies on disk.
//
// The walk goes by the types of the schema and takes sizes, segments and what
// else is known of the bytes from the plan; it never looks at merged runs, so
// that comparing it with generated code tests the merging too. The package
// knows no target language and no file format but JSON.
package interp
