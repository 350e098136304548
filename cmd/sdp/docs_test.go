//go:build unix

package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// changing is what differs from one run to the next, and what stands for it.
var changing = []struct {
	pattern *regexp.Regexp
	name    string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z`), "MOMENT"},
	{regexp.MustCompile(`\d\d:\d\d:\d\d\.\d{3}`), "TIME"},
	{regexp.MustCompile(`deadline [\d.]+m?s`), "DEADLINE"},
	// Addresses are of another length, and so what follows them is elsewhere.
	{regexp.MustCompile(`(?m)^[0-9a-f]{8}  `), "OFFSET  "},
	{regexp.MustCompile(`[0-9a-f ]{23}  head.deadline +\d+`), "DEADLINE"},
}

// settled is an output with names for what differs.
func settled(text string) string {
	for _, c := range changing {
		text = c.pattern.ReplaceAllString(text, c.name)
	}
	return text
}

// session is a command of a document with its printed lines.
type session struct{ command, output string }

// sessions takes the commands out of the blocks of a document that are ```console,
// and the first blocks of other languages.
func sessions(t *testing.T, file string) (all []session, blocks map[string]string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	blocks = map[string]string{}
	for i, block := range strings.Split("\n"+string(text), "\n```") {
		language, body, _ := strings.Cut(block, "\n")
		switch {
		case i%2 == 0:
		case language != "console":
			if blocks[language] == "" {
				blocks[language] = body
			}
		default:
			for _, one := range strings.Split("\n"+body, "\n$ ")[1:] {
				command, output, _ := strings.Cut(one, "\n")
				all = append(all, session{command, strings.TrimSuffix(output, "\n")})
			}
		}
	}
	return all, blocks
}

// TestDocumentShowsWhatCommandsPrint runs what docs/calls.md shows. Servers and taps
// run on; at the end, they have to have printed what it says.
func TestDocumentShowsWhatCommandsPrint(t *testing.T) {
	all, blocks := sessions(t, "../../docs/calls.md")
	folder := t.TempDir()
	for name, text := range map[string]string{"host.sdp": blocks["sdp"] + "\n", "answers.json": blocks["json"], "sdp.toml": "schemas = [\"host.sdp\"]\n"} {
		put(t, folder, name, text)
	}
	here := func(text string) string { return strings.ReplaceAll(text, "/tmp/", folder+"/") }
	program, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(folder, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, filepath.Join(folder, "bin", "sdp")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Join(folder, "bin")+":"+os.Getenv("PATH"))
	t.Setenv("SDP_TEST_RUN", "1")
	type background struct {
		session
		out *bufio.Reader
	}
	var running []background
	for _, s := range all {
		if strings.HasPrefix(s.command, "sdp serve ") || strings.HasPrefix(s.command, "sdp tap ") {
			_, _, out := start(t, folder, asIs, strings.Fields(strings.TrimPrefix(here(s.command), "sdp "))...)
			first, _, _ := strings.Cut(s.output, "\n")
			until(t, out, here(first)) // it listens
			running = append(running, background{s, out})
			continue
		}
		command := exec.Command("sh", "-c", here(s.command))
		command.Dir = folder
		got, _ := command.CombinedOutput() // failures are shown, too
		if want := settled(here(s.output)); settled(strings.TrimSuffix(string(got), "\n")) != want {
			t.Errorf("%s\nprints\n%s\nand not\n%s", s.command, settled(string(got)), want)
		}
	}
	if len(running) != 2 || len(all) < 10 {
		t.Fatalf("%d commands were run, %d of them servers", len(all), len(running))
	}
	for _, b := range running {
		untilAll(t, b.out, strings.Split(settled(here(b.output)), "\n")[1:])
	}
}

// untilAll reads lines until all that are wanted have come. In which order the two
// sides speak is not always the same.
func untilAll(t *testing.T, out *bufio.Reader, wanted []string) {
	t.Helper()
	var seen strings.Builder
	for len(wanted) > 0 {
		line, err := out.ReadString('\n')
		line = settled(strings.TrimSuffix(line, "\n"))
		seen.WriteString(line + "\n")
		if at := slices.Index(wanted, line); at >= 0 {
			wanted = slices.Delete(wanted, at, at+1)
		}
		if err != nil {
			t.Fatalf("no line %q but %v, after:\n%s", wanted, err, seen.String())
		}
	}
}
