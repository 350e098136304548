package report

import "testing"

func TestNumbersHaveThreeDigits(t *testing.T) {
	for v, want := range map[float64]string{0.456: "0.46", 1.5: "1.50", 9.999: "10.0", 12.34: "12.3", 99.99: "100", 456.7: "457", 12345: "12,345", 1234567: "1,234,567"} {
		if got := Number(v); got != want {
			t.Errorf("%v is written %q, want %q", v, got, want)
		}
	}
}
