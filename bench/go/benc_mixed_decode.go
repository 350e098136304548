package bench

import (
	"fmt"

	"github.com/deneonet/benc"
	bstd "github.com/deneonet/benc/std"

	"github.com/serial-data-protocol/sdp/bench/go/dataset"
)

// The decoder of the session, on benc's primitives.

func bencUnmarshalSession(b []byte, s *dataset.Session) error {
	n, title, err := bstd.UnmarshalString(0, b)
	if err != nil {
		return err
	}
	s.Title = title
	n, at, err := bstd.UnmarshalInt64(n, b)
	if err != nil {
		return err
	}
	s.SavedAt = dataset.Time(at)
	n, length, err := bstd.UnmarshalInt64(n, b)
	if err != nil {
		return err
	}
	s.Length = dataset.Duration(length)
	if n, s.SampleRate, err = bstd.UnmarshalUint32(n, b); err != nil {
		return err
	}
	if n, s.Tracks, err = bstd.UnmarshalSlice[dataset.Track](n, b, bencUnmarshalTrack); err != nil {
		return err
	}
	if n, s.Host, err = bstd.UnmarshalString(n, b); err != nil {
		return err
	}
	return benc.VerifyUnmarshal(n, b)
}

func bencUnmarshalTrack(n int, b []byte, t *dataset.Track) (_ int, err error) {
	if len(b)-n < len(t.ID) {
		return 0, benc.ErrBufTooSmall
	}
	n += copy(t.ID[:], b[n:])
	if n, t.Name, err = bstd.UnmarshalString(n, b); err != nil {
		return 0, err
	}
	var kind byte
	if n, kind, err = bstd.UnmarshalByte(n, b); err != nil {
		return 0, err
	}
	t.Kind = dataset.TrackKind(kind)
	if n, t.Clips, err = bstd.UnmarshalSlice[dataset.Clip](n, b, bencUnmarshalClip); err != nil {
		return 0, err
	}
	if n, t.Events, err = bstd.UnmarshalSlice[dataset.Event](n, b, bencUnmarshalEvent); err != nil {
		return 0, err
	}
	if n, t.Tags, err = bstd.UnmarshalMap[string, string](n, b, bstd.UnmarshalString, bstd.UnmarshalString); err != nil {
		return 0, err
	}
	if n, t.Sends, err = bstd.UnmarshalMap[uint32, float32](n, b, bstd.UnmarshalUint32, bstd.UnmarshalFloat32); err != nil {
		return 0, err
	}
	if n, t.Comment, err = bencUnmarshalOptional(n, b, bstd.UnmarshalString); err != nil {
		return 0, err
	}
	if n, t.State, err = bstd.UnmarshalBytesCopied(n, b); err != nil {
		return 0, err
	}
	if n, t.Colour, err = bencUnmarshalOptional(n, b, bstd.UnmarshalUint32); err != nil {
		return 0, err
	}
	for i := range t.Pan {
		if n, t.Pan[i], err = bstd.UnmarshalFloat32(n, b); err != nil {
			return 0, err
		}
	}
	return n, nil
}

func bencUnmarshalOptional[T any](n int, b []byte, unmarshal func(int, []byte) (int, T, error)) (int, *T, error) {
	n, is, err := bstd.UnmarshalBool(n, b)
	if err != nil || !is {
		return n, nil, err
	}
	n, v, err := unmarshal(n, b)
	return n, &v, err
}

func bencUnmarshalClip(n int, b []byte, c *dataset.Clip) (_ int, err error) {
	if n, c.Start, err = bstd.UnmarshalUint64(n, b); err != nil {
		return 0, err
	}
	if n, c.Length, err = bstd.UnmarshalUint64(n, b); err != nil {
		return 0, err
	}
	if n, c.Gain, err = bstd.UnmarshalFloat32(n, b); err != nil {
		return 0, err
	}
	if n, c.IsMuted, err = bstd.UnmarshalBool(n, b); err != nil {
		return 0, err
	}
	if n, c.Name, err = bstd.UnmarshalString(n, b); err != nil {
		return 0, err
	}
	n, c.Source, err = bstd.UnmarshalString(n, b)
	return n, err
}

func bencUnmarshalEvent(n int, b []byte, e *dataset.Event) (_ int, err error) {
	n, tag, err := bstd.UnmarshalByte(n, b)
	if err != nil {
		return 0, err
	}
	switch tag {
	case 1:
		e.Note = new(dataset.Note)
		return bencUnmarshalNote(n, b, e.Note)
	case 2:
		e.Curve = new(dataset.Curve)
		if n, e.Curve.Parameter, err = bstd.UnmarshalUint32(n, b); err != nil {
			return 0, err
		}
		n, e.Curve.Points, err = bstd.UnmarshalSlice[dataset.Point](n, b, bencUnmarshalPoint)
		return n, err
	case 3:
		e.Marker = new(string)
		n, *e.Marker, err = bstd.UnmarshalString(n, b)
		return n, err
	case 4:
		e.Tempo = new(float64)
		n, *e.Tempo, err = bstd.UnmarshalFloat64(n, b)
		return n, err
	case 5:
		e.Stop = true
		return n, nil
	}
	return 0, fmt.Errorf("no event has the number %d", tag)
}

func bencUnmarshalNote(n int, b []byte, v *dataset.Note) (_ int, err error) {
	if n, v.At, err = bstd.UnmarshalUint64(n, b); err != nil {
		return 0, err
	}
	if n, v.Length, err = bstd.UnmarshalUint32(n, b); err != nil {
		return 0, err
	}
	if n, v.Key, err = bstd.UnmarshalByte(n, b); err != nil {
		return 0, err
	}
	n, v.Velocity, err = bstd.UnmarshalByte(n, b)
	return n, err
}

func bencUnmarshalPoint(n int, b []byte, p *dataset.Point) (_ int, err error) {
	if n, p.At, err = bstd.UnmarshalUint64(n, b); err != nil {
		return 0, err
	}
	if n, p.Value, err = bstd.UnmarshalFloat32(n, b); err != nil {
		return 0, err
	}
	n, p.Bend, err = bstd.UnmarshalInt16(n, b)
	return n, err
}
