// Package lint turns a checked schema into advice: what compiles, and should
// better be written in another way. Each advice has a code, can be switched on
// or off, and is waived in the schema by `@allow(CODE, "reason")`.
//
// It refuses to know the syntax tree, what a target language makes of a schema,
// and whether a layout was released: what would change bytes it never fixes.
package lint
