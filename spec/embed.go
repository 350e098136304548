// Package spec carries parts of the specification: the schemas, so that tools read
// what they describe by them, and the refusals, so that tools explain them.
package spec

import _ "embed"

// MXP declares what MXP's own frames carry.
//
//go:embed mxp.sdp
var MXP string

// Registry declares what agents and directories say in them.
//
//go:embed registry.sdp
var Registry string

// Capture declares what a capture of MXP consists of.
//
//go:embed capture.sdp
var Capture string

// Errors has every refusal, with what it means, what causes it and what to do.
//
//go:embed errors.toml
var Errors string

// Plugin declares what the tool and the plugins that make code for it say to each other.
//
//go:embed plugin.sdp
var Plugin string
