module github.com/serial-data-protocol/sdp

go 1.24
