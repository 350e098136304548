package report

import (
	"strings"
	"testing"
)

func TestRatioStandsBesideTheOtherCodec(t *testing.T) {
	mine, other := cppLine(cppRecord("encode_reused", sdp), 100, 0), cppLine(cppRecord("encode_reused", protobuf), 250, 0)
	if got, want := ratioBeside(&mine, &other), "2.50 × protobuf (2.50–2.50)"; got != want {
		t.Errorf("the cell is %q, want %q", got, want)
	}
	if got := ratioBeside(&mine, nil); got != "–" {
		t.Errorf("a codec that nothing is compared with has %q", got)
	}
}

func TestFastestPeerIsAnotherCodec(t *testing.T) {
	all := cppRun(cppLine(cppRecord("encode_reused", sdp), 100, 0), cppLine(cppRecord("encode_reused", sdpPMR), 90, 0),
		cppLine(cppRecord("encode_reused", protobuf), 250, 0))
	if got := all[full[0]].find(cppRecord("encode_reused", fastestPeer)); got == nil || got.Codec != protobuf {
		t.Errorf("the fastest peer is %+v", got)
	}
	times := map[string]timed{"sdp": {1, 1, [2]float64{1, 1}}, "a": {3, 3, [2]float64{2, 4}}, "b": {2, 2, [2]float64{1.5, 2.5}}}
	if got, want := fastest(times, func(codec string) bool { return codec != sdp }), "2.00 × b (1.50–2.50)"; got != want {
		t.Errorf("the fastest is %q, want %q", got, want)
	}
}

func TestMissesAreCountedAndListed(t *testing.T) {
	var b strings.Builder
	got := writeMisses(&b, "Go", []Outcome{
		{Title: "encode", Target: "≥ 2 × x", Dataset: "lv2-62", Measured: "1.00 × (0.90 to 1.10)"},
		{Title: "encode", Target: "≥ 2 × x", Dataset: "mixed", Measured: "1.20 × (1.10 to 1.30)"},
		{Title: "decode", Target: "≥ 2 × x", Dataset: "lv2-62", Measured: "3.00 × (2.90 to 3.10)", Pass: true},
		{Title: "decode", Target: "– × x", Dataset: "lv2-62", Measured: "3.00 × (2.90 to 3.10)", Told: true},
		{Title: "read", Target: "≥ 2 × x", Dataset: "lv2-62"},
	})
	if want := "Go misses 2 of 3"; got != want {
		t.Errorf("the count is %q, want %q", got, want)
	}
	if want := "| Go: encode | ≥ 2 × x | lv2-62 1.00 ×, mixed 1.20 × |\n"; b.String() != want {
		t.Errorf("the rows are %q, want %q", b.String(), want)
	}
}
