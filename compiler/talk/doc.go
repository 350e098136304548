// Package talk calls and serves what a schema's services declare, over MXP and
// without generated code: it turns JSON into requests and answers, and back.
//
// It knows services by the ir, values by package interp, and connections by the
// MXP library. It refuses to know files, terminals and the command line; those
// are the driver's. Clauses like [MXP-13.2] are clauses of spec/mxp.md.
package talk
