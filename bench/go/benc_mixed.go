package bench

import (
	"github.com/deneonet/benc"
	bstd "github.com/deneonet/benc/std"

	"github.com/serial-data-protocol/sdp/bench/go/dataset"
)

// The encoder of the session, on benc's primitives. benc has no unions and no optionals: each gets a byte in
// front, the number of the alternative or a bool.

func bencMixed(load func() (*dataset.Session, error)) Subject {
	c := bencCodec(load, bencSizeSession, bencMarshalSession, bencUnmarshalSession)
	c.unordered = true
	return c
}

func bencSizeSession(s *dataset.Session) int {
	n := bstd.SizeString(s.Title) + 2*bstd.SizeInt64() + bstd.SizeUint32() + bencSizeSliceFrame(len(s.Tracks)) +
		bstd.SizeString(s.Host)
	for i := range s.Tracks {
		n += bencSizeTrack(&s.Tracks[i])
	}
	return n
}

func bencMarshalSession(b []byte, s *dataset.Session) error {
	n := bstd.MarshalString(0, b, s.Title)
	n = bstd.MarshalInt64(n, b, int64(s.SavedAt))
	n = bstd.MarshalInt64(n, b, int64(s.Length))
	n = bstd.MarshalUint32(n, b, s.SampleRate)
	n = bstd.MarshalUint(n, b, uint(len(s.Tracks)))
	for i := range s.Tracks {
		n = bencMarshalTrack(n, b, &s.Tracks[i])
	}
	n = bstd.MarshalUint32(n, b, bencSliceEnd)
	n = bstd.MarshalString(n, b, s.Host)
	return benc.VerifyMarshal(n, b)
}

func bencSizeTrack(t *dataset.Track) int {
	n := len(t.ID) + bstd.SizeString(t.Name) + bstd.SizeByte() + bencSizeSliceFrame(len(t.Clips)) +
		bencSizeSliceFrame(len(t.Events)) + bencSizeSliceFrame(len(t.Tags)) + bencSizeSliceFrame(len(t.Sends)) +
		len(t.Sends)*(bstd.SizeUint32()+bstd.SizeFloat32()) + 2*bstd.SizeBool() + bstd.SizeBytes(t.State) +
		len(t.Pan)*bstd.SizeFloat32()
	for i := range t.Clips {
		c := &t.Clips[i]
		n += 2*bstd.SizeUint64() + bstd.SizeFloat32() + bstd.SizeBool() + bstd.SizeString(c.Name) +
			bstd.SizeString(c.Source)
	}
	for i := range t.Events {
		n += bencSizeEvent(&t.Events[i])
	}
	for name, value := range t.Tags {
		n += bstd.SizeString(name) + bstd.SizeString(value)
	}
	if t.Comment != nil {
		n += bstd.SizeString(*t.Comment)
	}
	if t.Colour != nil {
		n += bstd.SizeUint32()
	}
	return n
}

func bencMarshalTrack(n int, b []byte, t *dataset.Track) int {
	n += copy(b[n:], t.ID[:])
	n = bstd.MarshalString(n, b, t.Name)
	n = bstd.MarshalByte(n, b, byte(t.Kind))
	n = bstd.MarshalUint(n, b, uint(len(t.Clips)))
	for i := range t.Clips {
		n = bencMarshalClip(n, b, &t.Clips[i])
	}
	n = bstd.MarshalUint32(n, b, bencSliceEnd)
	n = bstd.MarshalUint(n, b, uint(len(t.Events)))
	for i := range t.Events {
		n = bencMarshalEvent(n, b, &t.Events[i])
	}
	n = bstd.MarshalUint32(n, b, bencSliceEnd)
	n = bstd.MarshalMap(n, b, t.Tags, bstd.MarshalString, bstd.MarshalString)
	n = bstd.MarshalMap(n, b, t.Sends, bstd.MarshalUint32, bstd.MarshalFloat32)
	n = bstd.MarshalBool(n, b, t.Comment != nil)
	if t.Comment != nil {
		n = bstd.MarshalString(n, b, *t.Comment)
	}
	n = bstd.MarshalBytes(n, b, t.State)
	n = bstd.MarshalBool(n, b, t.Colour != nil)
	if t.Colour != nil {
		n = bstd.MarshalUint32(n, b, *t.Colour)
	}
	for _, gain := range t.Pan {
		n = bstd.MarshalFloat32(n, b, gain)
	}
	return n
}

func bencMarshalClip(n int, b []byte, c *dataset.Clip) int {
	n = bstd.MarshalUint64(n, b, c.Start)
	n = bstd.MarshalUint64(n, b, c.Length)
	n = bstd.MarshalFloat32(n, b, c.Gain)
	n = bstd.MarshalBool(n, b, c.IsMuted)
	n = bstd.MarshalString(n, b, c.Name)
	return bstd.MarshalString(n, b, c.Source)
}

const bencPointSize = 8 + 4 + 2

func bencSizeEvent(e *dataset.Event) int {
	n := bstd.SizeByte()
	switch {
	case e.Note != nil:
		n += bstd.SizeUint64() + bstd.SizeUint32() + 2*bstd.SizeByte()
	case e.Curve != nil:
		n += bstd.SizeUint32() + bencSizeSliceFrame(len(e.Curve.Points)) + len(e.Curve.Points)*bencPointSize
	case e.Marker != nil:
		n += bstd.SizeString(*e.Marker)
	case e.Tempo != nil:
		n += bstd.SizeFloat64()
	}
	return n
}

func bencMarshalEvent(n int, b []byte, e *dataset.Event) int {
	switch {
	case e.Note != nil:
		n = bstd.MarshalByte(n, b, 1)
		n = bstd.MarshalUint64(n, b, e.Note.At)
		n = bstd.MarshalUint32(n, b, e.Note.Length)
		n = bstd.MarshalByte(n, b, e.Note.Key)
		return bstd.MarshalByte(n, b, e.Note.Velocity)
	case e.Curve != nil:
		n = bstd.MarshalByte(n, b, 2)
		n = bstd.MarshalUint32(n, b, e.Curve.Parameter)
		n = bstd.MarshalUint(n, b, uint(len(e.Curve.Points)))
		for i := range e.Curve.Points {
			p := &e.Curve.Points[i]
			n = bstd.MarshalUint64(n, b, p.At)
			n = bstd.MarshalFloat32(n, b, p.Value)
			n = bstd.MarshalInt16(n, b, p.Bend)
		}
		return bstd.MarshalUint32(n, b, bencSliceEnd)
	case e.Marker != nil:
		n = bstd.MarshalByte(n, b, 3)
		return bstd.MarshalString(n, b, *e.Marker)
	case e.Tempo != nil:
		n = bstd.MarshalByte(n, b, 4)
		return bstd.MarshalFloat64(n, b, *e.Tempo)
	}
	return bstd.MarshalByte(n, b, 5)
}
