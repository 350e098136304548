// Command sdpbench measures SDP's Go code beside other libraries, on the data sets of bench/data. It writes
// bench/results, prints how the targets of all languages are met, and stamps the pages that show them. Run it in bench/go; bench/README.md
// says how to read what it gives.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	bench "github.com/serial-data-protocol/sdp/bench/go"
	"github.com/serial-data-protocol/sdp/bench/go/dataset"
	"github.com/serial-data-protocol/sdp/bench/go/measure"
	"github.com/serial-data-protocol/sdp/bench/go/report"
)

// options are the command line.
type options struct {
	root     string
	once     bool
	table    bool
	stamp    bool
	generate bool
	profile  string
	filter   filter
	rounds   int
	sample   time.Duration
}

// filter picks a part of all that can be measured; an empty list is everything.
type filter struct{ datasets, codecs, cases list }

// list is a flag of names separated by commas.
type list []string

func (l *list) String() string { return strings.Join(*l, ",") }

func (l *list) Set(text string) error {
	*l = strings.Split(text, ",")
	return nil
}

func (l list) has(name string) bool { return len(l) == 0 || slices.Contains(l, name) }

func main() {
	worker, err := measure.RunWorker()
	if !worker {
		err = run(parse(), os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sdpbench:", err)
		os.Exit(1)
	}
}

func parse() options {
	var o options
	flag.StringVar(&o.root, "root", "../..", "the repository's root")
	flag.BoolVar(&o.once, "once", false, "run every case of every codec once, compare bytes and values, time nothing")
	flag.BoolVar(&o.table, "table", false, "print the targets from the results that are there, measure nothing")
	flag.BoolVar(&o.stamp, "stamp", false, "write the tables of docs/performance.md and docs/guide/tables-*.md, README's summary and the chart from the results that are there, measure nothing")
	flag.BoolVar(&o.generate, "generate", false, "write the data files that come from a seed")
	flag.StringVar(&o.profile, "profile", "", "write a CPU profile of the one case that -dataset, -codec and -case name to this file")
	flag.Var(&o.filter.datasets, "dataset", "measure only these data sets")
	flag.Var(&o.filter.codecs, "codec", "measure only these codecs; results are printed, not written")
	flag.Var(&o.filter.cases, "case", "measure only these cases; results are printed, not written")
	flag.IntVar(&o.rounds, "rounds", 21, "samples of each case")
	flag.DurationVar(&o.sample, "sample", 20*time.Millisecond, "the least that a sample takes")
	flag.Parse()
	return o
}

func (o *options) data() string    { return filepath.Join(o.root, "bench/data") }
func (o *options) results() string { return filepath.Join(o.root, "bench/results") }

func run(o options, out io.Writer) error {
	switch {
	case o.once:
		return once(o, out)
	case o.table:
		return printTable(o, out)
	case o.stamp:
		return report.Stamp(o.root, o.results())
	case o.generate:
		return dataset.WriteGenerated(o.data())
	case o.profile != "":
		return profile(o)
	}
	return measureAll(o, out)
}

// once verifies everything that could be measured.
func once(o options, out io.Writer) error {
	count := 0
	for _, d := range bench.Datasets(o.data()) {
		for _, s := range d.Subjects {
			_, size, err := s.Open(s.Cases())
			if err != nil {
				return fmt.Errorf("%s: %w", d.Name, err)
			}
			fmt.Fprintf(out, "%-8s %-16s %8d bytes, %d cases agree with the data\n", d.Name, s.Codec(), size, len(s.Cases()))
			count += len(s.Cases())
		}
	}
	fmt.Fprintf(out, "%d passed, 0 failed\n", count)
	return nil
}

func printTable(o options, out io.Writer) error {
	all, err := report.Read(o.results())
	if err != nil {
		return err
	}
	rust, err := report.ReadRust(o.results())
	if err != nil {
		return err
	}
	cpp, err := report.ReadCPP(o.results())
	if err != nil {
		return err
	}
	text := report.Text(report.Judge(all)) + report.Text(report.JudgeRust(rust)) + report.Text(report.JudgeCPP(cpp))
	_, err = io.WriteString(out, text)
	return err
}

func profile(o options) error {
	f := o.filter
	if len(f.datasets) != 1 || len(f.codecs) != 1 || len(f.cases) != 1 {
		return fmt.Errorf("-profile needs one -dataset, one -codec and one -case")
	}
	file, err := os.Create(o.profile)
	if err != nil {
		return err
	}
	job := measure.Job{
		Dataset: f.datasets[0], Codec: f.codecs[0], Cases: []bench.Case{bench.Case(f.cases[0])},
		Heap: measure.HeapMinimal, SampleTime: o.sample,
	}
	if err := measure.Profile(o.data(), job, 3*time.Second, file); err != nil {
		return err
	}
	return file.Close()
}
