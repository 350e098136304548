package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// pythonBase is the codec that others are compared with in Python, SDP's engine that is always there.
const pythonBase = "sdp, python"

// pythonResults is the codecs' times in Python, by data sets.
type pythonResults struct {
	Machine, Engine, Date, Commit string
	Rounds                        int
	Versions                      map[string]string
	Datasets                      map[string]struct {
		Encode, Decode, Read, Build, Table map[string]timed
		Bytes                              map[string]int
	}
}

// PythonMarkdown is the table of docs/guide/tables-python.md, by the results in a folder.
func PythonMarkdown(dir string) (string, error) {
	text, err := os.ReadFile(filepath.Join(dir, "python.json"))
	if err != nil {
		return "", err
	}
	var of pythonResults
	if err := json.Unmarshal(text, &of); err != nil {
		return "", fmt.Errorf("python.json: %w", err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Median µs of processor time, and behind it how many times the time of %s that is. There are no targets.\n", pythonBase)
	for _, dataset := range slices.Sorted(maps.Keys(of.Datasets)) {
		d := of.Datasets[dataset]
		fmt.Fprintf(&b, "\n| %s | bytes | encode | decode | decode and read every field |\n|---|---|---|---|---|\n", dataset)
		for _, codec := range pythonCodecs(d.Bytes) {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", codec, Thousands(d.Bytes[codec]),
				pythonTime(d.Encode, codec), pythonTime(d.Decode, codec), pythonTime(d.Read, codec))
		}
	}
	for _, dataset := range slices.Sorted(maps.Keys(of.Datasets)) {
		d := of.Datasets[dataset]
		fmt.Fprintf(&b, "\n| %s | build all objects and encode | bytes to a table of Arrow, by pyarrow |\n|---|---|---|\n", dataset)
		for _, codec := range pythonCodecs(d.Bytes) {
			if _, there := d.Build[codec]; there {
				fmt.Fprintf(&b, "| %s | %s | %s |\n", codec, pythonTime(d.Build, codec), pythonTime(d.Table, codec))
			}
		}
	}
	var versions []string
	for _, name := range slices.Sorted(maps.Keys(of.Versions)) {
		versions = append(versions, name+" "+of.Versions[name])
	}
	fmt.Fprintf(&b, "\nMeasured on %s at commit %s with `bench/python/run.sh --write`: %s, %s, %d rounds; %s.\n",
		of.Date, of.Commit, of.Machine, of.Engine, of.Rounds, strings.Join(versions, ", "))
	return b.String(), nil
}

// pythonCodecs are the rows of a table: SDP's engines, and the others in the order of their letters.
func pythonCodecs(bytes map[string]int) []string {
	names := slices.Sorted(maps.Keys(bytes))
	slices.SortStableFunc(names, func(a, b string) int {
		switch ours, theirs := strings.HasPrefix(a, sdp), strings.HasPrefix(b, sdp); {
		case ours && !theirs:
			return -1
		case theirs && !ours:
			return 1
		}
		return 0
	})
	return names
}

// pythonTime is a cell: a time with its ratio, in three digits, since some are a small part.
func pythonTime(times map[string]timed, codec string) string {
	t, there := times[codec]
	switch {
	case !there:
		return ""
	case codec == pythonBase:
		return Number(t.Us)
	}
	return fmt.Sprintf("%s, %.3g × (%.3g to %.3g)", Number(t.Us), t.Ratio, t.Interval[0], t.Interval[1])
}

// withPython returns text with Python's table of the results in dir.
func withPython(text, dir string) (string, error) {
	table, err := PythonMarkdown(dir)
	if err != nil {
		return "", err
	}
	return Stamped(text, "bench-python", table)
}
