package trip

import (
	// Bridges of services import these, so that they stand in go.mod.
	_ "google.golang.org/genproto/googleapis/rpc/errdetails"
	_ "google.golang.org/grpc"

	_ "github.com/serial-data-protocol/sdp/mxp/go"
)
