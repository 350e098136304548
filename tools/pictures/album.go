package main

import "fmt"

// pictures are all that there are; the root is the repository's folder.
func pictures(root string) ([]*picture, error) {
	fields, err := inspected(root, "docs/start.md", "plugins.sdp", "registry.json", "Registry")
	if err != nil {
		return nil, err
	}
	last := fields[len(fields)-1]
	message := &rows{fields: fields, groups: []group{{"header", warn, "magic"}, {"segment 1", accent, "plugins"}, {"segment 2", plain, "scanned_at"}}, legend: "dashed: lengths of texts and lists"}
	return []*picture{
		{"overview", "README.md", "A host in C++ calls a plug-in in Rust over shared memory, a service in Go over TCP with TLS, a page in TypeScript over WebSocket; a mesh node connects services of other machines; files hold the same messages", overview},
		{"message", "docs/start.md", fmt.Sprintf("The %d bytes of the message: a header of 10 with magic, type id and length; segment 1 with the list of plugins, each text and list behind its length; segment 2 of one byte, which says that scanned_at is absent", last.Offset+len(last.cells())), message},
		{"evolution", "docs/evolution.md", "Release 1 reads name and kind of the new bytes, has the kind Analyzer as the number 2, and keeps segment 2 as bytes; release 2 reads the old bytes, and has the missing values of gain and author", evolution},
		{"handshake", "docs/mxp.md", "Client and server send Hello with the hashes of their types; the hashes of Filter differ, so both send its layouts and compare; the method list works, and search, whose Filter the server can't read, is refused at the client with session_schema", handshake},
		{"credit", "docs/mxp.md", "A reader opens a stream with a credit of 2 MiB; the writer sends two chunks of 1 MiB, and waits until the reader has taken one and grants 1 MiB anew", credit},
		{"drain", "docs/services.md", "A server that drains refuses call 2, which met its Drain on the way; the client connects to the next server and repeats call 2 there, while the old server still answers call 1 and then closes", drain},
		{"mesh", "docs/mesh.md", "Three machines with a node each, and NATS between the nodes; mixer registers at its node, host asks the node of its own machine where mixer is, and calls it directly over TLS; what mixer publishes comes by NATS to screen on the third machine", mesh},
		{"transports", "docs/mxp.md", "Real-time threads of one machine take a channel in shared memory, a page of a browser WebSocket, and MessagePort to its workers, programs of one machine that call very often shared memory, and others there unix sockets; between machines it is TLS; the mesh finds programs by name, and then takes one of these", transports},
	}, nil
}

var overview = &boxes{
	boxes: []box{
		{"one", "one machine", sized(4, 4, 316, 232), lane},
		{"other", "other machines", sized(424, 4, 136, 232), lane},
		{"plug-in", "plug-in\nRust", sized(14, 34, 92, 44), plain},
		{"file", "file", sized(14, 98, 92, 44), dashed},
		{"host", "host\nC++", sized(214, 34, 98, 108), accent},
		{"node", "mesh node", sized(214, 182, 98, 44), plain},
		{"page", "page\nTypeScript", sized(432, 34, 120, 44), plain},
		{"service", "service\nGo", sized(432, 98, 120, 44), plain},
		{"far", "mesh node", sized(432, 182, 120, 44), plain},
	},
	arrows: []arrow{
		{source: "host", target: "plug-in", label: "shared memory", look: accent},
		{source: "host", target: "file", label: "same messages"},
		{source: "host", target: "page", label: "WebSocket", look: accent, mutual: true},
		{source: "host", target: "service", label: "TCP with TLS", look: accent},
		{source: "host", target: "node", label: "unix socket", shift: -38},
		{source: "service", target: "far", label: "unix socket", shift: -45},
		{source: "node", target: "far", label: "NATS\nnames, events", mutual: true},
	},
}

var evolution = &boxes{
	boxes: []box{
		{"new 1", "segment 1\nname: Bell\nkind: Analyzer", sized(4, 28, 126, 68), plain},
		{"new 2", "segment 2\ngain: 0.5\nauthor: Ada", sized(130, 28, 126, 68), accent},
		{"read 1", "segment 1\nname: Bell\nkind: 2", sized(326, 28, 126, 68), plain},
		{"read 2", "segment 2\nkept as bytes:\n@keep_unknown", sized(452, 28, 126, 68), dashed},
		{"old 1", "segment 1\nname: Bell\nkind: Effect", sized(4, 140, 126, 68), plain},
		{"sight 1", "segment 1\nname: Bell\nkind: Effect", sized(326, 140, 126, 68), plain},
		{"sight 2", "missing values\ngain: 1\nauthor: absent", sized(452, 140, 126, 68), dashed},
	},
	arrows: []arrow{
		{source: "new 2", target: "read 1"},
		{source: "old 1", target: "sight 1"},
	},
	notes: []note{
		{point{4, 18}, faint, "bytes of release 2"}, {point{326, 18}, faint, "what release 1 reads"},
		{point{4, 130}, faint, "bytes of release 1"}, {point{326, 130}, faint, "what release 2 reads"},
	},
}

