package sdp

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// parseJSONTimestamp reads a time in the one form that JSON-2.9 allows.
// time.Parse alone would take more: hours of one digit and a comma, for example.
func parseJSONTimestamp(text string) (time.Time, bool) {
	const whole = "2006-01-02T15:04:05"
	if len(text) <= len(whole) {
		return time.Time{}, false
	}
	for i := range len(whole) {
		if isDigit(whole[i]) != isDigit(text[i]) || !isDigit(whole[i]) && whole[i] != text[i] {
			return time.Time{}, false
		}
	}
	fraction, ok := strings.CutSuffix(text[len(whole):], "Z")
	if _, fine := parseJSONFraction(fraction); !ok || !fine {
		return time.Time{}, false
	}
	t, err := time.Parse(whole+"Z", text)
	if err != nil || t.Before(timeMin) || t.After(timeMax) {
		return time.Time{}, false
	}
	return t, true
}

// parseJSONDuration reads seconds in the form of JSON-2.11.
func parseJSONDuration(text string) (time.Duration, bool) {
	text, ok := strings.CutSuffix(text, "s")
	digits, negative := strings.CutPrefix(text, "-")
	whole, fraction := digits, ""
	if point := strings.IndexByte(digits, '.'); point >= 0 {
		whole, fraction = digits[:point], digits[point:]
	}
	seconds, fine := parseJSONInteger(whole, 63, false)
	nanoseconds, exact := parseJSONFraction(fraction)
	if !ok || !fine || !exact || seconds > math.MaxInt64/int64(time.Second) {
		return 0, false
	}
	n := uint64(seconds)*uint64(time.Second) + nanoseconds
	switch {
	case negative && n <= 1<<63:
		return time.Duration(-n), true
	case !negative && n < 1<<63:
		return time.Duration(n), true
	}
	return 0, false
}

// parseJSONFraction reads a point and one to nine digits, as nanoseconds, or
// nothing at all.
func parseJSONFraction(text string) (uint64, bool) {
	if text == "" {
		return 0, true
	}
	digits := text[1:]
	if text[0] != '.' || len(digits) < 1 || len(digits) > 9 || !isDigit(digits[0]) {
		return 0, false
	}
	n, err := strconv.ParseUint(digits+"000000000"[len(digits):], 10, 32)
	return n, err == nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
