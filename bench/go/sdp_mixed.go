//go:build sdp

package bench

import (
	"bytes"
	"maps"
	"time"

	"github.com/serial-data-protocol/sdp/bench/go/dataset"
	"github.com/serial-data-protocol/sdp/bench/go/gen/mixed"
	sdp "github.com/serial-data-protocol/sdp/runtime/go"
)

func sdpMixed(load func() (*dataset.Session, error)) Subject {
	return sdpCodec[dataset.Session, *dataset.Session](sdpForm[dataset.Session, mixed.Session, mixed.SessionView]{
		load: load, native: sdpFromSession, plain: sessionFromSDP, view: mixed.ViewSession, sum: sumSessionView,
	})
}

func sdpFromSession(s *dataset.Session) *mixed.Session {
	v := &mixed.Session{
		Title: s.Title, SavedAt: time.Unix(0, int64(s.SavedAt)), Length: time.Duration(s.Length),
		SampleRate: s.SampleRate, Host: s.Host,
	}
	for i := range s.Tracks {
		v.Tracks = append(v.Tracks, sdpFromTrack(&s.Tracks[i]))
	}
	return v
}

func sdpFromTrack(t *dataset.Track) mixed.Track {
	v := mixed.Track{
		ID: sdp.UUID(t.ID), Name: t.Name, Kind: mixed.TrackKind(t.Kind), Tags: maps.Clone(t.Tags),
		Sends: maps.Clone(t.Sends), Comment: sdpOptional(t.Comment), State: t.State, Colour: sdpOptional(t.Colour),
		Pan: t.Pan,
	}
	for _, c := range t.Clips {
		v.Clips = append(v.Clips, mixed.Clip(c))
	}
	for i := range t.Events {
		v.Events = append(v.Events, mixed.Event{Value: sdpFromEvent(&t.Events[i])})
	}
	return v
}

func sdpFromEvent(e *dataset.Event) mixed.EventAlternative {
	switch {
	case e.Note != nil:
		note := mixed.EventNote(*e.Note)
		return &note
	case e.Curve != nil:
		c := &mixed.EventCurve{Value: mixed.Curve{Parameter: e.Curve.Parameter}}
		for _, p := range e.Curve.Points {
			c.Value.Points = append(c.Value.Points, mixed.Point(p))
		}
		return c
	case e.Marker != nil:
		return &mixed.EventMarker{Value: *e.Marker}
	case e.Tempo != nil:
		return &mixed.EventTempo{Value: *e.Tempo}
	}
	return &mixed.EventStop{}
}

func sessionFromSDP(v *mixed.Session) *dataset.Session {
	s := &dataset.Session{
		Title: v.Title, SavedAt: dataset.Time(v.SavedAt.UnixNano()), Length: dataset.Duration(v.Length),
		SampleRate: v.SampleRate, Host: v.Host,
	}
	for i := range v.Tracks {
		s.Tracks = append(s.Tracks, trackFromSDP(&v.Tracks[i]))
	}
	return s
}

func trackFromSDP(v *mixed.Track) dataset.Track {
	t := dataset.Track{
		ID: dataset.UUID(v.ID), Name: v.Name, Kind: dataset.TrackKind(v.Kind), Tags: map[string]string{},
		Sends: map[uint32]float32{}, Comment: plainOptional(v.Comment), State: bytes.Clone(v.State),
		Colour: plainOptional(v.Colour), Pan: v.Pan,
	}
	maps.Copy(t.Tags, v.Tags)
	maps.Copy(t.Sends, v.Sends)
	for _, c := range v.Clips {
		t.Clips = append(t.Clips, dataset.Clip(c))
	}
	for i := range v.Events {
		t.Events = append(t.Events, eventFromSDP(v.Events[i].Value))
	}
	return t
}

func eventFromSDP(v mixed.EventAlternative) dataset.Event {
	switch e := v.(type) {
	case *mixed.EventNote:
		note := dataset.Note(*e)
		return dataset.Event{Note: &note}
	case *mixed.EventCurve:
		c := &dataset.Curve{Parameter: e.Value.Parameter}
		for _, p := range e.Value.Points {
			c.Points = append(c.Points, dataset.Point(p))
		}
		return dataset.Event{Curve: c}
	case *mixed.EventMarker:
		text := e.Value
		return dataset.Event{Marker: &text}
	case *mixed.EventTempo:
		tempo := e.Value
		return dataset.Event{Tempo: &tempo}
	case *mixed.EventStop:
		return dataset.Event{Stop: true}
	}
	return dataset.Event{}
}

func sdpOptional[T any](v *T) sdp.Optional[T] {
	if v == nil {
		return sdp.None[T]()
	}
	return sdp.Some(*v)
}

func plainOptional[T any](o sdp.Optional[T]) *T {
	v, present := o.Get()
	if !present {
		return nil
	}
	return &v
}
