// Package diag turns problems that any phase finds into something a person or
// a machine can act on: a stable code, a place, related places, a help line,
// and edits that fix it. It renders them as text, JSON and GitHub workflow
// commands.
//
// It refuses to know what the problems are. Each reporting package owns its codes and explanations
// in a Table of its own; a program that explains codes gathers the tables in a Catalog.
package diag
