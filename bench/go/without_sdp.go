//go:build !sdp

package bench

import "github.com/serial-data-protocol/sdp/bench/go/dataset"

// Without SDP's generated code, which a fresh clone doesn't have, there are only the peers.

func sdpPlugins(func() (*dataset.Registry, error)) Subject { return nil }
func sdpMixed(func() (*dataset.Session, error)) Subject    { return nil }
func sdpArrays(func() (*dataset.Frame, error)) Subject     { return nil }
func sdpAbsent(func() (*dataset.Speaker, error)) Subject   { return nil }
