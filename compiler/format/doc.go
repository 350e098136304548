// Package format turns a parsed schema file into its canonical text: one
// statement, field, member, alternative or method a line, four spaces of
// indentation, a comma behind every item, at most one blank line.
//
// It refuses to change what the text means, and to choose between spellings of
// one meaning: names, numbers and types stay as they were written. A tree of a
// file that had syntax errors lacks what was not understood, so it must not be
// formatted.
package format
