//go:build sdp

package bench

import (
	sdp "github.com/serial-data-protocol/sdp/runtime/go"
)

// sdpValue is a generated type with an id, by pointer.
type sdpValue[V any] interface {
	*V
	AppendBinary([]byte) ([]byte, error)
	MarshalBinary() ([]byte, error)
	UnmarshalBinary([]byte) error
	DecodeWith([]byte, sdp.DecodeOptions) error
	AppendMessage([]byte) ([]byte, error)
	UnmarshalMessage([]byte) error
}

// sdpForm says how a data set looks as a generated type V with the view W.
type sdpForm[T, V, W any] struct {
	load   func() (*T, error)
	native func(*T) *V
	plain  func(*V) *T
	view   func([]byte) (W, error)
	// sum reads every field through a view and adds them up as dataset.Sum does.
	sum func(W) uint64
}

const sdpModule = "github.com/serial-data-protocol/sdp"

// sdpCodec is SDP's generated code as its users call it.
func sdpCodec[T any, P model[T], V, W any, M sdpValue[V]](f sdpForm[T, V, W]) *codec[T, P, V] {
	return &codec[T, P, V]{
		name: "sdp", module: sdpModule, load: f.load, native: f.native,
		encode: func(v *V) ([]byte, error) { return M(v).MarshalBinary() },
		decode: func(data []byte) (*T, error) {
			v := new(V)
			err := M(v).UnmarshalBinary(data)
			return f.plain(v), err
		},
		loops: map[Case]func(*V, []byte) Loop{
			EncodeFresh:  func(v *V, _ []byte) Loop { return encodeLoop(M(v).MarshalBinary) },
			EncodeReused: func(v *V, _ []byte) Loop { return sdpAppendLoop(M(v).AppendBinary) },
			EncodeFreshMessage: func(v *V, _ []byte) Loop {
				return sdpPayload[V, M](encodeLoop(func() ([]byte, error) { return M(v).AppendMessage(nil) }))
			},
			EncodeReusedMessage: func(v *V, _ []byte) Loop { return sdpPayload[V, M](sdpAppendLoop(M(v).AppendMessage)) },
			DecodeFresh: func(_ *V, data []byte) Loop {
				return decodeLoop(func() (*V, error) {
					v := new(V)
					return v, M(v).UnmarshalBinary(data)
				}, f.plain)
			},
			DecodeFreshMessage: func(v *V, _ []byte) Loop {
				message, err := M(v).AppendMessage(nil)
				return decodeLoop(func() (*V, error) {
					if err != nil {
						return nil, err
					}
					v := new(V)
					return v, M(v).UnmarshalMessage(message)
				}, f.plain)
			},
			DecodeReused: func(_ *V, data []byte) Loop {
				v := new(V)
				return decodeLoop(func() (*V, error) { return v, M(v).UnmarshalBinary(data) }, f.plain)
			},
			DecodeReusedAlias: func(_ *V, data []byte) Loop {
				v := new(V)
				return decodeLoop(func() (*V, error) {
					return v, M(v).DecodeWith(data, sdp.DecodeOptions{AliasInput: true})
				}, f.plain)
			},
			Read: func(_ *V, data []byte) Loop {
				view, err := f.view(data)
				return readLoop(func() (uint64, error) { return f.sum(view), err })
			},
			ReadValidate: func(_ *V, data []byte) Loop {
				return readLoop(func() (uint64, error) {
					view, err := f.view(data)
					if err != nil {
						return 0, err
					}
					return f.sum(view), nil
				})
			},
		},
	}
}

// sdpAppendLoop appends to the buffer of the time before.
func sdpAppendLoop(encode func([]byte) ([]byte, error)) Loop {
	var buf []byte
	return encodeLoop(func() (_ []byte, err error) {
		buf, err = encode(buf[:0])
		return buf, err
	})
}

// sdpPayload makes a loop that encodes messages give their payload, which must be what byte mode gives, and
// checks that the messages decode.
func sdpPayload[V any, M sdpValue[V]](loop Loop) Loop {
	return Loop{Run: loop.Run, Result: func() (any, error) {
		result, err := loop.Result()
		if err != nil {
			return nil, err
		}
		message := result.([]byte)
		return message[sdp.HeaderBytes:], M(new(V)).UnmarshalMessage(message)
	}}
}
