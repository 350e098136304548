module github.com/serial-data-protocol/sdp/runtime

go 1.24.0
