module github.com/serial-data-protocol/sdp/bench/go

go 1.24.0

require (
	github.com/deneonet/benc v1.1.8
	github.com/google/flatbuffers v2.0.8+incompatible
	github.com/google/go-cmp v0.7.0
	github.com/planetscale/vtprotobuf v0.6.0
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
	github.com/serial-data-protocol/sdp v0.0.0-00010101000000-000000000000
	github.com/serial-data-protocol/sdp/runtime v0.0.0
	google.golang.org/protobuf v1.36.12
)

require (
	golang.org/x/exp v0.0.0-20231110203233-9a3e6036ecaa // indirect
	golang.org/x/text v0.14.0 // indirect
)

replace (
	github.com/serial-data-protocol/sdp => ../..
	github.com/serial-data-protocol/sdp/runtime => ../../runtime
)

tool github.com/planetscale/vtprotobuf/cmd/protoc-gen-go-vtproto
