module github.com/serial-data-protocol/sdp/editors/tree-sitter-sdp

go 1.24.0

require (
	github.com/serial-data-protocol/sdp v0.0.0-00010101000000-000000000000
	github.com/tree-sitter/go-tree-sitter v0.25.0
)

require (
	github.com/mattn/go-pointer v0.0.1 // indirect
	github.com/serial-data-protocol/sdp/runtime v0.0.0 // indirect
)

replace (
	github.com/serial-data-protocol/sdp => ../..
	github.com/serial-data-protocol/sdp/runtime => ../../runtime
)
