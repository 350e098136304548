module github.com/serial-data-protocol/sdp/bench/compile

go 1.24.0

require (
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
	github.com/serial-data-protocol/sdp v0.0.0
	github.com/serial-data-protocol/sdp/bench/go v0.0.0
	github.com/serial-data-protocol/sdp/runtime v0.0.0
)

require (
	github.com/bufbuild/protocompile v0.14.1 // indirect
	github.com/coder/websocket v1.8.15 // indirect
	github.com/fsnotify/fsnotify v1.9.0 // indirect
	github.com/gopacket/gopacket v1.2.0 // indirect
	github.com/klauspost/cpuid/v2 v2.2.10 // indirect
	github.com/pelletier/go-toml/v2 v2.4.3 // indirect
	github.com/rogpeppe/go-internal v1.14.1 // indirect
	github.com/serial-data-protocol/sdp/mxp/go v0.0.0 // indirect
	github.com/yuin/goldmark v1.8.7 // indirect
	github.com/zeebo/xxh3 v1.1.0 // indirect
	go.opentelemetry.io/otel v1.38.0 // indirect
	go.opentelemetry.io/otel/metric v1.38.0 // indirect
	go.opentelemetry.io/otel/trace v1.38.0 // indirect
	golang.org/x/mod v0.21.0 // indirect
	golang.org/x/net v0.30.0 // indirect
	golang.org/x/sync v0.8.0 // indirect
	golang.org/x/sys v0.37.0 // indirect
	golang.org/x/text v0.19.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)

// The benchmarks measure what is beside them.
replace (
	github.com/serial-data-protocol/sdp => ../..
	github.com/serial-data-protocol/sdp/bench/go => ../go
	github.com/serial-data-protocol/sdp/mxp/go => ../../mxp/go
	github.com/serial-data-protocol/sdp/runtime => ../../runtime
)
