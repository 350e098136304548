package dataset

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
)

// Session is what schemas/mixed.sdp calls by that name. Its JSON is what SDP's JSON of the type may look like.
type Session struct {
	Title      string   `json:"title"`
	SavedAt    Time     `json:"saved_at"`
	Length     Duration `json:"length"`
	SampleRate uint32   `json:"sample_rate"`
	Tracks     []Track  `json:"tracks"`
	Host       string   `json:"host"`
}

// Track is one track of a session.
type Track struct {
	ID      UUID               `json:"id"`
	Kind    TrackKind          `json:"kind"`
	Name    string             `json:"name"`
	Clips   []Clip             `json:"clips"`
	Events  []Event            `json:"events"`
	Tags    map[string]string  `json:"tags"`
	Sends   map[uint32]float32 `json:"sends"`
	Comment *string            `json:"comment"`
	State   []byte             `json:"state"`
	Colour  *uint32            `json:"colour"`
	Pan     [4]float32         `json:"pan"`
}

// Clip is a piece of a sound file.
type Clip struct {
	Start   uint64  `json:"start,string"`
	Length  uint64  `json:"length,string"`
	Gain    float32 `json:"gain"`
	IsMuted bool    `json:"is_muted"`
	Name    string  `json:"name"`
	Source  string  `json:"source"`
}

// Event is a union: exactly one of its fields is set.
type Event struct {
	Note   *Note    `json:"Note,omitempty"`
	Curve  *Curve   `json:"Curve,omitempty"`
	Marker *string  `json:"Marker,omitempty"`
	Tempo  *float64 `json:"Tempo,omitempty"`
	Stop   Chosen   `json:"Stop,omitempty"`
}

// Note is the alternative of Event that sounds.
type Note struct {
	At       uint64 `json:"at,string"`
	Length   uint32 `json:"length"`
	Key      uint8  `json:"key"`
	Velocity uint8  `json:"velocity"`
}

// Curve says how one parameter moves.
type Curve struct {
	Parameter uint32  `json:"parameter"`
	Points    []Point `json:"points"`
}

// Point is one point of a curve.
type Point struct {
	At    uint64  `json:"at,string"`
	Value float32 `json:"value"`
	Bend  int16   `json:"bend"`
}

// Chosen says that a union's alternative without a payload is the one; in JSON it is null.
type Chosen bool

// MarshalJSON writes null; an alternative that is not chosen is left out by its omitempty.
func (Chosen) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

// UnmarshalJSON is called if the alternative is there.
func (c *Chosen) UnmarshalJSON([]byte) error {
	*c = true
	return nil
}

// TrackKind is the kind of a track's content.
type TrackKind uint8

var trackKindNames = [...]string{"Audio", "Midi", "Bus", "Master"}

// MarshalText writes the member's name.
func (k TrackKind) MarshalText() ([]byte, error) { return []byte(trackKindNames[k]), nil }

// UnmarshalText reads the member's name.
func (k *TrackKind) UnmarshalText(text []byte) error {
	for i, name := range trackKindNames {
		if name == string(text) {
			*k = TrackKind(i)
			return nil
		}
	}
	return fmt.Errorf("no kind of track is called %q", text)
}

// UUID is the 16 bytes of a UUID in the order of RFC 9562.
type UUID [16]byte

// MarshalText writes the five groups of hexadecimal digits.
func (u UUID) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:]), nil
}

// UnmarshalText reads what MarshalText writes.
func (u *UUID) UnmarshalText(text []byte) error {
	digits, err := hex.DecodeString(strings.ReplaceAll(string(text), "-", ""))
	if err != nil || len(digits) != len(u) {
		return fmt.Errorf("%q is no UUID", text)
	}
	copy(u[:], digits)
	return nil
}

// Halves are the UUID's bytes as two big-endian numbers.
func (u *UUID) Halves() (high, low uint64) {
	return binary.BigEndian.Uint64(u[:8]), binary.BigEndian.Uint64(u[8:])
}

// Time is a point in time, in nanoseconds since 1970.
type Time int64

// MarshalText writes RFC 3339.
func (t Time) MarshalText() ([]byte, error) {
	return time.Unix(0, int64(t)).UTC().AppendFormat(nil, time.RFC3339Nano), nil
}

// UnmarshalText reads RFC 3339.
func (t *Time) UnmarshalText(text []byte) error {
	parsed, err := time.Parse(time.RFC3339Nano, string(text))
	*t = Time(parsed.UnixNano())
	return err
}

// Duration is a span of time in nanoseconds.
type Duration int64

// MarshalText writes decimal seconds, which a session's length has whole milliseconds of.
func (d Duration) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%d.%03ds", d/1e9, d%1e9/1e6), nil
}

// UnmarshalText reads decimal seconds.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	*d = Duration(parsed)
	return err
}
