// Package memory is a model of the cost of values in memory: one table of constants for each
// language, and its consequences for the types of a program. Where a value lies, in what holds it
// or behind a pointer, is decided here too, so that what is generated, its bound on memory
// [WIRE-8.7] and the advice on a schema agree.
package memory

import (
	"math"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// wordBytes is the size and alignment of a machine's word. Sizes and decisions are made for 64-bit
// machines, on every machine.
const wordBytes = 8

// Model is how one language holds values in memory. All numbers are bytes, where
// nothing else is said.
type Model struct {
	// String, Bytes, List, Map and Timestamp are what a value takes where it lies,
	// without what it points at; of all forms of a type, that which takes the most.
	String, Bytes, List, Map, Timestamp uint64
	// Numbers is List of a list of built-in numbers.
	Numbers uint64
	// Pointer is what leads to a value in memory of its own.
	Pointer uint64
	// Union is the size of a union that holds every payload in memory of its own; 0 where a union
	// is as large as its largest alternative.
	Union uint64
	// Unknown is what an unknown alternative takes without its payload.
	Unknown uint64
	// Empty is the size of a struct without fields.
	Empty uint64
	// Object is the size of a struct or message beside its fields, where it is an object of its
	// own, as arrays then are, too; and Number the size of a scalar, where that is not its width.
	Object, Number uint64
	// Reordered is true where the language orders fields so that structs are padded
	// at their end alone.
	Reordered bool
	// Niches are the kinds whose optionals take no more than their values, since some bits stand
	// for none; of arrays, only arrays on the heap.
	Niches []ir.Kind

	// InlineArrayMax is how large an array may be and still lie in what holds it.
	InlineArrayMax uint64
	// InlineOptionalMax is how large a value may be for an optional one to lie in what
	// holds it. An absent one is one byte on the wire, so what is larger costs a sender
	// little and the receiver much.
	InlineOptionalMax uint64
	// InlinePayloadMax is how large a payload may be and still lie in its union, whose
	// size is that of its largest.
	InlinePayloadMax uint64
	// InlineStructs is true where the struct of an inline alternative lies in its
	// union however large it is, unless it may hold the union: it is the alternative.
	InlineStructs bool
	// FixedMax is how many bytes on the wire a value of fixed size may have to be read
	// and written as one piece.
	FixedMax uint64

	// TextFactor is how many bytes a byte of a string may cost, and the smallest
	// factor. TextReserved is true where the runtime sets them aside for every byte of input, of
	// any kind.
	TextFactor   int64
	TextReserved bool
	// Least is the smallest piece of memory.
	Least uint64
	// Scratch is true where a fixed array of elements of varying size is read into a
	// list first.
	Scratch bool
	// MapEntry is what an entry of a map may cost, in sizes of an entry and a byte,
	// and MapNode what it costs beyond that: the runtime takes as much from the budget.
	MapEntry, MapNode uint64
	// MapLeast is a map's own memory, and MapSlots how many entries it makes room for
	// at least.
	MapLeast, MapSlots uint64
}

// Go holds a union's alternative behind an interface. A chunk of strings is left
// when the next doesn't fit, with less than half of it unused. A table of a map is
// a power of two, filled to seven eighths at most.
var Go = Model{
	String: 16, Bytes: 24, List: 24, Numbers: 24, Map: 8, Timestamp: 24, Pointer: 8, Union: 16, Unknown: 32,
	Niches: []ir.Kind{ir.ArrayKind},

	InlineArrayMax: 1 << 10, InlineOptionalMax: 32,

	TextFactor: 2, Least: 8,
	MapEntry: 3, MapLeast: 64, MapSlots: 8,
}

// Rust has strings with memory of exactly their length. An entry of a map costs the
// list that it is read into, the scratch of the sort that the map makes of it, and a
// node, which has links and room for several.
var Rust = Model{
	String: 24, Bytes: 24, List: 24, Numbers: 24, Map: 24, Timestamp: 8, Pointer: 8, Unknown: 24,
	Reordered: true,
	Niches:    []ir.Kind{ir.StrKind, ir.BytesKind, ir.ListKind, ir.ArrayKind},

	InlineArrayMax: 1 << 10, InlineOptionalMax: 32, InlinePayloadMax: 64,
	FixedMax: 1 << 10,

	TextFactor: 1, TextReserved: true, Least: 8, Scratch: true,
	MapEntry: 3, MapLeast: 128, MapSlots: 12,
}

// CPP has the containers of the standard libraries that take the most: a
// std::pmr::string of libstdc++, a std::pmr::map. Strings may have twice the room
// that they need; the smallest piece of memory is that of one that doesn't fit its
// own place.
var CPP = Model{
	String: 40, Bytes: 32, List: 32, Numbers: 48, Map: 56, Timestamp: 8, Pointer: 16, Unknown: 40, Empty: 1,

	InlineArrayMax: 1 << 10, InlineOptionalMax: 64, InlinePayloadMax: 64, InlineStructs: true,
	FixedMax: math.MaxUint64,

	TextFactor: 2, TextReserved: true, Least: 32,
	MapEntry: 1, MapNode: 64,
}

// Python has objects for all values, of CPython's sizes, and the pointers to them. A text is as wide as its widest character.
var Python = Model{
	String: 64, Bytes: 48, List: 72, Numbers: 72, Map: 240, Timestamp: 40, Pointer: 8, Union: 128, Unknown: 128,
	Object: 64, Number: 40,

	InlineArrayMax: math.MaxUint64, InlineOptionalMax: math.MaxUint64,

	TextFactor: 4, Least: 16,
	MapEntry: 2, MapNode: 104, MapLeast: 256, MapSlots: 8,
}

// TypeScript has V8's objects, of which each value is a pointer that others share: what
// lies behind it is counted where the pointer is. A typed array has a buffer of its own.
var TypeScript = Model{
	String: 32, Bytes: 216, List: 40, Numbers: 216, Map: 8, Timestamp: 40, Pointer: 8, Union: 48, Unknown: 264,
	Object: 40, Number: 40,

	InlineArrayMax: math.MaxUint64, InlineOptionalMax: math.MaxUint64,

	TextFactor: 2, Least: 8,
	MapEntry: 2, MapNode: 64, MapLeast: 256, MapSlots: 4,
}
