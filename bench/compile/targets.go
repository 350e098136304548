package main

import (
	"fmt"
	"slices"

	"github.com/serial-data-protocol/sdp/bench/go/report"
)

// unit is the limited quantity of a target.
type unit int

const (
	timesAsLong     unit = iota // processor time, beside the peer's
	timesAsLarge                // bytes of the program, beside the peer's
	linesPerMessage             // of all that is generated
	seconds                     // of processor time
	megabytes                   // of the largest process
)

// target is one promise about what SDP's code costs.
type target struct {
	title                          string
	language, schema, codec, build string
	unit                           unit
	limit                          float64
}

var targets = []target{
	{"Rust, everything on: release", "rust", "flat100", sdpEverything, "release", timesAsLong, 7},
	{"Rust, by default: release", "rust", "flat100", sdpDefault, "release", timesAsLong, 3},
	{"Rust, by default: lines of a message", "rust", "flat100", sdpDefault, "", linesPerMessage, 300},
	{"Rust, everything on: program", "rust", "flat100", sdpEverything, "", timesAsLarge, 1},
	{"Go, everything on: build", "go", "flat100", sdpEverything, "build", timesAsLong, 0.9},
	{"Go, everything on: lines of a message", "go", "flat100", sdpEverything, "", linesPerMessage, 300},
	{"Go, by default: build", "go", "flat100", sdpDefault, "build", timesAsLong, 0.9},
	{"Go, by default: lines of a message", "go", "flat100", sdpDefault, "", linesPerMessage, 300},
	{"Go, everything on: program", "go", "flat100", sdpEverything, "", timesAsLarge, 1},
	{"C++, one type of the header: -O0", "cpp", "flat100", sdpEverything, "-O0", timesAsLong, 1},
	{"C++, one type of the header: -O2", "cpp", "flat100", sdpEverything, "-O2", timesAsLong, 1},
	{"C++, one type of the header by default: -O0", "cpp", "flat100", sdpDefault, "-O0", timesAsLong, 1},
	{"C++, one type of the header by default: -O2", "cpp", "flat100", sdpDefault, "-O2", timesAsLong, 1},
	{"C++, one type of the split header: -O0", "cpp", "flat100", sdpSplit, "-O0", timesAsLong, 1},
	{"C++, one type of the split header: -O2", "cpp", "flat100", sdpSplit, "-O2", timesAsLong, 1},
	{"C++, one type of the split header by default: -O0", "cpp", "flat100", sdpDefaultSplit, "-O0", timesAsLong, 1},
	{"C++, one type of the split header by default: -O2", "cpp", "flat100", sdpDefaultSplit, "-O2", timesAsLong, 1},
	{"C++: program", "cpp", "flat100", sdpEverything, "", timesAsLarge, 1},
	{"C++, a service's header of 7 methods: -O0", "cpp", "service", sdpService, "-O0", seconds, 4},
	{"C++, a service's header of 7 methods: -O0", "cpp", "service", sdpService, "-O0", megabytes, 250},
}

// text is the target as the table shows it.
func (t *target) text() string {
	peer := languages[slices.Index(languageNames(), t.language)].peer
	switch t.unit {
	case timesAsLong, timesAsLarge:
		return fmt.Sprintf("≤ %g × %s", t.limit, peer)
	case linesPerMessage:
		return fmt.Sprintf("≤ %g", t.limit)
	case seconds:
		return fmt.Sprintf("≤ %g s", t.limit)
	}
	return fmt.Sprintf("≤ %g MB", t.limit)
}

// judge tells the measured value, and whether it is within the target.
func (t *target) judge(all []*results) string {
	i := slices.IndexFunc(all, func(r *results) bool { return r.Language == t.language && r.Schema == t.schema })
	if i < 0 {
		return "not measured"
	}
	mine, other := all[i].find(t.codec), all[i].find(languages[slices.Index(languageNames(), t.language)].peer)
	build := mine.find(t.build)
	if mine == nil || other == nil && (t.unit == timesAsLong || t.unit == timesAsLarge) || build == nil && t.build != "" {
		return "not measured"
	}
	value, text := 0.0, ""
	switch t.unit {
	case timesAsLong:
		times := ratio(build, other.find(t.build))
		value, text = times.Median, times.Times()
	case timesAsLarge:
		value = float64(mine.Program) / float64(other.Program)
		text = report.Number(value) + " ×"
	case linesPerMessage:
		value = float64(mine.Lines) / float64(all[i].Messages)
		text = report.Number(value)
	case seconds:
		value, text = report.IntervalOf(build.Seconds).Median, spread(build.Seconds)+" s"
	case megabytes:
		value, text = report.IntervalOf(build.Megabytes).Median, spread(build.Megabytes)+" MB"
	}
	if value <= t.limit {
		return text + " ✓"
	}
	return text + " ✗ missed"
}
