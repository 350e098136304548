//go:build sdp

package bench

import (
	"github.com/serial-data-protocol/sdp/bench/go/dataset"
	"github.com/serial-data-protocol/sdp/bench/go/gen/mixed"
)

func sumSessionView(s mixed.SessionView) uint64 {
	var c dataset.Sum
	c.Text(s.Title())
	c.Uint(uint64(s.SavedAt().UnixNano()))
	c.Uint(uint64(s.Length()))
	c.Uint(uint64(s.SampleRate()))
	for t := range s.Tracks() {
		sumTrackView(&c, t)
	}
	c.Text(s.Host())
	return uint64(c)
}

func sumTrackView(c *dataset.Sum, t mixed.TrackView) {
	id := t.ID()
	c.UUID(id[:])
	c.Text(t.Name())
	c.Uint(uint64(t.Kind()))
	for clip := range t.Clips() {
		c.Uint(clip.Start())
		c.Uint(clip.Length())
		c.Float32(clip.Gain())
		c.Bool(clip.IsMuted())
		c.Text(clip.Name())
		c.Text(clip.Source())
	}
	for e := range t.Events() {
		sumEventView(c, e)
	}
	for name, value := range t.Tags() {
		c.Text(name)
		c.Text(value)
	}
	for bus, gain := range t.Sends() {
		c.Uint(uint64(bus))
		c.Float32(gain)
	}
	if comment, present := t.Comment(); present {
		c.Bool(true)
		c.Text(comment)
	}
	c.Bytes(t.State())
	if colour, present := t.Colour(); present {
		c.Bool(true)
		c.Uint(uint64(colour))
	}
	for gain := range t.Pan() {
		c.Float32(gain)
	}
}

func sumEventView(c *dataset.Sum, e mixed.EventView) {
	c.Uint(uint64(e.Tag()))
	switch e.Tag() {
	case 1:
		note, _ := e.Note()
		c.Uint(note.At())
		c.Uint(uint64(note.Length()))
		c.Uint(uint64(note.Key()))
		c.Uint(uint64(note.Velocity()))
	case 2:
		curve, _ := e.Curve()
		c.Uint(uint64(curve.Parameter()))
		for p := range curve.Points() {
			c.Uint(p.At())
			c.Float32(p.Value())
			c.Uint(uint64(p.Bend()))
		}
	case 3:
		marker, _ := e.Marker()
		c.Text(marker)
	case 4:
		tempo, _ := e.Tempo()
		c.Float64(tempo)
	}
}
