module github.com/serial-data-protocol/sdp/conformance/services/pairs

go 1.24.0
