package main

// program is one that is released for each target.
type program struct {
	name, module string // module is the folder of its Go module
	section      string // of Debian's packages
	about        string
}

// file is the name of the program's file on a target.
func (p program) file(t target) string {
	if t.os == "windows" {
		return p.name + ".exe"
	}
	return p.name
}

var (
	sdp     = program{"sdp", ".", "devel", "The compiler of SDP, a schema language with a binary format"}
	sdpMesh = program{"sdp-mesh", "mesh", "net", "A node of a mesh, by which programs with SDP's services find each other"}
	sdpMCP  = program{"sdp-mcp", "mcp", "net", "A server of the Model Context Protocol that offers methods of SDP's services"}

	programs = []program{sdp, sdpMesh, sdpMCP}
)
