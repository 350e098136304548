package sdp

import (
	"cmp"
	"strconv"
)

// EnumTable describes an enum. It is for generated code.
type EnumTable struct {
	Bits    int // of the base
	Signed  bool
	Closed  bool
	Members []EnumMember
}

// EnumMember is a member of an enum. The number of a u64 above the signed range stands
// as its bits.
type EnumMember struct {
	Name, Key string // Key is empty where the name in JSON is the same
	Number    int64
}

// member finds the member with a number; nil if none has it.
func (e *EnumTable) member(n int64) *EnumMember {
	for i := range e.Members {
		if e.Members[i].Number == n {
			return &e.Members[i]
		}
	}
	return nil
}

// known reports whether a number has a name.
func (e *EnumTable) known(n int64) bool { return e.member(n) != nil }

// Text is the name of a number in the schema, or the number of one that has none.
func (e *EnumTable) Text(n int64) string {
	if m := e.member(n); m != nil {
		return m.Name
	}
	return string(e.appendNumber(nil, n))
}

func (e *EnumTable) appendNumber(b []byte, n int64) []byte {
	if e.Signed {
		return strconv.AppendInt(b, n, 10)
	}
	return strconv.AppendUint(b, uint64(n), 10)
}

// Parse takes a member's name in the schema or a number. A closed enum takes only its members'
// numbers.
func (e *EnumTable) Parse(text []byte) (int64, error) {
	for i := range e.Members {
		if e.Members[i].Name == string(text) {
			return e.Members[i].Number, nil
		}
	}
	var n int64
	var err error
	if e.Signed {
		n, err = strconv.ParseInt(string(text), 10, e.Bits)
	} else {
		var bits uint64
		bits, err = strconv.ParseUint(string(text), 10, e.Bits)
		n = int64(bits)
	}
	if err != nil || e.Closed && !e.known(n) {
		return 0, refuse(ErrEnumUnknown)
	}
	return n, nil
}

// parseJSON reads a member's name in JSON or, from the same text, a number.
func (e *EnumTable) parseJSON(text string) (int64, bool) {
	for i := range e.Members {
		if m := &e.Members[i]; cmp.Or(m.Key, m.Name) == text {
			return m.Number, true
		}
	}
	return e.parseJSONNumber(text)
}

// parseJSONNumber reads a number. A closed enum takes only its members' numbers.
func (e *EnumTable) parseJSONNumber(text string) (int64, bool) {
	n, ok := parseJSONInteger(text, e.Bits, e.Signed)
	return n, ok && (!e.Closed || e.known(n))
}

// appendJSONEnum appends an enum: the member's name, or else the number
// [JSON-2.13].
func appendJSONEnum(b []byte, n int64, e *EnumTable) []byte {
	if e.Bits == 64 || e.known(n) {
		return appendJSONEnumKey(b, n, e)
	}
	return strconv.AppendInt(b, n, 10)
}

// appendJSONEnumKey appends an enum as the key of a map, where a number is a
// string too.
func appendJSONEnumKey(b []byte, n int64, e *EnumTable) []byte {
	if m := e.member(n); m != nil {
		return appendJSONString(b, cmp.Or(m.Key, m.Name))
	}
	return append(e.appendNumber(append(b, '"'), n), '"')
}
