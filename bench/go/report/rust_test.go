package report

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// rustRun is a result where each codec takes the given time at each of the cases, which are groups of their own.
func rustRun(dataset, allocator string, ns map[string]float64, cases ...string) *Results {
	r := &Results{Language: "rust", Dataset: dataset, Allocator: allocator}
	for _, name := range cases {
		for codec, ns := range ns {
			r.Records = append(r.Records, Record{
				Group: name, Case: name, Codec: codec, Version: "1", Bytes: int(1000 - ns),
				Nanoseconds: NewNanoseconds(slices.Repeat([]float64{ns}, 15)), Heap: Heap{Mode: noHeap},
			})
		}
	}
	return r
}

func TestFastestPeerIsTheOneThatTakesTheLeastTime(t *testing.T) {
	times := map[string]float64{sdp: 100, "slow": 500, "quick": 130, "medium": 200}
	all := map[string]*Results{rustKey("lv2-62", "mimalloc"): rustRun("lv2-62", "mimalloc", times, "encode_reused")}
	var got []string
	for _, o := range JudgeRust(all) {
		if o.Title == "encode, reused buffer" && o.Measured != "" && !strings.Contains(o.Target, "allocations") {
			got = append(got, o.Dataset+": "+o.Measured)
			if !o.Pass || o.Target != "≥ 1.2 × the fastest peer" {
				t.Errorf("%+v", o)
			}
		}
	}
	if want := []string{"lv2-62, mimalloc: 1.30 × quick (1.30 to 1.30)"}; !slices.Equal(got, want) {
		t.Errorf("judged %q, want %q", got, want)
	}
}

func TestSDPAloneHasNoFastestPeer(t *testing.T) {
	all := map[string]*Results{rustKey("lv2-62", "glibc"): rustRun("lv2-62", "glibc", map[string]float64{sdp: 1}, "encode_reused")}
	for _, o := range JudgeRust(all) {
		if strings.Contains(o.Target, fastestPeer) && (o.Pass || o.Measured != "") {
			t.Errorf("%+v", o)
		}
	}
}

func TestDecodingToOwnedMayTakeAFewPercentLonger(t *testing.T) {
	for ns, pass := range map[float64]bool{104: true, 106: false} {
		times := map[string]float64{sdp: ns, "bitcode": 100}
		all := map[string]*Results{rustKey("lv2-62", "glibc"): rustRun("lv2-62", "glibc", times, "decode_fresh")}
		outcomes := JudgeRust(all)
		i := slices.IndexFunc(outcomes, func(o Outcome) bool { return o.Target == "≤ +5 % over bitcode" && o.Measured != "" })
		if i < 0 || outcomes[i].Pass != pass {
			t.Errorf("%g ns beside 100: pass is not %t in %+v", ns, pass, outcomes)
		}
	}
}

func TestPlaceCountsThoseThatAreBetter(t *testing.T) {
	times := map[string]float64{sdp: 200, "first": 100, "last": 300}
	r := rustRun("log", "glibc", times, "encode_reused")
	if got, want := place(r.contest("encode_reused", "encode_reused", medianOf), microsOf), "2. 0.2 (first 0.1)"; got != want {
		t.Errorf("by time %q, want %q", got, want)
	}
	if got, want := place(r.contest("encode_reused", "encode_reused", sizeOf), sizeText), "2. 800 (last 700)"; got != want {
		t.Errorf("by size %q, want %q", got, want)
	}
	if got := place(r.contest("read", "access", medianOf), microsOf); got != "–" {
		t.Errorf("a case that SDP lacks has the place %q", got)
	}
}

func TestRustTableHasEveryTargetAndDataSet(t *testing.T) {
	times := map[string]float64{sdp: 125_000, "bitcode": 100_000}
	text := RustMarkdown(map[string]*Results{
		rustKey("lv2-62", "glibc"): rustRun("lv2-62", "glibc", times, "decode_fresh"),
		rustKey("mk48", "glibc"):   rustRun("mk48", "glibc", times, "decode_fresh"),
	})
	for _, target := range rustTargets {
		if !strings.Contains(text, "| "+target.title+" | "+target.text()+" |") {
			t.Errorf("the table lacks %s, %s", target.title, target.text())
		}
	}
	for _, want := range []string{
		"| decode to owned | ≤ +5 % over bitcode | +25.0 % (+25.0 to +25.0) ✗ missed | not measured |\n",
		"| mk48 | – | 2. 125 (bitcode 100) | – |",
		"| mesh | – |",
		"| sdp 1 | -124000 |  |  | 125 |  |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
}

func TestRustIsReadByDataSetAndAllocator(t *testing.T) {
	dir := t.TempDir()
	for name, allocator := range map[string]string{"rust-log.json": "glibc", "rust-log-mimalloc.json": "mimalloc"} {
		writeFile(t, dir, name, `{"language": "rust", "dataset": "log", "allocator": "`+allocator+`", "records": []}`)
	}
	all, err := ReadRust(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, allocator := range allocators {
		if r := all[rustKey("log", allocator)]; r == nil || r.Allocator != allocator {
			t.Errorf("with %s %+v was read", allocator, r)
		}
	}
	if len(all) != 2 {
		t.Errorf("%d runs were read, want 2", len(all))
	}
	writeFile(t, dir, "rust-mesh.json", "{")
	if _, err := ReadRust(dir); err == nil || !strings.Contains(err.Error(), "rust-mesh.json") {
		t.Errorf("a broken file gave %v", err)
	}
}

func writeFile(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
