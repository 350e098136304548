//go:build sdp

package bench

import (
	"github.com/serial-data-protocol/sdp/bench/go/dataset"
	"github.com/serial-data-protocol/sdp/bench/go/gen/absent"
	"github.com/serial-data-protocol/sdp/bench/go/gen/arrays"
	sdp "github.com/serial-data-protocol/sdp/runtime/go"
)

func sdpArrays(load func() (*dataset.Frame, error)) Subject {
	return sdpCodec[dataset.Frame, *dataset.Frame](sdpForm[dataset.Frame, arrays.Frame, arrays.FrameView]{
		load: load,
		native: func(f *dataset.Frame) *arrays.Frame {
			v := arrays.Frame(*f)
			return &v
		},
		plain: func(v *arrays.Frame) *dataset.Frame {
			f := dataset.Frame(*v)
			return &f
		},
		view: arrays.ViewFrame,
		sum: func(f arrays.FrameView) uint64 {
			var c dataset.Sum
			for v := range f.Samples() {
				c.Float32(v)
			}
			for v := range f.Indices() {
				c.Uint(uint64(v))
			}
			return uint64(c)
		},
	})
}

func sdpAbsent(load func() (*dataset.Speaker, error)) Subject {
	plain := func(v *absent.Speaker) *dataset.Speaker {
		p, present := v.Position.Get()
		if !present {
			return &dataset.Speaker{}
		}
		position := dataset.Position(p)
		return &dataset.Speaker{Position: &position}
	}
	c := sdpCodec[dataset.Speaker, *dataset.Speaker](sdpForm[dataset.Speaker, absent.Speaker, absent.SpeakerView]{
		load: load, plain: plain,
		native: func(s *dataset.Speaker) *absent.Speaker {
			if s.Position == nil {
				return &absent.Speaker{}
			}
			return &absent.Speaker{Position: sdp.Some(absent.Position(*s.Position))}
		},
		view: absent.ViewSpeaker,
		sum: func(s absent.SpeakerView) uint64 {
			var c dataset.Sum
			if p, present := s.Position(); present {
				c.Bool(true)
				c.Float64(p.X())
				c.Float64(p.Y())
				c.Float64(p.Z())
			}
			return uint64(c)
		},
	})
	c.loops[EncodeReused] = sdpAbsentEncode
	c.loops[DecodeReused] = func(_ *absent.Speaker, data []byte) Loop { return sdpAbsentDecode(data, plain) }
	return c
}

// Here the call through a closure, which other loops have, would be a good part of the whole.

func sdpAbsentEncode(v *absent.Speaker, _ []byte) Loop {
	var last []byte
	return Loop{
		Run: func(n int) error {
			b := last
			for range n {
				var err error
				if b, err = v.AppendBinary(b[:0]); err != nil {
					return err
				}
			}
			last = b
			return nil
		},
		Result: func() (any, error) { return last, nil },
	}
}

func sdpAbsentDecode(data []byte, plain func(*absent.Speaker) *dataset.Speaker) Loop {
	v := new(absent.Speaker)
	return Loop{
		Run: func(n int) error {
			for range n {
				if err := absent.DecodeSpeaker(v, data); err != nil {
					return err
				}
			}
			return nil
		},
		Result: func() (any, error) { return plain(v), nil },
	}
}
