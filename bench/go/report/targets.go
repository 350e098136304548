package report

import (
	"fmt"
	"strings"
)

// unit is the limited quantity of a target.
type unit int

const (
	timesAsFast    unit = iota // ratio to another record, at least
	timesAsLong                // ratio to another record, at most
	nanoseconds                // of SDP alone, at most
	allocations                // of SDP alone, at most
	bytesAllocated             // allocated by SDP alone, at most
)

// target is one promise about SDP's speed: a row of the table.
type target struct {
	title  string
	record // SDP's
	unit   unit
	limit  float64 // 0 times as fast is no promise, only a ratio to be told
	// against is the record that a ratio is to.
	against record
	// than is the text's name of that record, empty for its codec.
	than string
	// datasets are the data sets that the promise is made for. On the first, ratios hold in full; the others
	// may fall short by a fifth, unless mixed has a limit of its own.
	datasets []string
	// mixed is the limit on the data set of that name, 0 if it has none of its own.
	mixed float64
}

// record names a record of results.
type record struct{ group, codec, name, heap string }

const (
	sdp     = "sdp"
	minimal = "minimal"
	live64  = "live64mb"
	// fastestPeer stands for the codec that takes the least time, SDP aside.
	fastestPeer = "the fastest peer"
	mixedName   = "mixed"
)

// Registries and a session, and the two that have targets of their own.
var (
	general = []string{"lv2-62", "lv2-483", mixedName}
	full    = general[:1]
	arrays  = []string{"arrays"}
	absent  = []string{"absent"}
	targets = []target{
		newTarget(general, "encode, fresh buffer, 64 MiB alive", inUse(own("encode_fresh")), timesAsFast, 10, inUse(peer("protobuf-go", "encode_fresh")), ""),
		newTarget(general, "encode, fresh buffer, 64 MiB alive", inUse(own("encode_fresh")), timesAsFast, 1, inUse(peer("benc", "encode_fresh")), ""),
		newTarget(general, "encode, fresh buffer", own("encode_fresh"), timesAsFast, 0, peer("protobuf-go", "encode_fresh"), ""),
		newTarget(general, "encode, fresh buffer", own("encode_fresh"), timesAsFast, 0, peer("benc", "encode_fresh"), ""),
		newTarget(general, "encode, reused buffer", own("encode_reused"), timesAsFast, 1.4, peer("benc", "encode_reused"), "").onMixed(1.1),
		newTarget(general, "encode, reused buffer", own("encode_reused"), allocations, 0, record{}, ""),
		newTarget(general, "message mode, encode, fresh buffer", message("encode_fresh"), timesAsLong, 1.03, byteMode("encode_fresh"), "byte mode"),
		newTarget(general, "message mode, encode, fresh buffer", message("encode_fresh"), allocations, 1, record{}, ""),
		newTarget(general, "message mode, encode, reused buffer", message("encode_reused"), timesAsLong, 1.03, byteMode("encode_reused"), "byte mode"),
		newTarget(general, "message mode, decode, fresh", message("decode_fresh"), timesAsLong, 1.03, byteMode("decode_fresh"), "byte mode"),
		newTarget(general, "decode, fresh", own("decode_fresh"), timesAsFast, 4, peer("protobuf-go", "decode_fresh"), ""),
		newTarget(full, "decode, fresh", own("decode_fresh"), allocations, 140, record{}, ""),
		newTarget(full, "decode, fresh", own("decode_fresh"), bytesAllocated, 225_000, record{}, ""),
		newTarget(general, "decode, reused value, safe strings", own("decode_reused"), timesAsFast, 3.5, peer("vtprotobuf-pool", "decode_reused"), ""),
		newTarget(general, "decode, reused value, aliasing strings", own("decode_reused_alias"), timesAsFast, 3, peer("vtprotobuf-pool", "decode_reused_alias"), ""),
		newTarget(general, "decode, reused value, aliasing strings", own("decode_reused_alias"), allocations, 0, record{}, ""),
		newTarget(general, "read every field of a validated view", own("read"), timesAsFast, 4, peer("flatbuffers", "read"), ""),
		newTarget(general, "read every field of a validated view", own("read"), allocations, 0, record{}, ""),
		newTarget(general, "validate a view and read every field", inGroup("read", "read_validate"), timesAsFast, 2.2, peer("flatbuffers", "read"), "").onMixed(1.3),
		newTarget(general, "validate a view and read every field", inGroup("read", "read_validate"), allocations, 0, record{}, ""),
		newTarget(arrays, "4,096 f32 and 4,096 u32, decode, fresh, 64 MiB alive", inUse(own("decode_fresh")), timesAsFast, 3, inUse(peer("protobuf-go", "decode_fresh")), ""),
		newTarget(absent, "a message whose one `?struct` is absent, encode", own("encode_reused"), nanoseconds, 5, record{}, ""),
		newTarget(absent, "a message whose one `?struct` is absent, encode", own("encode_reused"), allocations, 0, record{}, ""),
		newTarget(absent, "a message whose one `?struct` is absent, decode", own("decode_reused"), nanoseconds, 5, record{}, ""),
		newTarget(absent, "a message whose one `?struct` is absent, decode", own("decode_reused"), allocations, 0, record{}, ""),
	}
)

