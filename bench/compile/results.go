package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

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

// record is what was measured of a codec's code.
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

// spread is a median between the least and the greatest of some numbers: with five of them the true median
// is between these with a probability of 94 %.
type spread struct {
	median, least, greatest float64
	n                       int
}

func spreadOf(values []float64) spread {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return spread{(sorted[(n-1)/2] + sorted[n/2]) / 2, sorted[0], sorted[n-1], n}
}

// ratio is that of two builds which were measured in turns: of each round by itself.
func ratio(mine, other *buildRecord) spread {
	var ratios []float64
	for i := range min(len(mine.Seconds), len(other.Seconds)) {
		ratios = append(ratios, mine.Seconds[i]/other.Seconds[i])
	}
	return spreadOf(ratios)
}

// text is a spread in a table; one value has none.
func (s spread) text() string {
	if s.n == 1 {
		return number(s.median)
	}
	return fmt.Sprintf("%s (%s–%s)", number(s.median), number(s.least), number(s.greatest))
}

// number has three digits, or as many as stand before the point.
func number(v float64) string {
	for digits := 2; digits > 0; digits-- {
		if math.Abs(v) < math.Pow10(3-digits)*(1-math.Pow10(-3)/2) {
			return fmt.Sprintf("%.*f", digits, v)
		}
	}
	return thousands(int(math.Round(v)))
}

// thousands is a number with commas.
func thousands(n int) string {
	text := fmt.Sprint(n)
	var groups []string
	for len(text) > 3 {
		groups = append([]string{text[len(text)-3:]}, groups...)
		text = text[:len(text)-3]
	}
	return strings.Join(append([]string{text}, groups...), ",")
}