var handshake = &sequence{
	actors: []string{"client\nrelease 2", "server\nrelease 1"}, room: 380, margin: 80,
	steps: []step{
		{source: 0, target: 1, text: "Hello: hashes of types", opposite: "Hello: hashes of types"},
		{source: 0, target: 1, note: true, text: "each finds that the hashes of Filter differ"},
		{source: 0, target: 1, text: "Layouts of Filter", opposite: "Layouts of Filter"},
		{source: 0, target: 1, note: true, text: "each finds that the server can't read Filter"},
		{source: 0, target: 1, text: "Call of list", look: accent},
		{source: 1, target: 0, text: "Response", look: accent},
		{source: 0, target: 0, note: true, text: "search is refused:\nsession_schema", look: warn},
	},
}

var credit = &sequence{
	actors: []string{"writer\nserver", "reader\nclient"}, room: 270, margin: 104,
	steps: []step{
		{source: 1, target: 0, text: "StreamOpen: credit of 2 MiB", state: "2 MiB left"},
		{source: 0, target: 1, text: "chunk of 1 MiB", look: accent, state: "1 MiB left"},
		{source: 0, target: 1, text: "chunk of 1 MiB", look: accent, state: "0 left"},
		{source: 0, target: 0, note: true, text: "waits", look: warn},
		{source: 1, target: 1, note: true, text: "takes a chunk"},
		{source: 1, target: 0, text: "Credit of 1 MiB", state: "1 MiB left"},
		{source: 0, target: 1, text: "chunk of 1 MiB", look: accent, state: "0 left"},
	},
}

var drain = &sequence{
	actors: []string{"server\ndrains", "client", "next server\nsame address"}, room: 224, margin: 80,
	steps: []step{
		{source: 1, target: 0, text: "Call 1"},
		{source: 0, target: 1, text: "Drain", opposite: "Call 2"},
		{source: 0, target: 1, text: "refused: session_draining", look: warn},
		{source: 1, target: 2, text: "Hello, then Call 2", look: accent},
		{source: 0, target: 1, text: "Response 1"},
		{source: 0, target: 0, note: true, text: "closes", last: true},
		{source: 2, target: 1, text: "Response 2", look: accent},
	},
}

var mesh = &boxes{
	boxes: []box{
		{"nats", "NATS: names and events", sized(4, 4, 588, 36), dashed},
		{"1", "machine 1", sized(4, 60, 188, 196), lane},
		{"2", "machine 2", sized(204, 60, 188, 196), lane},
		{"3", "machine 3", sized(404, 60, 188, 196), lane},
		{"node 1", "node\nsdp-mesh", sized(18, 94, 160, 44), plain},
		{"node 2", "node\nsdp-mesh", sized(218, 94, 160, 44), plain},
		{"node 3", "node\nsdp-mesh", sized(418, 94, 160, 44), plain},
		{"mixer", "mixer", sized(18, 196, 126, 46), accent},
		{"host", "host", sized(272, 196, 106, 46), accent},
		{"screen", "screen", sized(435, 196, 126, 46), accent},
	},
	arrows: []arrow{
		{source: "node 1", target: "nats", mutual: true},
		{source: "node 2", target: "nats", mutual: true},
		{source: "node 3", target: "nats", mutual: true},
		{source: "mixer", target: "node 1", label: "1 register", shift: -57},
		{source: "host", target: "node 2", label: "2 discover", shift: -42},
		{source: "host", target: "mixer", label: "3 call\nTLS", look: accent, slide: 29},
		{source: "mixer", target: "node 1", label: "4 publish", shift: 32},
		{source: "node 3", target: "screen", label: "5 event"},
	},
}

var transports = &boxes{
	boxes: []box{
		{"threads", "Real-time threads?\none machine, fixed sizes", sized(4, 4, 220, 46), plain},
		{"browser", "A page of a browser?", sized(4, 78, 220, 46), plain},
		{"often", "Very many small calls?\non one machine", sized(4, 152, 220, 46), plain},
		{"machine", "One machine?", sized(4, 226, 220, 46), plain},
		{"tls", "mxp+tls\nmxp+tcp: no protection", sized(4, 300, 220, 46), accent},
		{"channel", "channel of mxp+shm\nC++ and Rust, Linux", sized(290, 4, 270, 46), accent},
		{"websocket", "mxp+wss, mxp+ws\nMessagePort to its workers", sized(290, 78, 270, 46), accent},
		{"memory", "mxp+shm\nLinux; costs processor time", sized(290, 152, 270, 46), accent},
		{"unix", "mxp+unix", sized(290, 226, 270, 46), accent},
		{"mesh", "mesh:///name\nfound by name, then one of these", sized(290, 300, 270, 46), dashed},
	},
	arrows: []arrow{
		{source: "threads", target: "channel", label: "yes"}, {source: "threads", target: "browser", label: "no"},
		{source: "browser", target: "websocket", label: "yes"}, {source: "browser", target: "often", label: "no"},
		{source: "often", target: "memory", label: "yes"}, {source: "often", target: "machine", label: "no"},
		{source: "machine", target: "unix", label: "yes"}, {source: "machine", target: "tls", label: "no"},
	},
}
