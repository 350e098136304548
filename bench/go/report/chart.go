package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// bar is one library in a panel.
type bar struct {
	label string
	value Interval
	// mine says that it is SDP or MXP.
	mine bool
}

// section is a line of panels, one for each language; a panel without bars has no measurements.
type section struct {
	title, unit string
	panels      [3][]bar
}

// chartLanguages are the columns of the chart.
var chartLanguages = [3]string{"Go", "Rust", "C++"}

// source finds the value of a bar; what was not measured has none.
type source func(*measurements) (Interval, bool)

// charted is a bar before it is measured.
type charted struct {
	label string
	value source
	mine  bool
}

// measurements are all results that a chart is drawn of.
type measurements struct {
	codecs  [3]*Results
	compile [3]compiled
	calls   [3]called
}

// compiled is a chart's part of a file of bench/results/compile.
type compiled struct {
	Code []struct {
		Codec  string `json:"codec"`
		Builds []struct {
			Build   string    `json:"build"`
			Seconds []float64 `json:"seconds"`
		} `json:"builds"`
	} `json:"code"`
}

// called is a chart's part of a file of bench/results/rpc.
type called struct {
	Rows []struct {
		Peer        string `json:"peer"`
		Transport   string `json:"transport"`
		Kind        string `json:"kind"`
		Placement   string `json:"placement"`
		Bytes       int    `json:"bytes"`
		InFlight    int    `json:"in_flight"`
		Connections int    `json:"connections"`
		Latency     struct {
			Rounds []float64 `json:"p50_rounds"`
		} `json:"latency_ns"`
	} `json:"rows"`
}

// chartSections are what the chart shows. Within a panel all bars are of one run.
var chartSections = []struct {
	title, unit string
	panels      [3][]charted
}{
	{"Encode into a buffer that is there", "µs", [3][]charted{
		times(0, minimal, "encode_reused", "encode_reused", "sdp", "protobuf-go", "vtprotobuf", "flatbuffers", "benc"),
		times(1, noHeap, "encode_reused", "encode_reused", "sdp", "prost", "flatbuffers", "capnp", "rkyv", "bitcode", "bincode"),
		times(2, noHeap, "encode_reused", "encode_reused", "sdp", "protobuf", "flatbuffers", "capnproto"),
	}},
	{"Decode into a new value", "µs", [3][]charted{
		times(0, minimal, "decode_fresh", "decode_fresh", "sdp", "protobuf-go", "vtprotobuf ²", "benc ²"),
		times(1, noHeap, "decode_fresh", "decode_fresh", "sdp", "prost", "flatbuffers", "capnp", "rkyv", "bitcode", "bincode"),
		append(times(2, noHeap, "decode", "decode_fresh", "sdp", "protobuf", "flatbuffers ²", "capnproto ²"),
			times(2, noHeap, "decode", "decode_arena", "protobuf-arena")...),
	}},
	{"Validate, and read every field in place", "µs", [3][]charted{
		append(times(0, minimal, "read", "read_validate", "sdp"), times(0, minimal, "read", "read", "flatbuffers ¹")...),
		times(1, noHeap, "read", "read_validate", "sdp", "flatbuffers", "capnp", "rkyv"),
		times(2, noHeap, "read", "read_validate", "sdp", "flatbuffers ²", "capnproto ²"),
	}},
	{"Size", "kB", [3][]charted{
		sizes(0, minimal, "encode_reused", "sdp", "protobuf-go", "vtprotobuf", "flatbuffers", "benc"),
		sizes(1, noHeap, "encode_reused", "sdp", "prost", "flatbuffers", "capnp", "rkyv", "bitcode", "bincode"),
		sizes(2, noHeap, "encode_reused", "sdp", "protobuf", "flatbuffers", "capnproto"),
	}},
	{"Compile the code of 100 messages", "s of CPU time", [3][]charted{
		builds(0, "build", "sdp, default", "sdp, everything on", "protobuf-go + vtprotobuf", "flatbuffers"),
		builds(1, "release", "sdp, default", "sdp, everything on", "prost", "flatbuffers"),
		builds(2, "-O2", "sdp, default", "sdp, everything on", "protobuf ³", "flatbuffers"),
	}},
	{"Call and answer of 64 B", "µs, p50", [3][]charted{
		calls(0, "mxp", "net/http", "grpc-go"),
		calls(1, "mxp", "hyper", "tonic", "capnp"),
	}},
}

