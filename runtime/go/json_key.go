package sdp

import "strconv"

// KeyInt is the current key as a signed integer of so many bits.
func (r *jsonReader) KeyInt(bits int) int64 {
	n, ok := parseJSONInteger(r.Key(), bits, true)
	return checkedKey(r, n, ok)
}

// KeyUint is the current key as an unsigned integer of so many bits.
func (r *jsonReader) KeyUint(bits int) uint64 {
	n, ok := parseJSONInteger(r.Key(), bits, false)
	return checkedKey(r, uint64(n), ok)
}

// KeyBool is the current key as a bool.
func (r *jsonReader) KeyBool() bool {
	key := r.Key()
	return checkedKey(r, key == "true", key == "true" || key == "false")
}

// KeyEnum is the current key as an enum, a member's name or a number.
func (r *jsonReader) KeyEnum(e *EnumTable) int64 {
	n, ok := e.parseJSON(r.Key())
	return checkedKey(r, n, ok)
}

// checkedKey refuses a key that isn't one.
func checkedKey[T any](r *jsonReader, key T, ok bool) T {
	if !ok {
		r.refuseKey()
	}
	return key
}

func (r *jsonReader) refuseKey() {
	if r.err == nil {
		r.refuse(r.frames[len(r.frames)-1].keyAt)
	}
}

// newKey refuses a key that the map has. It reports whether the key is new, so that its
// value can be read; after a refusal, of the key too, it is not.
func (r *jsonReader) newKey(isNew bool) bool {
	if !isNew {
		r.refuseKey()
	}
	if r.err != nil {
		return false
	}
	r.frames[len(r.frames)-1].part = valuePart
	return true
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
