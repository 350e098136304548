package sdp

// KeyInt is the current key as a signed integer of so many bits.
func (r *JSONReader) KeyInt(bits int) int64 {
	n, ok := parseJSONInteger(r.Key(), bits, true)
	return checkedKey(r, n, ok)
}

// KeyUint is the current key as an unsigned integer of so many bits.
func (r *JSONReader) KeyUint(bits int) uint64 {
	n, ok := parseJSONInteger(r.Key(), bits, false)
	return checkedKey(r, uint64(n), ok)
}

// KeyBool is the current key as a bool.
func (r *JSONReader) KeyBool() bool {
	key := r.Key()
	return checkedKey(r, key == "true", key == "true" || key == "false")
}

// KeyEnum is the current key as an enum, a member's name or a number.
func (r *JSONReader) KeyEnum(e *JSONEnum) int64 {
	n, ok := e.parse(r.Key())
	return checkedKey(r, n, ok)
}

// checkedKey refuses a key that isn't one.
func checkedKey[T any](r *JSONReader, key T, ok bool) T {
	if !ok {
		r.refuseKey()
	}
	return key
}

func (r *JSONReader) refuseKey() {
	if r.err == nil {
		r.refuse(r.frames[len(r.frames)-1].keyAt)
	}
}

// NewJSONKey refuses a key that the map has. It reports whether the key is new,
// so that its value can be read; after a refusal, of the key too, it is not.
func NewJSONKey[K comparable, V any](r *JSONReader, m map[K]V, key K) bool {
	if _, doubled := m[key]; doubled {
		r.refuseKey()
	}
	if r.err != nil {
		return false
	}
	r.frames[len(r.frames)-1].part = valuePart
	return true
}
