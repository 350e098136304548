package main

// program is one that is released for each target.
type program struct {
	name, module string // module is the folder of its Go module
	section      string // of Debian's packages
	about, more  string // about is a line
}

// file is the name of the program's file on a target.
func (p program) file(t target) string {
	if t.os == "windows" {
		return p.name + ".exe"
	}
	return p.name
}

var (
	sdp = program{"sdp", ".", "devel", "Compiler of SDP, a schema language with a binary format",
		"It generates code in C++, Go, Python, Rust and TypeScript."}
	sdpMesh = program{"sdp-mesh", "mesh", "net", "Node of a mesh of programs with SDP's services",
		"Programs find each other by it, and hear each other's events."}
	sdpMCP = program{"sdp-mcp", "mcp", "net", "Methods of SDP's services as tools for agents",
		"It serves the Model Context Protocol on its standard input and output."}

	programs = []program{sdp, sdpMesh, sdpMCP}
)
