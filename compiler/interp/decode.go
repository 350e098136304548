package interp

import (
	"bytes"
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// Decode makes a value of the whole input. Its memory follows the bytes that
// are there, and is bounded by the limit memory_bytes.
func (c *Codec) Decode(b []byte, opts Options) (Value, error) {
	v, _, err := c.DecodePrefix(b, opts)
	return v, err
}

// DecodePrefix also says how many bytes the value took, which are fewer than
// there are only with Options.Prefix.
func (c *Codec) DecodePrefix(b []byte, opts Options) (Value, int, error) {
	d := decoder{memory: opts.limits().MemoryBytes}
	n, err := c.Walk(FromBytes(b), opts, d.visit)
	if err != nil {
		return nil, 0, err
	}
	return d.value, int(n), nil
}

// The cost of values, about: one in a container, and a container of its own.
const (
	valueBytes     = 16
	containerBytes = 48
)

// memoryBytes is about what an event makes a decoder allocate, but for the
// top-level value, which nothing in the input asks for.
func memoryBytes(e *Event) int64 {
	switch e.Kind {
	case TextEvent, BlobEvent, UnknownEvent, TailEvent:
		return valueBytes + int64(len(e.Content))
	case ListEvent, ArrayEvent:
		return containerBytes + valueBytes*int64(e.Count)
	case MapEvent:
		return containerBytes + 2*valueBytes*int64(e.Count)
	case StructEvent, MessageEvent, UnionEvent:
		if e.Role != RootRole {
			return containerBytes
		}
	case ScalarEvent:
		return valueBytes
	}
	return 0
}

// decoder builds a value of the events of a walk.
type decoder struct {
	value  Value
	open   []container
	memory int64
}

// container is a value that is not complete: its children so far.
type container struct {
	t        *ir.Type
	children []Value
	tag      uint8
	tail     []byte
	unknown  []byte // an unknown alternative's payload, never nil then
}

func (d *decoder) visit(e *Event) error {
	cost := memoryBytes(e)
	if cost > d.memory {
		return &Refusal{Kind: ErrLimitMemoryBytes, Offset: e.Offset, Path: e.Path(), Detail: "the limit is reached"}
	}
	d.memory -= cost
	switch e.Kind {
	case ScalarEvent:
		d.add(loadScalar(e.Type, e.Raw))
	case TextEvent:
		d.add(string(e.Content))
	case BlobEvent:
		d.add(owned(e.Content))
	case PresenceEvent:
		if e.Count == 0 {
			d.add(nil)
		}
	case ListEvent, ArrayEvent, MapEvent, StructEvent, MessageEvent:
		d.open = append(d.open, container{t: e.Type, children: []Value{}})
	case UnionEvent:
		d.open = append(d.open, container{t: e.Type, tag: uint8(e.Count)})
	case UnknownEvent:
		d.top().unknown = owned(e.Content)
	case TailEvent:
		if e.Type.Message().KeepUnknown {
			d.top().tail = owned(e.Content)
		}
	case EndEvent:
		done := *d.top()
		d.open = d.open[:len(d.open)-1]
		d.add(done.value())
	}
	return nil
}

// owned copies bytes; the copy of none isn't nil.
func owned(b []byte) []byte { return append(make([]byte, 0, len(b)), b...) }

func (d *decoder) top() *container { return &d.open[len(d.open)-1] }

// add puts a complete value where it belongs.
func (d *decoder) add(v Value) {
	if len(d.open) == 0 {
		d.value = v
		return
	}
	top := d.top()
	top.children = append(top.children, v)
}

func (c *container) value() Value {
	switch c.t.Kind {
	case ir.ListKind, ir.ArrayKind:
		return List(c.children)
	case ir.MapKind:
		m := make(Map, 0, len(c.children)/2)
		for i := 0; i < len(c.children); i += 2 {
			m = append(m, Entry{c.children[i], c.children[i+1]})
		}
		return m
	case ir.StructKind:
		return Struct(c.children)
	case ir.MessageKind:
		return Message{c.children, c.tail}
	case ir.UnionKind:
		if c.unknown != nil {
			return Unknown{c.tag, c.unknown}
		}
		if len(c.children) == 0 {
			return Union{Tag: c.tag}
		}
		return Union{c.tag, c.children[0]}
	}
	panic(fmt.Sprintf("interp: a %s is no container", c.t.Kind))
}

// Equal reports whether two values that can be encoded have the same encoding
// [WIRE-14.4].
func (c *Codec) Equal(a, b Value) (bool, error) {
	x, err := c.Append(nil, a, ByteMode)
	if err != nil {
		return false, err
	}
	y, err := c.Append(nil, b, ByteMode)
	return err == nil && bytes.Equal(x, y), err
}
