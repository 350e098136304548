//go:build linux

package lsp

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A machine that does much else is slower; these are the targets where it does not.
var isIdle = flag.Bool("idle", false, "hold TestSpeed to its targets")

// large are 10,000 lines in 50 files, each of which imports one before it.
func large() map[string]string {
	files := map[string]string{"sdp.toml": "schemas = [\".\"]\n"}
	for i := range 50 {
		var b strings.Builder
		fmt.Fprintf(&b, "package big.p%d;\n\n", i)
		if i > 0 {
			fmt.Fprintf(&b, "import \"p%d.sdp\";\n", i-1)
		}
		for j := 0; strings.Count(b.String(), "\n") < 200; j++ {
			fmt.Fprintf(&b, "/// Kind says what it is.\nenum Kind%d: u8 {\n    A = 0,\n    B = 1,\n    C = 2,\n}\n\n", j)
			fmt.Fprintf(&b, "/// Node %d is one.\n@id(%d)\nmessage Node%d {\n    id: u32,\n    kind: Kind%d,\n    name: str,\n    values: []f64,\n    /// The child.\n    child: ?Node%d,\n", j, j+1, j, j, max(0, j-1))
			if i > 0 {
				fmt.Fprintf(&b, "    other: p%d.Node%d,\n", i-1, j)
			}
			b.WriteString("}\n\n")
		}
		files[fmt.Sprintf("p%d.sdp", i)] = b.String()
	}
	return files
}

// times are how long something took, again and again.
type times []time.Duration

func (all times) at(percent int) time.Duration {
	slices.Sort(all)
	return all[min(len(all)-1, len(all)*percent/100)]
}

func (all *times) of(do func()) {
	start := time.Now()
	do()
	*all = append(*all, time.Since(start))
}

var peakLine = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// processorTime is the used time of a process, in milliseconds.
func processorTime(t *testing.T, pid int) float64 {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return float64(user+system) * 10
}

func TestSpeed(t *testing.T) {
	files := large()
	lines := 0
	for _, text := range files {
		lines += strings.Count(text, "\n")
	}
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c, pid := process(t, folder)
	rounds := 5
	if *isIdle {
		rounds = 100
	}
	var first, problems, hovers, completions times
	first.of(func() {
		c.begins(files, "")
		c.opens("p25.sdp", files["p25.sdp"])
	})
	text := files["p25.sdp"]
	at := in(text, "    values: []f64", 0)
	version := int32(1)
	for i := range rounds {
		for _, letter := range fmt.Sprintf("    added%d: Kind1,\n", i) {
			version++
			problems.of(func() {
				c.changes("p25.sdp", version, change{&textRange{at, at}, string(letter)})
			})
			if at.Character++; letter == '\n' {
				at = position{at.Line + 1, 0}
			}
			if version%4 == 0 {
				hovers.of(func() { c.must("textDocument/hover", c.at("p25.sdp", in(text, "Node0", 1))) })
				completions.of(func() { c.must("textDocument/completion", c.at("p25.sdp", at)) })
			}
		}
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	peak, _ := strconv.Atoi(peakLine.FindStringSubmatch(string(status))[1])
	t.Logf("%d lines, %d edits: first problems %v; problems p50 %v, p99 %v; hover p50 %v, p99 %v; completion p50 %v, p99 %v; peak %d MiB; %.1f ms of processor time an edit",
		lines, len(problems), first[0], problems.at(50), problems.at(99), hovers.at(50), hovers.at(99), completions.at(50), completions.at(99), peak>>10,
		processorTime(t, pid)/float64(len(problems)))
	percent, slack := 50, time.Duration(3)
	if *isIdle {
		percent, slack = 99, 1
	}
	for what, held := range map[string]struct{ took, most time.Duration }{
		"the first problems": {first[0], 300 * time.Millisecond}, "problems": {problems.at(percent), 100 * time.Millisecond},
		"hover": {hovers.at(percent), 30 * time.Millisecond}, "completion": {completions.at(percent), 30 * time.Millisecond},
	} {
		if held.took > slack*held.most {
			t.Errorf("%s: %v, and %v are the target", what, held.took, held.most)
		}
	}
	if peak>>10 > 120 {
		t.Errorf("%d MiB are used, and 120 are the target", peak>>10)
	}
}