func newTarget(datasets []string, title string, mine record, u unit, limit float64, against record, than string) target {
	return target{title, mine, u, limit, against, than, datasets, 0}
}

// onMixed gives the target a limit of its own on mixed.
func (t target) onMixed(limit float64) target {
	t.mixed = limit
	return t
}

func own(name string) record            { return record{name, sdp, name, minimal} }
func inGroup(group, name string) record { return record{group, sdp, name, minimal} }
func peer(codec, name string) record    { return record{name, codec, name, minimal} }
func message(name string) record        { return record{name + "_message", sdp, name + "_message", minimal} }
func byteMode(name string) record       { return record{name + "_message", sdp, name, minimal} }

// inUse is a record measured on a heap that has 64 MiB alive.
func inUse(r record) record {
	r.heap = live64
	return r
}

// Outcome is one target on one data set.
type Outcome struct {
	Title, Target, Dataset string
	Measured               string // empty if it was not
	Told                   bool   // there is nothing to pass or miss
	Pass                   bool
}

// Judge holds results against every target, target by target, data set by data set.
func Judge(all map[string]*Results) []Outcome {
	var outcomes []Outcome
	for _, t := range targets {
		for i, name := range t.datasets {
			outcomes = append(outcomes, t.judge(all[name], name, i == 0))
		}
	}
	return outcomes
}

func (t *target) judge(r *Results, dataset string, inFull bool) Outcome {
	o := Outcome{Title: t.title, Target: t.text(), Dataset: dataset, Told: t.told()}
	mine := r.find(t.record)
	if mine == nil {
		return o
	}
	limit := t.limit
	switch t.unit {
	case timesAsFast, timesAsLong:
		other := r.find(t.against)
		if other == nil {
			return o
		}
		if t.unit == timesAsLong {
			v := ratio(mine, other)
			o.Measured, o.Pass = v.percent(), v.Median <= limit
			return o
		}
		switch {
		case dataset == mixedName && t.mixed != 0:
			limit = t.mixed
		case !inFull:
			limit *= 0.8
		}
		v := ratio(other, mine)
		o.Measured, o.Pass = v.Times(), v.Median >= limit
		if t.against.codec == fastestPeer {
			o.Measured = strings.Replace(o.Measured, "×", "× "+other.Codec, 1)
		}
	case nanoseconds:
		v := mine.Nanoseconds.Median
		o.Measured, o.Pass = fmt.Sprintf("%.2f ns", v), v < limit
	case allocations:
		// A collection that fell into a sample allocates a little by itself.
		v := mine.Allocations
		o.Measured, o.Pass = fmt.Sprintf("%.0f", v), v < limit+0.5
	case bytesAllocated:
		v := mine.Allocated
		o.Measured, o.Pass = fmt.Sprintf("%.1f KB", v/1000), v <= limit
	}
	return o
}

func (t *target) told() bool { return t.unit == timesAsFast && t.limit == 0 }

// other is the text's name of the record that a ratio is to.
func (t *target) other() string {
	if t.than != "" {
		return t.than
	}
	return t.against.codec
}

// text is the target as the table shows it.
func (t *target) text() string {
	switch t.unit {
	case timesAsFast:
		if t.told() {
			return "– × " + t.other()
		}
		text := fmt.Sprintf("≥ %g × %s", t.limit, t.other())
		if t.mixed != 0 {
			text += fmt.Sprintf(", %s %g ×", mixedName, t.mixed)
		}
		return text
	case timesAsLong:
		return fmt.Sprintf("≤ %+.0f %% over %s", 100*(t.limit-1), t.other())
	case nanoseconds:
		return fmt.Sprintf("< %g ns", t.limit)
	case allocations:
		return fmt.Sprintf("≤ %g allocations", t.limit)
	}
	return fmt.Sprintf("≤ %g KB", t.limit/1000)
}
