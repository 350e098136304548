// Package check turns parsed schema files into a resolved schema: it follows imports, looks up
// every name, evaluates constants, understands attributes, and refuses violations of the language's
// rules.
//
// One file of this package is one pass. A pass reports all that it finds and
// leaves nil where something is missing, so that the next passes can go on
// without reporting the same mistake again. It refuses to know target
// languages, and of the bytes it knows only smallest sizes.
package check
