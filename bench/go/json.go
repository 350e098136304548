package bench

import "encoding/json"

// jsonCodec is encoding/json on the data set's plain value.
func jsonCodec[T any, P model[T]](load func() (*T, error)) Subject {
	decode := func(b []byte) (*T, error) {
		v := new(T)
		return v, json.Unmarshal(b, v)
	}
	same := func(v *T) *T { return v }
	return &codec[T, P, T]{
		name: "encoding/json", load: load, native: same, decode: decode,
		encode: func(v *T) ([]byte, error) { return json.Marshal(v) },
		loops: map[Case]func(*T, []byte) Loop{
			EncodeFresh: func(v *T, _ []byte) Loop {
				return encodeLoop(func() ([]byte, error) { return json.Marshal(v) })
			},
			DecodeFresh: func(_ *T, data []byte) Loop {
				return decodeLoop(func() (*T, error) { return decode(data) }, same)
			},
		},
	}
}
