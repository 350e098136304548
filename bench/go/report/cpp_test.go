package report

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// cppRun is a result on lv2-62 with the records that are given by group, codec, case and time.
func cppRun(records ...Record) map[string]*Results {
	r := &Results{
		Language: "cpp", Dataset: full[0], Allocator: "glibc", Date: "2026-01-02", Commit: "0123456789ab", Command: "make bench",
		Machine: Machine{CPU: "x", Cores: 2}, Records: records,
	}
	return map[string]*Results{full[0]: r}
}

func cppLine(want record, ns, allocations float64) Record {
	return Record{
		Group: want.group, Case: want.name, Codec: want.codec, Version: "1", Bytes: 10,
		Nanoseconds: NewNanoseconds(slices.Repeat([]float64{ns}, 15)), Allocations: allocations, Heap: Heap{Mode: noHeap},
	}
}

// judgedCPP is the measured value of a target, and whether that passes.
func judgedCPP(t *testing.T, all map[string]*Results, title, text string) (string, bool) {
	t.Helper()
	outcomes := JudgeCPP(all)
	i := slices.IndexFunc(outcomes, func(o Outcome) bool { return o.Title == title && o.Target == text })
	if i < 0 {
		t.Fatalf("there is no target %s, %s", title, text)
	}
	return outcomes[i].Measured, outcomes[i].Pass
}

func TestCPPDecodingIsComparedWithTheArenaInTheSameGroup(t *testing.T) {
	arena := cppLine(cppDecode("decode_arena", protobufArena), 350, 0)
	for ns, pass := range map[float64]bool{100: true, 101: false} {
		all := cppRun(arena, cppLine(cppDecode("decode_fresh", sdp), ns, 5))
		got, ok := judgedCPP(t, all, "decode to owned", "≥ 3.5 × protobuf's arena")
		if ok != pass || !strings.HasPrefix(got, "3.") {
			t.Errorf("%g ns beside 350: %q, %t, want %t", ns, got, ok, pass)
		}
	}
	elsewhere := cppLine(record{"decode_fresh_message", sdp, "decode_fresh", noHeap}, 1, 0)
	if got, ok := judgedCPP(t, cppRun(arena, elsewhere), "decode to owned", "≥ 3.5 × protobuf's arena"); got != "" || ok {
		t.Errorf("a record of another group was judged: %q", got)
	}
}

func TestCPPOnAnArenaMayNotAllocate(t *testing.T) {
	for allocations, pass := range map[float64]bool{0: true, 1: false} {
		all := cppRun(cppLine(cppDecode("decode_arena", sdpPMR), 10, allocations))
		if got, ok := judgedCPP(t, all, "prepared arena, decode", "≤ 0 allocations"); ok != pass {
			t.Errorf("%g allocations: %q, %t", allocations, got, ok)
		}
	}
}

func TestCPPTableHasEveryTargetAndTheWorstBesideTheMedian(t *testing.T) {
	all := cppRun(cppLine(cppRead("read_borrowed", sdp), 20_000, 0), cppLine(cppRead("read_validate", "flatbuffers"), 50_000, 0))
	all[full[0]].Latencies = []Latency{{Case: "decode_arena", Codec: sdpPMR, Operations: 1_000_000, Median: 20_500, P99: 25_000, Worst: 900_000}}
	text := CPPMarkdown(all)
	for _, target := range cppTargets {
		if !strings.Contains(text, "| "+target.title+" | "+target.text()+" |") {
			t.Errorf("the table lacks %s, %s", target.title, target.text())
		}
	}
	for _, want := range []string{
		"| decode borrowed and read every field | ≥ 3 × flatbuffers | 2.50 × (2.50 to 2.50) ✗ missed |\n",
		"| decode to owned | ≤ +40 % over a copy of the value | not measured |\n",
		"| sdp-pmr decode_arena | 1000000 | 20.5 | 25.0 | 900 | 0 |\n",
		"| flatbuffers 1 | 10 |  |  |  |  |  |  |  | 50.0 |  |  |\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
}

func TestCPPResultsFollowTheSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join(results, "schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	run := cppRun(cppLine(cppDecode("decode_arena", sdpPMR), 10, 0), cppLine(cppRead("read_borrowed", sdp), 10, 0))[full[0]]
	for _, latencies := range [][]Latency{nil, {{Case: "decode_arena", Codec: sdpPMR, Operations: 10, Median: 1, P99: 2, Worst: 3}}} {
		run.Latencies = latencies
		data, err := json.Marshal(run)
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(data)))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%d latencies: %v", len(latencies), err)
		}
	}
}

func TestCPPIsReadByDataSet(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "cpp-arrays.json", `{"language": "cpp", "dataset": "arrays", "records": []}`)
	all, err := ReadCPP(dir)
	if err != nil || len(all) != 1 || all["arrays"] == nil || all["arrays"].Language != "cpp" {
		t.Errorf("%v, %v was read", all, err)
	}
	writeFile(t, dir, "cpp-primitives.json", "{")
	if _, err := ReadCPP(dir); err == nil || !strings.Contains(err.Error(), "cpp-primitives.json") {
		t.Errorf("a broken file gave %v", err)
	}
}
