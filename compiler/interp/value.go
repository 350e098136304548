package interp

// Value is a dynamic value. Its Go type depends on its type in the schema:
//
//	bool                                  bool
//	u8 … u64, an enum of such a base      uint64
//	i8 … i64, an enum of such a base      int64
//	timestamp, duration                   int64 nanoseconds
//	f32, f64                              F32, F64
//	uuid                                  UUID
//	str                                   string
//	bytes                                 []byte
//	[]T, [N]T                             List
//	?T                                    nil, or the value of T
//	map                                   Map
//	struct, inline alternative            Struct
//	message                               Message
//	union                                 Union, or Unknown
//
// Decoding makes values that are deeply equal if and only if their encodings
// are: floats are their bits, empty lists and slices are never nil.
type Value any

// F32 is the bits of an f32, so that NaN payloads survive and values compare.
type F32 uint32

// F64 is the bits of an f64.
type F64 uint64

// UUID is 16 bytes in the order in which they are printed.
type UUID [16]byte

// List is the elements of a list or array.
type List []Value

// Map is the entries of a map. Decoding gives them in the order of the wire;
// encoding takes them in any order.
type Map []Entry

// Entry is one pair of a map.
type Entry struct{ Key, Value Value }

// Struct is the fields of a struct in order of declaration.
type Struct []Value

// Message is the fields of all segments, and the unknown tail if the message
// keeps it, else nil.
type Message struct {
	Fields []Value
	Tail   []byte
}

// Union is a known alternative; Value is nil if it has no payload.
type Union struct {
	Tag   uint8
	Value Value
}

// Unknown is an alternative that an open union doesn't name.
type Unknown struct {
	Tag     uint8
	Payload []byte
}
