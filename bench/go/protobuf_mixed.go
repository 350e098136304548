package bench

import (
	"maps"

	"github.com/serial-data-protocol/sdp/bench/go/dataset"
	pb "github.com/serial-data-protocol/sdp/bench/go/peers/pb/mixed"
	pool "github.com/serial-data-protocol/sdp/bench/go/peers/pbpool/mixed"
)

func protobufMixed(load func() (*dataset.Session, error)) []Subject {
	form := protobufForm[dataset.Session, pb.Session]{
		load: load, native: protobufFromSession, plain: sessionFromProtobuf, unordered: true,
	}
	return []Subject{
		protobufCodec(form),
		vtprotobufCodec(form),
		vtprotobufPoolCodec[dataset.Session, *dataset.Session, pb.Session, pool.Session](form),
	}
}

func protobufFromSession(s *dataset.Session) *pb.Session {
	m := &pb.Session{
		Title: s.Title, SavedAt: int64(s.SavedAt), Length: int64(s.Length), SampleRate: s.SampleRate, Host: s.Host,
	}
	for i := range s.Tracks {
		m.Tracks = append(m.Tracks, protobufFromTrack(&s.Tracks[i]))
	}
	return m
}

func protobufFromTrack(t *dataset.Track) *pb.Track {
	m := &pb.Track{
		Id: t.ID[:], Name: t.Name, Kind: pb.TrackKind(t.Kind), Tags: t.Tags, Sends: t.Sends,
		Comment: t.Comment, State: t.State, Colour: t.Colour, Pan: t.Pan[:],
	}
	for _, c := range t.Clips {
		m.Clips = append(m.Clips, &pb.Clip{
			Start: c.Start, Length: c.Length, Gain: c.Gain, IsMuted: c.IsMuted, Name: c.Name, Source: c.Source,
		})
	}
	for i := range t.Events {
		m.Events = append(m.Events, protobufFromEvent(&t.Events[i]))
	}
	return m
}

func protobufFromEvent(e *dataset.Event) *pb.Event {
	switch {
	case e.Note != nil:
		return &pb.Event{Kind: &pb.Event_Note{Note: &pb.Note{
			At: e.Note.At, Length: e.Note.Length, Key: uint32(e.Note.Key), Velocity: uint32(e.Note.Velocity),
		}}}
	case e.Curve != nil:
		c := &pb.Curve{Parameter: e.Curve.Parameter}
		for _, p := range e.Curve.Points {
			c.Points = append(c.Points, &pb.Point{At: p.At, Value: p.Value, Bend: int32(p.Bend)})
		}
		return &pb.Event{Kind: &pb.Event_Curve{Curve: c}}
	case e.Marker != nil:
		return &pb.Event{Kind: &pb.Event_Marker{Marker: *e.Marker}}
	case e.Tempo != nil:
		return &pb.Event{Kind: &pb.Event_Tempo{Tempo: *e.Tempo}}
	}
	return &pb.Event{Kind: &pb.Event_Stop{Stop: &pb.Stop{}}}
}

func sessionFromProtobuf(m *pb.Session) *dataset.Session {
	s := &dataset.Session{
		Title: m.Title, SavedAt: dataset.Time(m.SavedAt), Length: dataset.Duration(m.Length),
		SampleRate: m.SampleRate, Host: m.Host,
	}
	for _, t := range m.Tracks {
		s.Tracks = append(s.Tracks, trackFromProtobuf(t))
	}
	return s
}

func trackFromProtobuf(m *pb.Track) dataset.Track {
	t := dataset.Track{
		ID: dataset.UUID(m.Id), Name: m.Name, Kind: dataset.TrackKind(m.Kind), Comment: m.Comment, State: m.State,
		Colour: m.Colour, Pan: [4]float32(m.Pan), Tags: map[string]string{}, Sends: map[uint32]float32{},
	}
	maps.Copy(t.Tags, m.Tags)
	maps.Copy(t.Sends, m.Sends)
	for _, c := range m.Clips {
		t.Clips = append(t.Clips, dataset.Clip{
			Start: c.Start, Length: c.Length, Gain: c.Gain, IsMuted: c.IsMuted, Name: c.Name, Source: c.Source,
		})
	}
	for _, e := range m.Events {
		t.Events = append(t.Events, eventFromProtobuf(e))
	}
	return t
}

func eventFromProtobuf(m *pb.Event) dataset.Event {
	switch k := m.Kind.(type) {
	case *pb.Event_Note:
		return dataset.Event{Note: &dataset.Note{
			At: k.Note.At, Length: k.Note.Length, Key: uint8(k.Note.Key), Velocity: uint8(k.Note.Velocity),
		}}
	case *pb.Event_Curve:
		c := &dataset.Curve{Parameter: k.Curve.Parameter}
		for _, p := range k.Curve.Points {
			c.Points = append(c.Points, dataset.Point{At: p.At, Value: p.Value, Bend: int16(p.Bend)})
		}
		return dataset.Event{Curve: c}
	case *pb.Event_Marker:
		return dataset.Event{Marker: &k.Marker}
	case *pb.Event_Tempo:
		return dataset.Event{Tempo: &k.Tempo}
	case *pb.Event_Stop:
		return dataset.Event{Stop: true}
	}
	return dataset.Event{}
}