// chartNotes stand below the chart.
var chartNotes = []string{
	"Shorter is better. Data: 62 audio plugins with 1,759 parameters. Compare within a panel: machines and days differ.",
	"Bars are medians; a line across an end has the true median within it with 95 %, where there were rounds enough to tell.",
	"¹ checks nothing. ² does not check that text is UTF-8.",
	"Code is compiled by go build, in release, and with -O2 as a header of one source; ³ without its .pb.cc, compiled once on top.",
	"Calls go over a unix socket, one at a time, both processes on one core. All peers, targets and misses: docs/performance.md",
}

// named is the name of a codec, without the mark of a note.
func named(label string) string {
	return strings.TrimRight(label, " ¹²³")
}

func times(language int, heap, group, name string, labels ...string) []charted {
	return records(language, heap, group, name, labels, func(r *Record) Interval {
		return IntervalOf(r.Nanoseconds.Samples).over(1000)
	})
}

func sizes(language int, heap, name string, labels ...string) []charted {
	return records(language, heap, name, name, labels, func(r *Record) Interval {
		return IntervalOf([]float64{float64(r.Bytes)}).over(1000)
	})
}

func records(language int, heap, group, name string, labels []string, value func(*Record) Interval) []charted {
	return bars(labels, func(codec string) source {
		return func(m *measurements) (Interval, bool) {
			r := m.codecs[language].find(record{group, codec, name, heap})
			if r == nil {
				return Interval{}, false
			}
			return value(r), true
		}
	})
}

func builds(language int, build string, labels ...string) []charted {
	return bars(labels, func(codec string) source {
		return func(m *measurements) (Interval, bool) {
			for _, c := range m.compile[language].Code {
				for _, b := range c.Builds {
					if c.Codec == codec && b.Build == build {
						return IntervalOf(b.Seconds), true
					}
				}
			}
			return Interval{}, false
		}
	})
}

func calls(language int, labels ...string) []charted {
	return bars(labels, func(peer string) source {
		return func(m *measurements) (Interval, bool) {
			for _, r := range m.calls[language].Rows {
				if r.Peer == peer && r.Transport == "unix" && r.Kind == "call" && r.Placement == "one core" &&
					r.Bytes == 64 && r.InFlight == 1 && r.Connections == 1 {
					return IntervalOf(r.Latency.Rounds).over(1000), true
				}
			}
			return Interval{}, false
		}
	})
}

// bars are the bars of labels.
func bars(labels []string, value func(string) source) []charted {
	var all []charted
	for _, label := range labels {
		name := named(label)
		all = append(all, charted{label, value(name), name == "mxp" || strings.HasPrefix(name, sdp)})
	}
	return all
}

// over is an interval in a larger unit.
func (i Interval) over(unit float64) Interval {
	return Interval{i.Median / unit, i.Low / unit, i.High / unit, i.Samples}
}

// sectionsOf measures all bars, and sorts the bars of a panel by their lengths.
func sectionsOf(m *measurements) []section {
	var all []section
	for _, c := range chartSections {
		s := section{title: c.title, unit: c.unit}
		for i, panel := range c.panels {
			for _, b := range panel {
				if value, ok := b.value(m); ok {
					s.panels[i] = append(s.panels[i], bar{b.label, value, b.mine})
				}
			}
			slices.SortStableFunc(s.panels[i], func(a, b bar) int { return cmp.Compare(a.value.Median, b.value.Median) })
		}
		all = append(all, s)
	}
	return all
}

// readMeasurements reads what the chart shows of the results in dir.
func readMeasurements(dir string) (*measurements, error) {
	m := &measurements{}
	for i, language := range []string{"go", "rust", "cpp"} {
		for file, into := range map[string]any{
			language + "-" + full[0] + ".json":      &m.codecs[i],
			"compile/" + language + "-flat100.json": &m.compile[i],
			"rpc/" + language + ".json":             &m.calls[i],
		} {
			data, err := os.ReadFile(filepath.Join(dir, file))
			if os.IsNotExist(err) {
				continue
			}
			if err == nil {
				err = json.Unmarshal(data, into)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
		}
	}
	return m, nil
}

// Draw writes the chart of the results in dir into root's documents: for wide and narrow pages, light and dark ones.
func Draw(root, dir string) error {
	m, err := readMeasurements(dir)
	if err != nil {
		return err
	}
	for _, c := range chartThemes {
		for _, l := range chartLayouts {
			if err := os.WriteFile(filepath.Join(root, l.file(c)), l.svg(sectionsOf(m), c), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}
