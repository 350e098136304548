package sdp

import "strconv"

// JSONEnum describes an enum to the functions that write and read JSON. It is
// for generated code.
type JSONEnum struct {
	Bits    int // of the base
	Signed  bool
	Closed  bool
	Members []JSONMember
}

// JSONMember is a member of an enum: its name in JSON and its number. A number
// of a u64 above the signed range stands as its bits.
type JSONMember struct {
	Name   string
	Number int64
}

// name finds the name of a number.
func (e *JSONEnum) name(n int64) (string, bool) {
	for i := range e.Members {
		if e.Members[i].Number == n {
			return e.Members[i].Name, true
		}
	}
	return "", false
}

// parse reads a member's name or, from the same text, a number.
func (e *JSONEnum) parse(text string) (int64, bool) {
	for i := range e.Members {
		if e.Members[i].Name == text {
			return e.Members[i].Number, true
		}
	}
	return e.parseNumber(text)
}

// parseNumber reads a number. A closed enum takes only those of its members.
func (e *JSONEnum) parseNumber(text string) (int64, bool) {
	n, ok := parseJSONInteger(text, e.Bits, e.Signed)
	if _, known := e.name(n); e.Closed && !known {
		return 0, false
	}
	return n, ok
}

// AppendJSONEnum appends an enum: the member's name, or else the number
// [JSON-2.13].
func AppendJSONEnum(b []byte, n int64, e *JSONEnum) []byte {
	if name, ok := e.name(n); ok {
		return AppendJSONString(b, name)
	}
	if e.Bits == 64 {
		return AppendJSONEnumKey(b, n, e)
	}
	return strconv.AppendInt(b, n, 10)
}

// AppendJSONEnumKey appends an enum as the key of a map, where a number is a
// string too.
func AppendJSONEnumKey(b []byte, n int64, e *JSONEnum) []byte {
	if name, ok := e.name(n); ok {
		return AppendJSONString(b, name)
	}
	if e.Signed {
		return AppendJSONInt64(b, n)
	}
	return AppendJSONUint64(b, uint64(n))
}

// parseJSONInteger reads an integer in the one form that JSON-2.3 allows:
// 0|-?[1-9][0-9]*. An unsigned one of 64 bits comes back as its bits.
func parseJSONInteger(text string, bits int, signed bool) (int64, bool) {
	digits := text
	if signed && len(text) > 0 && text[0] == '-' {
		digits = text[1:]
	}
	if len(digits) == 0 || digits[0] < '0' || digits[0] > '9' || digits[0] == '0' && len(text) > 1 {
		return 0, false
	}
	if signed {
		n, err := strconv.ParseInt(text, 10, bits)
		return n, err == nil
	}
	n, err := strconv.ParseUint(text, 10, bits)
	return int64(n), err == nil
}
