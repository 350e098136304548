package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// goldenParts write what the tests compare with.
func goldenParts() []*part {
	return []*part{{name: "golden files", budget: seconds(300), packages: webFolder, needs: []requirement{lua}, steps: []step{
		run("go run ./tools/specgen"),
		run("go run ./tools/wireshark"),
		run("go run ./tools/reference"),
		run("go test ./compiler/check ./compiler/compat ./compiler/driver ./compiler/format ./compiler/lint ./compiler/plan -update"),
		run("go test ./compiler/backend/golang ./compiler/backend/rust ./compiler/backend/cpp -run Golden -update"),
		run("go run ./cmd/sdp gen --config spec/sdp.toml"),
		run("go test ./cmd/sdp -run Scripts").with("UPDATE_SCRIPTS=1"),
		run("go test ./examples -update"),
		run("go test ./tools/house -run Picture -update"),
		run("go test ./tools/dev -run Table -update"),
	}}}
}

// listParts prints every part with its budget.
func listParts(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, kind := range []struct {
		command string
		parts   []*part
	}{{"test", testParts()}, {"test-all", moreParts()}, {"explore", exploreParts(0)}} {
		for _, p := range kind.parts {
			fmt.Fprintf(table, "%s\t%4.0f s\t%s\n", kind.command, p.budget.Seconds(), p.name)
		}
	}
	return table.Flush()
}
