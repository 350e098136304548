package peer

import (
	"fmt"
	"slices"
	"strings"
)

// Language is one whose program in examples/mxp is tested.
type Language struct {
	Name string
	// Program is its file, from the root of the repository.
	Program string
	// Transports are the schemes that it has.
	Transports []string
}

// Languages are all that have a program.
var Languages = []Language{
	{"Go", "examples/mxp/go/out/mxp_demo", []string{"unix", "tcp", "tls", "shm", "ws", "wss"}},
	{"Rust", "target/examples/debug/mxp_demo", []string{"unix", "tcp", "tls", "shm", "ws", "wss"}},
	{"C++", "target/mxp-examples/mxp_demo", []string{"unix", "tcp", "tls", "shm", "ws", "wss"}},
	{"TypeScript", "examples/mxp/typescript/out/main.js", []string{"unix", "tcp", "tls", "ws", "wss"}},
}

// silence begins the names of cases that take as long as the protocol's limits, and are played
// over unix sockets alone.
const silence = "silence: "

// transports are the transports of a language that a case is played over.
func (c *Case) transports(l Language) (schemes []string) {
	for _, scheme := range l.Transports {
		if c.runsOver(scheme) && (scheme == "unix" || !strings.HasPrefix(c.Name, silence)) {
			schemes = append(schemes, scheme)
		}
	}
	return schemes
}

// Table is the page of all cases, in Markdown.
func Table() string {
	servers, clients := ServerCases(), ClientCases()
	var page strings.Builder
	fmt.Fprintf(&page, `# The endpoint suite

[sdp-peer-test](testing.md#servers-and-clients) plays the other side of a connection against a server or a client, byte by byte: %d cases for servers, and %d for clients. Here are all of them, with the clauses of [spec/mxp.md](../spec/mxp.md) that they hold, and the transports over which the tests of the repository play them
against each language. A case that failed would fail those tests: there is none that is known to.

The page is made by `+"`sdp-peer-test table`"+`.
`, len(servers), len(clients))
	list(&page, "Servers", servers)
	list(&page, "Clients", clients)
	return page.String()
}

func list(page *strings.Builder, title string, cases []*Case) {
	fmt.Fprintf(page, "\n## %s\n", title)
	subject := ""
	for _, c := range cases {
		about, what, _ := strings.Cut(c.Name, ": ")
		if about != subject {
			subject = about
			fmt.Fprintf(page, "\n### %s\n\n| case | clauses |", about)
			for _, l := range Languages {
				fmt.Fprintf(page, " %s |", l.Name)
			}
			fmt.Fprintf(page, "\n|---|---|%s\n", strings.Repeat("---|", len(Languages)))
		}
		fmt.Fprintf(page, "| %s | %s |", cell(what), c.Clauses)
		for _, l := range Languages {
			fmt.Fprintf(page, " %s |", shortened(c.transports(l), l.Transports))
		}
		page.WriteString("\n")
	}
}

// shortened are some of a language's schemes in words.
func shortened(schemes, all []string) string {
	if slices.Equal(schemes, all) {
		return "all"
	}
	return strings.Join(schemes, ", ")
}

// cell is a text as Markdown has it in a table.
func cell(text string) string {
	return strings.NewReplacer("|", "&#124;", "<", "&lt;", "\n", " ", "^", "\\^").Replace(text)
}
