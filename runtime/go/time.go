package sdp

import (
	"math"
	"time"
)

// The wire holds a timestamp as nanoseconds since the Unix epoch in 64 bits,
// which reach from 1677 to 2262. Go's time.Time reaches further.
var (
	timeMin = time.Unix(0, math.MinInt64)
	timeMax = time.Unix(0, math.MaxInt64)
)

// TimeOf is the time that many nanoseconds after the Unix epoch, in UTC.
func TimeOf(nanoseconds int64) time.Time { return time.Unix(0, nanoseconds).UTC() }

// Nanoseconds is a time as the wire holds it. The zero time.Time stands for the
// epoch, so that a value nobody filled in can be encoded.
func Nanoseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// TimeValid reports whether the wire can hold t.
func TimeValid(t time.Time) bool {
	return t.IsZero() || !t.Before(timeMin) && !t.After(timeMax)
}

// TimesEqual reports whether two times are the same on the wire.
func TimesEqual(a, b time.Time) bool { return Nanoseconds(a) == Nanoseconds(b) }
