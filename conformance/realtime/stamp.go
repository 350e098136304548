package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// results is where measurements are kept.
var results = filepath.Join("bench", "results", "realtime")

// stampLatency writes tables of how long operations take into the guide.
func stampLatency() error {
	var text strings.Builder
	for _, of := range languages {
		file, err := os.ReadFile(filepath.Join(results, of.results))
		if err != nil {
			return err
		}
		var m measurement
		if err := json.Unmarshal(file, &m); err != nil {
			return fmt.Errorf("%s: %w", of.results, err)
		}
		m.table(&text)
	}
	return stamp("realtime", text.String())
}

// stamp writes results into their place in the guide.
func stamp(place, text string) error {
	guide := filepath.Join("docs", "guide", "realtime.md")
	page, err := os.ReadFile(guide)
	if err != nil {
		return err
	}
	begins, end := "<!-- "+place+":begin -->\n", "<!-- "+place+":end -->\n"
	before, rest, isThere := strings.Cut(string(page), begins)
	_, after, ends := strings.Cut(rest, end)
	if !isThere || !ends {
		return fmt.Errorf("%s has no place for %s", guide, place)
	}
	return os.WriteFile(guide, []byte(before+begins+text+end+after), 0o666)
}

// table is how long the operations of a language take.
func (m *measurement) table(to *strings.Builder) {
	beside := "`cyclictest` could not run"
	if s := m.Scheduler; s != nil {
		beside = fmt.Sprintf("`cyclictest` woke late by %d µs at most, of %s times", s.Max, thousands(s.Cycles))
	}
	fmt.Fprintf(to, "%s: %s runs in turn, on %s, kernel %s; thread with %s; load %.1f. In the same time %s.\n\n", m.Language, thousands(m.Runs), m.Machine.CPU, m.Machine.Kernel, m.Thread, m.Machine.Load, beside)
	fmt.Fprintf(to, "| %s | p50, ns | p99 | p99.9 | longest |\n|---|---|---|---|---|\n", m.Language)
	for _, t := range m.Operations {
		fmt.Fprintf(to, "| `%s` | %s | %s | %s | %s |\n", t.Name, thousands(t.P50), thousands(t.P99), thousands(t.P999), thousands(t.Max))
	}
	to.WriteString("\n")
}
