package rust

import (
	"math"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

func TestLiteralsHaveTheSeparatorsThatClippyWants(t *testing.T) {
	for number, want := range map[float64]string{
		0: "0.0", math.Copysign(0, -1): "-0.0", 0.5: "0.5", 12345: "12345.0", 123456: "123_456.0", -1234567.25: "-1.234_567_25e06",
		2.225073858507201e-308: "2.225_073_858_507_201e-308", 0.123456: "0.123_456",
	} {
		if got := floatLiteral(number, ir.F64); got != want {
			t.Errorf("%v is %s, want %s", number, got, want)
		}
	}
	if got := floatLiteral(16777216, ir.F32); got != "1.677_721_6e07" {
		t.Errorf("the largest whole f32 is %s", got)
	}
	for number, want := range map[uint64]string{0: "0", 12345: "12345", 123456: "123_456", math.MaxUint64: "18_446_744_073_709_551_615"} {
		if got := integer(number); got != want {
			t.Errorf("%d is %s, want %s", number, got, want)
		}
	}
}
