// Package report keeps what was measured in files of one form for all languages, holds it against the
// targets, and writes the tables that people read. It measures nothing.
package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Results is a file of bench/results: one run of one language on one data set. schema.json beside the files
// says what each member means.
type Results struct {
	Language string `json:"language"`
	Dataset  string `json:"dataset"`
	// Allocator is empty for a language that has no choice.
	Allocator string   `json:"allocator,omitempty"`
	Date      string   `json:"date"`
	Commit    string   `json:"commit"`
	Command   string   `json:"command"`
	Machine   Machine  `json:"machine"`
	Records   []Record `json:"records"`
	// Latencies are there where single operations were timed.
	Latencies []Latency `json:"latencies,omitempty"`
}

// Machine is where a run was made.
type Machine struct {
	CPU      string  `json:"cpu"`
	Cores    int     `json:"cores"`
	OS       string  `json:"os"`
	Arch     string  `json:"arch"`
	Compiler string  `json:"compiler"`
	Load     float64 `json:"load"`
}

// Record is one case of one codec.
type Record struct {
	Group       string      `json:"group"`
	Case        string      `json:"case"`
	Codec       string      `json:"codec"`
	Version     string      `json:"version"`
	Bytes       int         `json:"bytes"`
	Nanoseconds Nanoseconds `json:"ns"`
	Allocations float64     `json:"allocations"`
	Allocated   float64     `json:"allocated_bytes"`
	Heap        Heap        `json:"heap"`
}

// Latency is how long single operations of one codec took, in nanoseconds.
type Latency struct {
	Case        string  `json:"case"`
	Codec       string  `json:"codec"`
	Operations  int     `json:"operations"`
	Median      float64 `json:"median"`
	P99         float64 `json:"p99"`
	Worst       float64 `json:"worst"`
	Allocations float64 `json:"allocations"`
}

// Nanoseconds are the times of one operation.
type Nanoseconds struct {
	Median  float64   `json:"median"`
	P10     float64   `json:"p10"`
	P90     float64   `json:"p90"`
	Samples []float64 `json:"samples"`
}

// Heap is the state of the heap that a record was measured in.
type Heap struct {
	Mode      string `json:"mode"`
	LiveBytes uint64 `json:"live_bytes"`
	Collector string `json:"collector"`
}

// NewNanoseconds computes the median and the spread of samples, which stay in the order of their rounds.
func NewNanoseconds(samples []float64) Nanoseconds {
	return Nanoseconds{
		Median: quantile(samples, 0.5), P10: quantile(samples, 0.1), P90: quantile(samples, 0.9), Samples: samples,
	}
}

// quantile is the sample at rank q of all; between two ranks it interpolates.
func quantile(samples []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(samples))
	rank := q * float64(len(sorted)-1)
	below := int(rank)
	if below+1 >= len(sorted) {
		return sorted[below]
	}
	return sorted[below] + (rank-float64(below))*(sorted[below+1]-sorted[below])
}

// path is the file of a data set's results.
func path(dir, dataset string) string { return filepath.Join(dir, "go-"+dataset+".json") }

// Write writes the file of r in dir.
func (r *Results) Write(dir string) error {
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path(dir, r.Dataset), append(data, '\n'), 0o644)
}

// Read reads the results of the data sets that have targets; what was not measured is left out.
func Read(dir string) (map[string]*Results, error) {
	all := map[string]*Results{}
	for _, name := range slices.Concat(general, arrays, absent) {
		if err := readInto(all, name, path(dir, name)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// readInto reads a file of results if it is there.
func readInto(all map[string]*Results, key, file string) error {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	r := &Results{}
	if err := json.Unmarshal(data, r); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	all[key] = r
	return nil
}

// find returns the record that want names, or nil.
func (r *Results) find(want record) *Record {
	if r == nil {
		return nil
	}
	var found *Record
	for i := range r.Records {
		c := &r.Records[i]
		has := record{c.Group, c.Codec, c.Case, c.Heap.Mode}
		if want.codec == fastestPeer && c.Codec != sdp && c.Codec != sdpPMR {
			has.codec = fastestPeer
		}
		if has == want && (found == nil || c.Nanoseconds.Median < found.Nanoseconds.Median) {
			found = c
		}
	}
	return found
}
