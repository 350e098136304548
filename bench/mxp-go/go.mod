module github.com/serial-data-protocol/sdp/bench/mxp-go

go 1.24.0

require (
	github.com/serial-data-protocol/sdp/mxp/go v0.0.0
	github.com/zeebo/xxh3 v1.1.0
)

require (
	github.com/klauspost/cpuid/v2 v2.2.10 // indirect
	github.com/serial-data-protocol/sdp/runtime v0.0.0 // indirect
	golang.org/x/sys v0.30.0 // indirect
)

replace (
	github.com/serial-data-protocol/sdp/mxp/go => ../../mxp/go
	github.com/serial-data-protocol/sdp/runtime => ../../runtime
)
