package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of machines in docs/platforms.md")

// features are the columns' letters, in their order, of a cell.
const features = "vrfstmc"

// cell has the features of a language that parts run on a machine, or only build.
type cell struct{ language, runs, builds, parts string }

// machines are the rows of the table: which part runs a cell is said here, and nowhere else.
var machines = []struct {
	name  string
	cells []cell
}{
	{"x86-64", []cell{
		{"Go", "vrfstm", "", "vectors, Go tests of other modules"},
		{"Rust", "vrfstmc", "", "vectors, Rust tests"},
		{"C++", "vrfstmc", "", "vectors, C++ tests, MXP's C++ tests"},
		{"TypeScript", "vrfst", "", "vectors, frame runner in TypeScript"},
		{"Python", "vrstm", "", "vectors, runner in Python, services in Python"},
	}},
	{"32 bits (i686)", []cell{
		{"Go", "rfst", "", "Go with 32 bits"}, {"Rust", "rfs", "", "Rust with 32 bits"}, {"C++", "vrf", "", "C++ with 32 bits"},
	}},
	{"big-endian (s390x, in QEMU)", []cell{
		{"Go", "rf", "", "big-endian Go"}, {"Rust", "rf", "", "big-endian Rust"}, {"C++", "vrf", "", "big-endian C++"},
	}},
	{"ARM64 (in QEMU)", []cell{
		{"Go", "vrfstm", "", "ARM64 Go"}, {"Rust", "vrfstmc", "", "ARM64 Rust"}, {"C++", "vrfstmc", "", "ARM64 C++"},
		{"TypeScript", "vrfst", "", "ARM64 TypeScript"}, {"Python", "vrstm", "", "ARM64 Python"},
	}},
	{"microcontroller (`thumbv7em-none-eabi`)", []cell{{"Rust", "", "rf", "bare metal"}}},
}

// table is the table in Markdown.
func machineTable() string {
	languages := []string{"Go", "Rust", "C++", "TypeScript", "Python"}
	var b strings.Builder
	fmt.Fprintf(&b, "| | %s |\n|---|%s\n", strings.Join(languages, " | "), strings.Repeat("---|", len(languages)))
	for _, m := range machines {
		fmt.Fprintf(&b, "| %s |", m.name)
		for _, language := range languages {
			text := "–"
			if at := slices.IndexFunc(m.cells, func(c cell) bool { return c.language == language }); at >= 0 {
				text = m.cells[at].runs
				if m.cells[at].builds != "" {
					text += "(" + m.cells[at].builds + ")"
				}
			}
			fmt.Fprintf(&b, " %s |", text)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestTableOfMachinesNamesParts(t *testing.T) {
	all := names(slices.Concat(testParts(), moreParts(), exploreParts(0)))
	shown := map[string]bool{}
	for _, m := range machines {
		for _, c := range m.cells {
			for _, name := range strings.Split(c.parts, ", ") {
				shown[name] = true
				if !slices.Contains(all, name) {
					t.Errorf("%s of %s: there is no part %q", c.language, m.name, name)
				}
			}
			if strings.Trim(c.runs+c.builds, features) != "" {
				t.Errorf("%s of %s: no feature has one of the letters %s", c.language, m.name, c.runs+c.builds)
			}
		}
	}
	for _, p := range machineParts() {
		if !shown[p.name] {
			t.Errorf("no cell has the part %s", p.name)
		}
	}
}

func TestPageHasTheTableOfMachines(t *testing.T) {
	const page, head = "docs/platforms.md", "## Machines\n"
	read, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(read), head)
	above, rest, _ := strings.Cut(rest, "\n| ")
	_, below, found := strings.Cut(rest, "|\n\n")
	if !found {
		t.Fatalf("%s has no table below %q", page, head)
	}
	want := before + head + above + "\n" + machineTable() + "\n" + below
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if want != string(read) {
		t.Errorf("%s has another table; `go test ./tools/dev -run Table -update` writes it", page)
	}
}
