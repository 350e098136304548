package report

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const results = "../../results"

func TestResultsFollowTheSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join(results, "schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	validate := func(name string, data []byte) {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Results are checked before anything was measured, too.
	made, err := json.Marshal(measured(100, 1))
	if err != nil {
		t.Fatal(err)
	}
	validate("made up", made)
	files, err := filepath.Glob(filepath.Join(results, "*-*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no results: %v", err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		validate(name, data)
	}
}

// measured is a result where SDP's encoding takes sdpNS and allocates, and protobuf-go's takes 1,000 ns.
func measured(sdpNS, allocations float64) *Results {
	line := func(codec string, ns float64) Record {
		return Record{
			Group: "encode_fresh", Case: "encode_fresh", Codec: codec, Version: "v1", Bytes: 10,
			Nanoseconds: NewNanoseconds(slices.Repeat([]float64{ns}, 15)), Allocations: allocations,
			Heap: Heap{Mode: live64, Collector: "GOGC=100"},
		}
	}
	return &Results{
		Language: "go", Dataset: "lv2-62", Date: "2026-01-02", Commit: "0123456789ab", Command: "make bench",
		Machine: Machine{CPU: "x", Cores: 2}, Records: []Record{line("sdp", sdpNS), line("protobuf-go", 1000)},
	}
}

func TestRatioIsJudgedInFullOnTheFirstDataSetOnly(t *testing.T) {
	for _, c := range []struct {
		dataset string
		ns      float64
		pass    bool
	}{
		{"lv2-62", 100, true},
		{"lv2-62", 101, false},
		{"mixed", 124, true},
		{"mixed", 126, false},
	} {
		outcome := Judge(map[string]*Results{c.dataset: measured(c.ns, 1)})
		i := slices.IndexFunc(outcome, func(o Outcome) bool { return o.Dataset == c.dataset && o.Measured != "" })
		if o := outcome[i]; o.Pass != c.pass || o.Target != "≥ 10 × protobuf-go" {
			t.Errorf("%s at %g ns: %+v, want pass %t", c.dataset, c.ns, o, c.pass)
		}
	}
}

func TestAbsoluteTargetsLimitSDPAlone(t *testing.T) {
	for _, c := range []struct {
		target target
		pass   bool
	}{
		{target{record: inUse(own("encode_fresh")), unit: allocations, limit: 1}, true},
		{target{record: inUse(own("encode_fresh")), unit: allocations, limit: 0}, false},
		{target{record: inUse(own("encode_fresh")), unit: nanoseconds, limit: 101}, true},
		{target{record: inUse(own("encode_fresh")), unit: nanoseconds, limit: 100}, false},
		{target{record: inUse(own("encode_fresh")), unit: bytesAllocated, limit: 0}, true},
		{target{record: inUse(own("encode_fresh")), unit: timesAsLong, limit: 0.1, against: inUse(peer("protobuf-go", "encode_fresh"))}, true},
		{target{record: inUse(own("encode_fresh")), unit: timesAsLong, limit: 0.09, against: inUse(peer("protobuf-go", "encode_fresh"))}, false},
	} {
		if o := c.target.judge(measured(100, 1), "lv2-62", true); o.Pass != c.pass {
			t.Errorf("%s: %+v, want pass %t", c.target.text(), o, c.pass)
		}
	}
}

func TestWhatIsNotMeasuredIsNoPass(t *testing.T) {
	for _, o := range Judge(map[string]*Results{}) {
		if o.Pass || o.Measured != "" {
			t.Errorf("%+v", o)
		}
	}
}

func TestQuantileInterpolates(t *testing.T) {
	for _, c := range []struct {
		samples []float64
		q, want float64
	}{
		{[]float64{3, 1, 2}, 0.5, 2},
		{[]float64{4, 1, 2, 3}, 0.5, 2.5},
		{[]float64{7}, 0.9, 7},
		{[]float64{0, 10}, 0.1, 1},
	} {
		if got := quantile(c.samples, c.q); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("quantile %g of %v is %g, want %g", c.q, c.samples, got, c.want)
		}
	}
}

func TestStampNeedsItsMarkersOnce(t *testing.T) {
	const begin, end = "<!-- own:begin -->\n", "<!-- own:end -->\n"
	const other = "<!-- other:begin -->\n"
	for _, c := range []struct{ text, want string }{
		{"a\n" + begin + "old\n" + end + "b\n", "a\n" + begin + "new\n" + end + "b\n"},
		{"a\n" + begin + end, "a\n" + begin + "new\n" + end},
		{other + begin + end + other, other + begin + "new\n" + end + other},
		{"no markers\n", ""},
		{begin + end + begin + end, ""},
		{end + begin, ""},
		{begin + end + end, ""},
	} {
		got, err := Stamped(c.text, "own", "new\n")
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%q became %q, %v", c.text, got, err)
		}
	}
}

func TestTableHasEveryTarget(t *testing.T) {
	text := Markdown(map[string]*Results{"lv2-62": measured(101, 1)})
	for _, target := range targets {
		if !strings.Contains(text, "| "+target.title+" | "+target.text()+" |") {
			t.Errorf("the table lacks %s, %s", target.title, target.text())
		}
	}
	if !strings.Contains(text, "9.90 × (9.90 to 9.90) ✗ missed") {
		t.Errorf("a missed target isn't called so:\n%s", text)
	}
}
