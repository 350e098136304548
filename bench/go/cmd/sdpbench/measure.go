package main

import (
	"fmt"
	"io"
	"math"
	"slices"

	bench "github.com/serial-data-protocol/sdp/bench/go"
	"github.com/serial-data-protocol/sdp/bench/go/measure"
	"github.com/serial-data-protocol/sdp/bench/go/report"
)

// group is a set of cases that are sampled in turn.
type group struct {
	name  string
	cases []bench.Case
	heap  measure.Heap
	// rounds is how many times as many rounds as others it gets.
	rounds int
	// all says that only a codec with all of the cases takes part.
	all bool
}

// groups are all comparisons of a data set. A message and its bytes differ by little, so that they are a pair
// of one process and get more rounds.
var groups = []group{
	{"encode_fresh", []bench.Case{bench.EncodeFresh}, measure.HeapMinimal, 1, false},
	{"encode_reused", []bench.Case{bench.EncodeReused}, measure.HeapMinimal, 1, false},
	{"decode_fresh", []bench.Case{bench.DecodeFresh}, measure.HeapMinimal, 1, false},
	{"decode_reused", []bench.Case{bench.DecodeReused}, measure.HeapMinimal, 1, false},
	{"decode_reused_alias", []bench.Case{bench.DecodeReusedAlias}, measure.HeapMinimal, 1, false},
	{"read", []bench.Case{bench.Read, bench.ReadValidate}, measure.HeapMinimal, 1, false},
	{"encode_fresh_message", []bench.Case{bench.EncodeFresh, bench.EncodeFreshMessage}, measure.HeapMinimal, 2, true},
	{"encode_reused_message", []bench.Case{bench.EncodeReused, bench.EncodeReusedMessage}, measure.HeapMinimal, 2, true},
	{"decode_fresh_message", []bench.Case{bench.DecodeFresh, bench.DecodeFreshMessage}, measure.HeapMinimal, 2, true},
	{"encode_fresh", []bench.Case{bench.EncodeFresh}, measure.HeapLive64, 1, false},
	{"decode_fresh", []bench.Case{bench.DecodeFresh}, measure.HeapLive64, 1, false},
	{"decode_reused", []bench.Case{bench.DecodeReused}, measure.HeapLive64, 1, false},
}

// jobs are the processes of the group on a data set.
func (g *group) jobs(d bench.Dataset, o options) []measure.Job {
	var jobs []measure.Job
	for _, s := range d.Subjects {
		if !o.filter.codecs.has(s.Codec()) {
			continue
		}
		var cases []bench.Case
		for _, k := range g.cases {
			if slices.Contains(s.Cases(), k) && (g.all || o.filter.cases.has(string(k))) {
				cases = append(cases, k)
			}
		}
		if len(cases) == 0 || g.all && len(cases) < len(g.cases) {
			continue
		}
		jobs = append(jobs, measure.Job{
			Dataset: d.Name, Codec: s.Codec(), Cases: cases, Heap: g.heap, SampleTime: o.sample,
		})
	}
	return jobs
}

// measureAll measures what the filter leaves, and writes the results of a data set that was measured wholly.
func measureAll(o options, out io.Writer) error {
	whole := len(o.filter.codecs) == 0 && len(o.filter.cases) == 0
	here, err := report.Here(o.root)
	if err != nil {
		return err
	}
	for _, d := range bench.Datasets(o.data()) {
		if !o.filter.datasets.has(d.Name) {
			continue
		}
		results := here
		results.Dataset = d.Name
		for _, g := range groups {
			if g.all && len(o.filter.cases) > 0 && !o.filter.cases.has(g.name) {
				continue
			}
			if err := g.measure(d, o, &results, out); err != nil {
				return fmt.Errorf("%s: %w", d.Name, err)
			}
		}
		if whole {
			if err := results.Write(o.results()); err != nil {
				return err
			}
		}
	}
	if !whole {
		return nil
	}
	return printTable(o, out)
}

func (g *group) measure(d bench.Dataset, o options, results *report.Results, out io.Writer) error {
	measured, err := measure.Group(o.data(), g.jobs(d, o), g.rounds*o.rounds)
	if err != nil {
		return err
	}
	for _, m := range measured {
		version, err := report.Version(o.root, module(d, m.Codec))
		if err != nil {
			return err
		}
		r := newRecord(g, m, version)
		fmt.Fprintf(out, "%-8s %-22s %-22s %-9s %-16s %12.1f ns [%.1f–%.1f] %9.1f allocations %11.0f bytes allocated\n",
			d.Name, r.Group, r.Case, r.Heap.Mode, r.Codec, r.Nanoseconds.Median, r.Nanoseconds.P10, r.Nanoseconds.P90,
			r.Allocations, r.Allocated)
		results.Records = append(results.Records, r)
	}
	return nil
}

func module(d bench.Dataset, codec string) string {
	for _, s := range d.Subjects {
		if s.Codec() == codec {
			return s.Module()
		}
	}
	return ""
}

func newRecord(g *group, m measure.Measured, version string) report.Record {
	var ns []float64
	var iterations int
	var mallocs, allocated uint64
	for _, s := range m.Samples {
		ns = append(ns, perIteration(uint64(s.Nanoseconds), s.Iterations))
		iterations += s.Iterations
		mallocs += s.Mallocs
		allocated += s.Allocated
	}
	return report.Record{
		Group: g.name, Case: string(m.Case), Codec: m.Codec, Version: version, Bytes: m.EncodedBytes,
		Nanoseconds: report.NewNanoseconds(ns),
		Allocations: perIteration(mallocs, iterations), Allocated: perIteration(allocated, iterations),
		Heap: report.Heap{Mode: string(m.Heap), LiveBytes: m.LiveBytes, Collector: "GOGC=100"},
	}
}

// perIteration is rounded to a thousandth: more digits say nothing.
func perIteration(total uint64, iterations int) float64 {
	return math.Round(1000*float64(total)/float64(iterations)) / 1000
}
