package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/serial-data-protocol/sdp/bench/go/report"
)

// resultsFolder is where results are, from the repository's root: a file for each language and schema.
const resultsFolder = "bench/results/compile"

// sdpEverything is SDP's code with all that it has: every form, JSON, and in Rust serde.
const sdpEverything = "sdp, everything on"

// sdpDefault is SDP's code as it is made where nobody asks for more: owned values, and JSON.
const sdpDefault = "sdp, default"

// results are what one run has measured of a language on a schema. results.schema.json says what each member means.
type results struct {
	Language string         `json:"language"`
	Schema   string         `json:"schema"`
	Title    string         `json:"title"`
	Messages int            `json:"messages"`
	Date     string         `json:"date"`
	Commit   string         `json:"commit"`
	Command  string         `json:"command"`
	Machine  report.Machine `json:"machine"`
	With     []string       `json:"with"`
	Code     []codeRecord   `json:"code"`
}

type codeRecord struct {
	Codec   string        `json:"codec"`
	Lines   int           `json:"lines,omitempty"`
	Object  int           `json:"object_bytes,omitempty"`
	Program int           `json:"program_bytes,omitempty"`
	Builds  []buildRecord `json:"builds"`
}

type buildRecord struct {
	Build     string    `json:"build"`
	Seconds   []float64 `json:"seconds"`
	Megabytes []float64 `json:"megabytes"`
}

// newResults are empty results that say where and when they are measured.
func newResults(w *workshop, l *language, s *schema) (*results, error) {
	here, err := report.Here(w.root)
	if err != nil {
		return nil, err
	}
	with, err := l.versions(w)
	if err != nil {
		return nil, err
	}
	here.Machine.Compiler = with[0]
	return &results{
		Language: l.name, Schema: s.name, Title: s.title, Messages: s.messages(), Date: here.Date, Commit: here.Commit,
		Command: "make bench-compile", Machine: here.Machine, With: with[1:],
	}, nil
}

// record is the measurements of a codec's code.
func (c *code) record() (codeRecord, error) {
	r := codeRecord{Codec: c.codec, Lines: c.lines}
	for _, b := range c.builds {
		record := buildRecord{Build: b.name}
		for _, s := range c.samples[b.name] {
			record.Seconds = append(record.Seconds, rounded(s.seconds))
			record.Megabytes = append(record.Megabytes, math.Round(s.megabytes))
		}
		r.Builds = append(r.Builds, record)
	}
	var err error
	if c.object != nil {
		if r.Object, err = c.object(); err != nil {
			return r, err
		}
	}
	if c.program != nil {
		r.Program, err = c.program()
	}
	return r, err
}

func rounded(seconds float64) float64 { return math.Round(seconds*1000) / 1000 }

func (r *results) write(folder string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return write(filepath.Join(folder, r.Language+"-"+r.Schema+".json"), string(text)+"\n")
}

// readResults reads all results of a folder, in the order of languages and schemas.
func readResults(folder string) ([]*results, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, err
	}
	var all []*results
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		r := &results{}
		if err := json.Unmarshal(text, r); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, r)
	}
	slices.SortStableFunc(all, func(a, b *results) int {
		if a.Language != b.Language {
			return slices.Index(languageNames(), a.Language) - slices.Index(languageNames(), b.Language)
		}
		return slices.Index(schemaNames, a.Schema) - slices.Index(schemaNames, b.Schema)
	})
	return all, nil
}

// find finds what was measured of a codec; nil if nothing was.
func (r *results) find(codec string) *codeRecord {
	i := slices.IndexFunc(r.Code, func(c codeRecord) bool { return c.Codec == codec })
	if i < 0 {
		return nil
	}
	return &r.Code[i]
}

// find finds a build; nil if there is none.
func (c *codeRecord) find(build string) *buildRecord {
	if c == nil {
		return nil
	}
	i := slices.IndexFunc(c.Builds, func(b buildRecord) bool { return b.Build == build })
	if i < 0 {
		return nil
	}
	return &c.Builds[i]
}

// ratio is that of two builds which were measured in turns: of each round by itself.
func ratio(mine, other *buildRecord) report.Interval {
	var ratios []float64
	for i := range min(len(mine.Seconds), len(other.Seconds)) {
		ratios = append(ratios, mine.Seconds[i]/other.Seconds[i])
	}
	return report.IntervalOf(ratios)
}

// spread is a median in a table, with its bounds where it was measured more than once.
func spread(values []float64) string {
	i := report.IntervalOf(values)
	if i.Samples == 1 {
		return report.Number(i.Median)
	}
	return fmt.Sprintf("%s (%s to %s)", report.Number(i.Median), report.Number(i.Low), report.Number(i.High))
}
