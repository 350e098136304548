// Package bench puts SDP and the libraries it is compared with behind one small interface, data set by data
// set: each codec turns the plain values of package dataset into its own, and offers loops over what it can
// do. It knows nothing of time; package measure runs the loops.
package bench

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/google/go-cmp/cmp"
)

// Case names one thing that codecs are compared at.
type Case string

// The cases. A codec leaves out cases that it has no form of.
const (
	EncodeFresh         Case = "encode_fresh"          // into a new buffer each time
	EncodeReused        Case = "encode_reused"         // into the buffer of the time before
	EncodeFreshMessage  Case = "encode_fresh_message"  // encode_fresh with SDP's message header
	EncodeReusedMessage Case = "encode_reused_message" // encode_reused with SDP's message header
	DecodeFresh         Case = "decode_fresh"          // into a new value each time
	DecodeFreshMessage  Case = "decode_fresh_message"  // decode_fresh with SDP's message header
	DecodeReused        Case = "decode_reused"         // into the value of the time before, strings copied
	DecodeReusedAlias   Case = "decode_reused_alias"   // the same with strings that alias the input
	Read                Case = "read"                  // every field in place, of bytes that are known to be valid
	ReadValidate        Case = "read_validate"         // validation, then every field in place
)

// Loop is one case of one codec, ready to run.
type Loop struct {
	// Run does the work n times.
	Run func(n int) error
	// Result is the last run's result: the []byte of an encoder (without a message header), the *T of package
	// dataset that a decoder's value amounts to, or the uint64 checksum of a reader.
	Result func() (any, error)
}

// Subject is one codec on one data set.
type Subject interface {
	Codec() string
	// Module is the Go module that the codec's version is taken from, empty for the standard library.
	Module() string
	Cases() []Case
	// Open prepares cases on one value that they share, and verifies each: encoded bytes decode to the data,
	// decoded values equal it field by field, checksums are its checksum. It also returns the encoded size.
	Open(cases []Case) ([]Loop, int, error)
}

// model is the interface of a data set's plain value.
type model[T any] interface {
	*T
	Checksum() uint64
}

// codec implements Subject. T is the data set's plain value, V the codec's own.
type codec[T any, P model[T], V any] struct {
	name, module string
	load         func() (*T, error)
	native       func(*T) *V
	// encode gives the bytes that decoders start from.
	encode func(*V) ([]byte, error)
	// decode is the reverse of native and encode.
	decode func([]byte) (*T, error)
	// unordered says that maps are written in any order, so that only the size is the same each time.
	unordered bool
	loops     map[Case]func(*V, []byte) Loop
}

func (c *codec[T, P, V]) Codec() string  { return c.name }
func (c *codec[T, P, V]) Module() string { return c.module }
func (c *codec[T, P, V]) Cases() []Case  { return slices.Sorted(maps.Keys(c.loops)) }

func (c *codec[T, P, V]) Open(cases []Case) ([]Loop, int, error) {
	want, err := c.load()
	if err != nil {
		return nil, 0, err
	}
	value := c.native(want)
	data, err := c.stableBytes(value, c.native(want))
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", c.name, err)
	}
	var loops []Loop
	for _, k := range cases {
		prepare, ok := c.loops[k]
		if !ok {
			return nil, 0, fmt.Errorf("%s has no case %s", c.name, k)
		}
		loop := prepare(value, data)
		if err := c.verify(loop, data, want); err != nil {
			return nil, 0, fmt.Errorf("%s, %s: %w", c.name, k, err)
		}
		loops = append(loops, loop)
	}
	return loops, len(data), nil
}

// stableBytes encodes two equal values and insists on equal bytes, where the codec promises them.
func (c *codec[T, P, V]) stableBytes(a, b *V) ([]byte, error) {
	data, err := c.encode(a)
	if err != nil {
		return nil, err
	}
	data = slices.Clone(data)
	again, err := c.encode(b)
	if err != nil {
		return nil, err
	}
	if !c.same(data, again) {
		return nil, errors.New("two encodings of one value differ")
	}
	return data, nil
}

func (c *codec[T, P, V]) same(a, b []byte) bool {
	return len(a) == len(b) && (c.unordered || bytes.Equal(a, b))
}

// verify runs the loop twice, so that a reused buffer or value is seen reused, and compares what it left.
func (c *codec[T, P, V]) verify(loop Loop, data []byte, want P) error {
	if err := loop.Run(2); err != nil {
		return err
	}
	result, err := loop.Result()
	if err != nil {
		return err
	}
	switch got := result.(type) {
	case []byte:
		if !c.same(got, data) {
			return fmt.Errorf("%d bytes differ from the %d of the first encoding", len(got), len(data))
		}
		value, err := c.decode(got)
		if err != nil {
			return err
		}
		return differ(want, value)
	case *T:
		return differ(want, got)
	case uint64:
		if sum := want.Checksum(); got != sum {
			return fmt.Errorf("the fields read add up to %d, the data's to %d", got, sum)
		}
		return nil
	}
	return fmt.Errorf("a result of type %T", result)
}

func differ[T any](want, got *T) error {
	if !reflect.DeepEqual(want, got) {
		return fmt.Errorf("the value differs from the data:\n%s", cmp.Diff(want, got))
	}
	return nil
}
