package bench

import (
	"maps"
	"slices"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/serial-data-protocol/sdp/bench/go/dataset"
	fb "github.com/serial-data-protocol/sdp/bench/go/peers/fb/mixed"
)

func flatbuffersMixed(load func() (*dataset.Session, error)) Subject {
	return flatbuffersCodec(flatbuffersForm[dataset.Session]{
		load: load, build: buildSession, sum: sumSession, plain: sessionFromFlatbuffers,
	})
}

func buildSession(b *flatbuffers.Builder, s *dataset.Session) {
	tracks := make([]flatbuffers.UOffsetT, len(s.Tracks))
	for i := range s.Tracks {
		tracks[i] = buildTrack(b, &s.Tracks[i])
	}
	vector := flatbuffersVector(b, tracks)
	title, host := b.CreateString(s.Title), b.CreateString(s.Host)
	fb.SessionStart(b)
	fb.SessionAddTitle(b, title)
	fb.SessionAddSavedAt(b, int64(s.SavedAt))
	fb.SessionAddLength(b, int64(s.Length))
	fb.SessionAddSampleRate(b, s.SampleRate)
	fb.SessionAddTracks(b, vector)
	fb.SessionAddHost(b, host)
	b.Finish(fb.SessionEnd(b))
}

func buildTrack(b *flatbuffers.Builder, t *dataset.Track) flatbuffers.UOffsetT {
	clips := make([]flatbuffers.UOffsetT, len(t.Clips))
	for i := range t.Clips {
		clips[i] = buildClip(b, &t.Clips[i])
	}
	events := make([]flatbuffers.UOffsetT, len(t.Events))
	for i := range t.Events {
		events[i] = buildEvent(b, &t.Events[i])
	}
	clipVector, eventVector := flatbuffersVector(b, clips), flatbuffersVector(b, events)
	tags, sends := buildTags(b, t.Tags), buildSends(b, t.Sends)
	name, state := b.CreateString(t.Name), b.CreateByteVector(t.State)
	var comment flatbuffers.UOffsetT
	if t.Comment != nil {
		comment = b.CreateString(*t.Comment)
	}
	fb.TrackStart(b)
	high, low := t.ID.Halves()
	fb.TrackAddId(b, fb.CreateUuid(b, high, low))
	fb.TrackAddName(b, name)
	fb.TrackAddKind(b, fb.TrackKind(t.Kind))
	fb.TrackAddClips(b, clipVector)
	fb.TrackAddEvents(b, eventVector)
	fb.TrackAddTags(b, tags)
	fb.TrackAddSends(b, sends)
	if t.Comment != nil {
		fb.TrackAddComment(b, comment)
	}
	fb.TrackAddState(b, state)
	if t.Colour != nil {
		fb.TrackAddColour(b, fb.CreateColour(b, *t.Colour))
	}
	fb.TrackAddPan(b, fb.CreatePan(b, t.Pan[0], t.Pan[1], t.Pan[2], t.Pan[3]))
	return fb.TrackEnd(b)
}

func buildClip(b *flatbuffers.Builder, c *dataset.Clip) flatbuffers.UOffsetT {
	name, source := b.CreateString(c.Name), b.CreateString(c.Source)
	fb.ClipStart(b)
	fb.ClipAddStart(b, c.Start)
	fb.ClipAddLength(b, c.Length)
	fb.ClipAddGain(b, c.Gain)
	fb.ClipAddIsMuted(b, c.IsMuted)
	fb.ClipAddName(b, name)
	fb.ClipAddSource(b, source)
	return fb.ClipEnd(b)
}

func buildTags(b *flatbuffers.Builder, tags map[string]string) flatbuffers.UOffsetT {
	var offsets []flatbuffers.UOffsetT
	for _, k := range slices.Sorted(maps.Keys(tags)) {
		name, value := b.CreateString(k), b.CreateString(tags[k])
		fb.TagStart(b)
		fb.TagAddName(b, name)
		fb.TagAddValue(b, value)
		offsets = append(offsets, fb.TagEnd(b))
	}
	return flatbuffersVector(b, offsets)
}

func buildSends(b *flatbuffers.Builder, sends map[uint32]float32) flatbuffers.UOffsetT {
	buses := slices.Sorted(maps.Keys(sends))
	fb.TrackStartSendsVector(b, len(buses))
	for _, bus := range slices.Backward(buses) {
		fb.CreateSend(b, bus, sends[bus])
	}
	return b.EndVector(len(buses))
}

func buildEvent(b *flatbuffers.Builder, e *dataset.Event) flatbuffers.UOffsetT {
	kind, offset := buildEventKind(b, e)
	fb.EventStart(b)
	fb.EventAddKindType(b, kind)
	fb.EventAddKind(b, offset)
	return fb.EventEnd(b)
}

func buildEventKind(b *flatbuffers.Builder, e *dataset.Event) (fb.EventKind, flatbuffers.UOffsetT) {
	switch {
	case e.Note != nil:
		fb.NoteStart(b)
		fb.NoteAddAt(b, e.Note.At)
		fb.NoteAddLength(b, e.Note.Length)
		fb.NoteAddKey(b, e.Note.Key)
		fb.NoteAddVelocity(b, e.Note.Velocity)
		return fb.EventKindNote, fb.NoteEnd(b)
	case e.Curve != nil:
		fb.CurveStartPointsVector(b, len(e.Curve.Points))
		for _, p := range slices.Backward(e.Curve.Points) {
			fb.CreatePoint(b, p.At, p.Value, p.Bend)
		}
		points := b.EndVector(len(e.Curve.Points))
		fb.CurveStart(b)
		fb.CurveAddParameter(b, e.Curve.Parameter)
		fb.CurveAddPoints(b, points)
		return fb.EventKindCurve, fb.CurveEnd(b)
	case e.Marker != nil:
		text := b.CreateString(*e.Marker)
		fb.MarkerStart(b)
		fb.MarkerAddText(b, text)
		return fb.EventKindMarker, fb.MarkerEnd(b)
	case e.Tempo != nil:
		fb.TempoStart(b)
		fb.TempoAddBeats(b, *e.Tempo)
		return fb.EventKindTempo, fb.TempoEnd(b)
	}
	fb.StopStart(b)
	return fb.EventKindStop, fb.StopEnd(b)
}
