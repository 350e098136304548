module github.com/serial-data-protocol/sdp/examples/migration

go 1.26.0

require (
	github.com/serial-data-protocol/sdp v0.0.0
	github.com/serial-data-protocol/sdp/mxp/go v0.0.0
	github.com/serial-data-protocol/sdp/runtime v0.0.0
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260817212433-ac3dfec99bb1
	google.golang.org/grpc v1.85.0
	google.golang.org/protobuf v1.36.12
)

require (
	github.com/bufbuild/protocompile v0.14.1 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/coder/websocket v1.8.15 // indirect
	github.com/fsnotify/fsnotify v1.9.0 // indirect
	github.com/gopacket/gopacket v1.2.0 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/klauspost/cpuid/v2 v2.2.10 // indirect
	github.com/pelletier/go-toml/v2 v2.4.3 // indirect
	github.com/rogpeppe/go-internal v1.14.1 // indirect
	github.com/serial-data-protocol/sdp/conformance/bridge v0.0.0 // indirect
	github.com/spf13/cobra v1.10.2 // indirect
	github.com/spf13/pflag v1.0.9 // indirect
	github.com/yuin/goldmark v1.8.7 // indirect
	github.com/zeebo/xxh3 v1.1.0 // indirect
	go.opentelemetry.io/otel v1.45.0 // indirect
	go.opentelemetry.io/otel/metric v1.45.0 // indirect
	go.opentelemetry.io/otel/trace v1.45.0 // indirect
	golang.org/x/mod v0.41.0 // indirect
	golang.org/x/net v0.60.0 // indirect
	golang.org/x/sync v0.23.0 // indirect
	golang.org/x/sys v0.48.0 // indirect
	golang.org/x/term v0.46.0 // indirect
	golang.org/x/text v0.42.0 // indirect
	google.golang.org/grpc/cmd/protoc-gen-go-grpc v1.6.2 // indirect
)

tool (
	github.com/serial-data-protocol/sdp/cmd/sdp
	github.com/serial-data-protocol/sdp/conformance/bridge/protoc
	google.golang.org/grpc/cmd/protoc-gen-go-grpc
)

replace (
	github.com/serial-data-protocol/sdp => ../..
	github.com/serial-data-protocol/sdp/conformance/bridge => ../../conformance/bridge
	github.com/serial-data-protocol/sdp/mxp/go => ../../mxp/go
	github.com/serial-data-protocol/sdp/runtime => ../../runtime
)
