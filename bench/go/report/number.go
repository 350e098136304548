package report

import (
	"fmt"
	"math"
	"strings"
)

// Number has three digits, or as many as stand before the point.
func Number(v float64) string {
	for digits := 2; digits > 0; digits-- {
		if math.Abs(v) < math.Pow10(3-digits)*(1-math.Pow10(-3)/2) {
			return fmt.Sprintf("%.*f", digits, v)
		}
	}
	return Thousands(int(math.Round(v)))
}

// Thousands is a number with commas.
func Thousands(n int) string {
	text := fmt.Sprint(n)
	var groups []string
	for len(text) > 3 {
		groups = append([]string{text[len(text)-3:]}, groups...)
		text = text[:len(text)-3]
	}
	return strings.Join(append([]string{text}, groups...), ",")
}
