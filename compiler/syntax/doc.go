// Package syntax turns the text of a schema file into a tree, comments kept,
// and reports every place where the text is not of the grammar.
//
// It refuses to know what names mean: whether a type exists, an attribute
// applies or a number is in range is for the checker. Any input is parsed in
// linear time, without a panic and with bounded recursion.
package syntax
