package bench

import (
	"google.golang.org/protobuf/proto"
)

// protoMessage is a generated message, by pointer.
type protoMessage[V any] interface {
	*V
	proto.Message
}

// vtMessage is a message with vtprotobuf's methods.
type vtMessage[V any] interface {
	protoMessage[V]
	SizeVT() int
	MarshalVT() ([]byte, error)
	MarshalToSizedBufferVT([]byte) (int, error)
	UnmarshalVT([]byte) error
}

// vtPooled is a message with vtprotobuf's methods for pools.
type vtPooled[V any] interface {
	vtMessage[V]
	UnmarshalVTUnsafe([]byte) error
	ResetVT()
}

// protobufForm says how a data set looks as a protobuf message.
type protobufForm[T any, V any] struct {
	load   func() (*T, error)
	native func(*T) *V
	plain  func(*V) *T
	// unordered says that the message has maps.
	unordered bool
}

// encodeProto is the encoding whose bytes are the same each time, which is not the timed encoding.
func encodeProto[V any, M protoMessage[V]](v *V) ([]byte, error) {
	return proto.MarshalOptions{Deterministic: true}.Marshal(M(v))
}

func decodeProto[V any, M protoMessage[V]](b []byte) (*V, error) {
	v := new(V)
	return v, proto.Unmarshal(b, M(v))
}

// protobufCodec is protobuf-go as its users call it.
func protobufCodec[T any, P model[T], V any, M protoMessage[V]](f protobufForm[T, V]) Subject {
	return &codec[T, P, V]{
		name: "protobuf-go", module: "google.golang.org/protobuf",
		load: f.load, native: f.native, encode: encodeProto[V, M], decode: f.decode(decodeProto[V, M]),
		unordered: f.unordered,
		loops: map[Case]func(*V, []byte) Loop{
			EncodeFresh: func(v *V, _ []byte) Loop {
				return encodeLoop(func() ([]byte, error) { return proto.Marshal(M(v)) })
			},
			EncodeReused: func(v *V, _ []byte) Loop {
				var buf []byte
				return encodeLoop(func() (_ []byte, err error) {
					buf, err = proto.MarshalOptions{}.MarshalAppend(buf[:0], M(v))
					return buf, err
				})
			},
			DecodeFresh: func(_ *V, data []byte) Loop {
				return decodeLoop(func() (*V, error) { return decodeProto[V, M](data) }, f.plain)
			},
		},
	}
}

// vtprotobufCodec is vtprotobuf's code for messages without pools.
func vtprotobufCodec[T any, P model[T], V any, M vtMessage[V]](f protobufForm[T, V]) Subject {
	return &codec[T, P, V]{
		name: "vtprotobuf", module: vtprotobufModule,
		load: f.load, native: f.native, encode: encodeProto[V, M], decode: f.decode(decodeProto[V, M]),
		unordered: f.unordered,
		loops: map[Case]func(*V, []byte) Loop{
			EncodeFresh: func(v *V, _ []byte) Loop { return encodeLoop(M(v).MarshalVT) },
			EncodeReused: func(v *V, _ []byte) Loop {
				var buf []byte
				return encodeLoop(func() ([]byte, error) {
					size := M(v).SizeVT()
					if cap(buf) < size {
						buf = make([]byte, size)
					}
					buf = buf[:size]
					_, err := M(v).MarshalToSizedBufferVT(buf)
					return buf, err
				})
			},
			DecodeFresh: func(_ *V, data []byte) Loop {
				return decodeLoop(func() (*V, error) {
					v := new(V)
					return v, M(v).UnmarshalVT(data)
				}, f.plain)
			},
		},
	}
}

// vtprotobufPoolCodec decodes into a message that keeps its memory, as one from vtprotobuf's pool does. It
// stays with one message, so that neither the pool's own time nor a pool emptied by the collector is charged.
// U is the message as the package without pools has it.
func vtprotobufPoolCodec[T any, P model[T], U, V any, N protoMessage[U], M vtPooled[V]](f protobufForm[T, U]) Subject {
	native := func(t *T) *V { return mustConvertProto[U, V, N, M](f.native(t)) }
	plain := func(v *V) *T { return f.plain(mustConvertProto[V, U, M, N](v)) }
	reuse := func(unmarshal func(M, []byte) error) func(*V, []byte) Loop {
		return func(_ *V, data []byte) Loop {
			v := new(V)
			return decodeLoop(func() (*V, error) {
				M(v).ResetVT()
				return v, unmarshal(M(v), data)
			}, plain)
		}
	}
	return &codec[T, P, V]{
		name: "vtprotobuf-pool", module: vtprotobufModule,
		load: f.load, native: native, encode: encodeProto[V, M], decode: f.decode(decodeProto[U, N]),
		loops: map[Case]func(*V, []byte) Loop{
			DecodeReused:      reuse(M.UnmarshalVT),
			DecodeReusedAlias: reuse(M.UnmarshalVTUnsafe),
		},
	}
}

const vtprotobufModule = "github.com/planetscale/vtprotobuf"

func (f protobufForm[T, V]) decode(decode func([]byte) (*V, error)) func([]byte) (*T, error) {
	return func(b []byte) (*T, error) {
		v, err := decode(b)
		if err != nil {
			return nil, err
		}
		return f.plain(v), nil
	}
}

// mustConvertProto turns a message of one generated package into the same of another. A message that was
// just built or decoded always encodes, and both packages come from one schema, so neither step can fail.
func mustConvertProto[A, B any, M protoMessage[A], N protoMessage[B]](a *A) *B {
	b, err := encodeProto[A, M](a)
	if err != nil {
		panic(err)
	}
	v, err := decodeProto[B, N](b)
	if err != nil {
		panic(err)
	}
	return v
}
