// Package spec carries the schemas of the specification, so that tools read what
// they describe by them.
package spec

import _ "embed"

// MXP declares what MXP's own frames carry.
//
//go:embed mxp.sdp
var MXP string

// Capture declares what a capture of MXP consists of.
//
//go:embed capture.sdp
var Capture string
