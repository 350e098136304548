module github.com/serial-data-protocol/sdp/mxp/go

go 1.24.0

require (
	github.com/Microsoft/go-winio v0.6.2
	github.com/coder/websocket v1.8.15
	github.com/serial-data-protocol/sdp/runtime v0.0.0
	github.com/zeebo/xxh3 v1.1.0
	go.opentelemetry.io/otel v1.38.0
	go.opentelemetry.io/otel/metric v1.38.0
	go.opentelemetry.io/otel/trace v1.38.0
	golang.org/x/sys v0.30.0
	pgregory.net/rapid v1.3.0
)

require github.com/klauspost/cpuid/v2 v2.2.10 // indirect

replace github.com/serial-data-protocol/sdp/runtime => ../../runtime
