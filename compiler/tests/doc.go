// Package tests makes tests for generated code, in each language's own way to test: one
// file beside the code of a package, and the package's vectors. The tests run the
// vectors, damage their bytes, and hold every way to read or write a value against the
// others; the same checks are a fuzz target.
//
// The tests are templates with little in them but a table of types: what they check is
// data. They know names and vectors, and nothing about bytes.
package tests
