module github.com/serial-data-protocol/sdp/examples/mxp/go

go 1.24.0

require github.com/serial-data-protocol/sdp/mxp/go v0.0.0

require (
	github.com/Microsoft/go-winio v0.6.2 // indirect
	github.com/coder/websocket v1.8.15 // indirect
	github.com/klauspost/cpuid/v2 v2.2.10 // indirect
	github.com/serial-data-protocol/sdp/runtime v0.0.0 // indirect
	github.com/zeebo/xxh3 v1.1.0 // indirect
	go.opentelemetry.io/otel v1.38.0 // indirect
	go.opentelemetry.io/otel/metric v1.38.0 // indirect
	go.opentelemetry.io/otel/trace v1.38.0 // indirect
	golang.org/x/sys v0.30.0 // indirect
)

replace (
	github.com/serial-data-protocol/sdp/mxp/go => ../../../mxp/go
	github.com/serial-data-protocol/sdp/runtime => ../../../runtime
)
