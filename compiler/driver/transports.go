package driver

import "github.com/serial-data-protocol/sdp/mxp/go/websocket"

// Servers are called and served over WebSocket, too, from and to loopback addresses.
func init() { websocket.Register(websocket.Options{}) }
