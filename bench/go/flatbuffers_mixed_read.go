package bench

import (
	"bytes"
	"encoding/binary"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/serial-data-protocol/sdp/bench/go/dataset"
	fb "github.com/serial-data-protocol/sdp/bench/go/peers/fb/mixed"
)

func sumSession(data []byte) uint64 {
	var c dataset.Sum
	var track fb.Track
	s := fb.GetRootAsSession(data, 0)
	c.Bytes(s.Title())
	c.Uint(uint64(s.SavedAt()))
	c.Uint(uint64(s.Length()))
	c.Uint(uint64(s.SampleRate()))
	for i := range s.TracksLength() {
		s.Tracks(&track, i)
		sumTrack(&c, &track)
	}
	c.Bytes(s.Host())
	return uint64(c)
}

func sumTrack(c *dataset.Sum, t *fb.Track) {
	var id fb.Uuid
	t.Id(&id)
	c.Uint(id.High() >> 56)
	c.Uint(id.Low() & 0xFF)
	c.Bytes(t.Name())
	c.Uint(uint64(t.Kind()))
	var clip fb.Clip
	for i := range t.ClipsLength() {
		t.Clips(&clip, i)
		c.Uint(clip.Start())
		c.Uint(clip.Length())
		c.Float32(clip.Gain())
		c.Bool(clip.IsMuted())
		c.Bytes(clip.Name())
		c.Bytes(clip.Source())
	}
	var event fb.Event
	for i := range t.EventsLength() {
		t.Events(&event, i)
		sumEvent(c, &event)
	}
	var tag fb.Tag
	for i := range t.TagsLength() {
		t.Tags(&tag, i)
		c.Bytes(tag.Name())
		c.Bytes(tag.Value())
	}
	var send fb.Send
	for i := range t.SendsLength() {
		t.Sends(&send, i)
		c.Uint(uint64(send.Bus()))
		c.Float32(send.Gain())
	}
	if comment := t.Comment(); comment != nil {
		c.Bool(true)
		c.Bytes(comment)
	}
	c.Bytes(t.StateBytes())
	var colour fb.Colour
	if t.Colour(&colour) != nil {
		c.Bool(true)
		c.Uint(uint64(colour.Value()))
	}
	var pan fb.Pan
	t.Pan(&pan)
	c.Float32(pan.Left())
	c.Float32(pan.Right())
	c.Float32(pan.Centre())
	c.Float32(pan.Rear())
}

func sumEvent(c *dataset.Sum, e *fb.Event) {
	var table flatbuffers.Table
	e.Kind(&table)
	switch e.KindType() {
	case fb.EventKindNote:
		var note fb.Note
		note.Init(table.Bytes, table.Pos)
		c.Uint(1)
		c.Uint(note.At())
		c.Uint(uint64(note.Length()))
		c.Uint(uint64(note.Key()))
		c.Uint(uint64(note.Velocity()))
	case fb.EventKindCurve:
		var curve fb.Curve
		curve.Init(table.Bytes, table.Pos)
		c.Uint(2)
		c.Uint(uint64(curve.Parameter()))
		var p fb.Point
		for i := range curve.PointsLength() {
			curve.Points(&p, i)
			c.Uint(p.At())
			c.Float32(p.Value())
			c.Uint(uint64(p.Bend()))
		}
	case fb.EventKindMarker:
		var marker fb.Marker
		marker.Init(table.Bytes, table.Pos)
		c.Uint(3)
		c.Bytes(marker.Text())
	case fb.EventKindTempo:
		var tempo fb.Tempo
		tempo.Init(table.Bytes, table.Pos)
		c.Uint(4)
		c.Float64(tempo.Beats())
	case fb.EventKindStop:
		c.Uint(5)
	}
}

func sessionFromFlatbuffers(data []byte) *dataset.Session {
	root := fb.GetRootAsSession(data, 0)
	s := &dataset.Session{
		Title: string(root.Title()), SavedAt: dataset.Time(root.SavedAt()), Length: dataset.Duration(root.Length()),
		SampleRate: root.SampleRate(), Host: string(root.Host()), Tracks: make([]dataset.Track, root.TracksLength()),
	}
	for i := range s.Tracks {
		var t fb.Track
		root.Tracks(&t, i)
		s.Tracks[i] = trackFromFlatbuffers(&t)
	}
	return s
}

func trackFromFlatbuffers(m *fb.Track) dataset.Track {
	pan := m.Pan(nil)
	t := dataset.Track{
		Name: string(m.Name()), Kind: dataset.TrackKind(m.Kind()), Clips: make([]dataset.Clip, m.ClipsLength()),
		Events: make([]dataset.Event, m.EventsLength()), Tags: map[string]string{}, Sends: map[uint32]float32{},
		State: bytes.Clone(m.StateBytes()), Pan: [4]float32{pan.Left(), pan.Right(), pan.Centre(), pan.Rear()},
	}
	id := m.Id(nil)
	binary.BigEndian.PutUint64(t.ID[:8], id.High())
	binary.BigEndian.PutUint64(t.ID[8:], id.Low())
	for i := range t.Clips {
		var c fb.Clip
		m.Clips(&c, i)
		t.Clips[i] = dataset.Clip{
			Start: c.Start(), Length: c.Length(), Gain: c.Gain(), IsMuted: c.IsMuted(),
			Name: string(c.Name()), Source: string(c.Source()),
		}
	}
	for i := range t.Events {
		var e fb.Event
		m.Events(&e, i)
		t.Events[i] = eventFromFlatbuffers(&e)
	}
	var tag fb.Tag
	for i := range m.TagsLength() {
		m.Tags(&tag, i)
		t.Tags[string(tag.Name())] = string(tag.Value())
	}
	var send fb.Send
	for i := range m.SendsLength() {
		m.Sends(&send, i)
		t.Sends[send.Bus()] = send.Gain()
	}
	if comment := m.Comment(); comment != nil {
		text := string(comment)
		t.Comment = &text
	}
	if colour := m.Colour(nil); colour != nil {
		value := colour.Value()
		t.Colour = &value
	}
	return t
}

func eventFromFlatbuffers(m *fb.Event) dataset.Event {
	var table flatbuffers.Table
	m.Kind(&table)
	switch m.KindType() {
	case fb.EventKindNote:
		var note fb.Note
		note.Init(table.Bytes, table.Pos)
		return dataset.Event{Note: &dataset.Note{
			At: note.At(), Length: note.Length(), Key: note.Key(), Velocity: note.Velocity(),
		}}
	case fb.EventKindCurve:
		var curve fb.Curve
		curve.Init(table.Bytes, table.Pos)
		c := &dataset.Curve{Parameter: curve.Parameter(), Points: make([]dataset.Point, curve.PointsLength())}
		for i := range c.Points {
			var p fb.Point
			curve.Points(&p, i)
			c.Points[i] = dataset.Point{At: p.At(), Value: p.Value(), Bend: p.Bend()}
		}
		return dataset.Event{Curve: c}
	case fb.EventKindMarker:
		var marker fb.Marker
		marker.Init(table.Bytes, table.Pos)
		text := string(marker.Text())
		return dataset.Event{Marker: &text}
	case fb.EventKindTempo:
		var tempo fb.Tempo
		tempo.Init(table.Bytes, table.Pos)
		beats := tempo.Beats()
		return dataset.Event{Tempo: &beats}
	}
	return dataset.Event{Stop: m.KindType() == fb.EventKindStop}
}
