module github.com/serial-data-protocol/sdp

go 1.24.0

require (
	github.com/bufbuild/protocompile v0.14.1
	github.com/fsnotify/fsnotify v1.9.0
	github.com/gopacket/gopacket v1.2.0
	github.com/pelletier/go-toml/v2 v2.4.3
	github.com/rogpeppe/go-internal v1.14.1
	github.com/serial-data-protocol/sdp/mxp/go v0.0.0
	github.com/serial-data-protocol/sdp/runtime v0.0.0
	github.com/spf13/cobra v1.10.2
	github.com/spf13/pflag v1.0.9
	github.com/yuin/goldmark v1.8.7
	github.com/zeebo/xxh3 v1.1.0
	go.opentelemetry.io/otel/trace v1.38.0
	golang.org/x/mod v0.21.0
	golang.org/x/net v0.30.0
	golang.org/x/sys v0.37.0
	golang.org/x/term v0.36.0
	google.golang.org/protobuf v1.34.2
)

require (
	github.com/Microsoft/go-winio v0.6.2 // indirect
	github.com/coder/websocket v1.8.15 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/klauspost/cpuid/v2 v2.2.10 // indirect
	go.opentelemetry.io/otel v1.38.0 // indirect
	go.opentelemetry.io/otel/metric v1.38.0 // indirect
	golang.org/x/sync v0.8.0 // indirect
	golang.org/x/tools v0.26.0 // indirect
)

replace (
	github.com/serial-data-protocol/sdp/mxp/go => ./mxp/go
	github.com/serial-data-protocol/sdp/runtime => ./runtime
)
