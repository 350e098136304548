package sdp

// GetNumbers fills dst from the wire: one copy where the machine is
// little-endian, and then a swap where it isn't. src holds at least the bytes of
// dst.
func GetNumbers[T number](dst []T, src string) {
	memory := memoryOf(dst)
	copy(memory, src[:len(memory)])
	if bigEndian {
		swapBytes(memory, sizeOf[T]())
	}
}

// PutNumbers writes numbers at p and returns the position behind them.
func PutNumbers[T number](b []byte, p int, src []T) int {
	end := p + len(src)*sizeOf[T]()
	copy(b[p:end], memoryOf(src))
	if bigEndian {
		swapBytes(b[p:end], sizeOf[T]())
	}
	return end
}

// GetBools fills dst from the wire and reports whether every byte was 0 or 1;
// if one was not, it leaves dst alone.
func GetBools[T ~bool](dst []T, src string) bool {
	src = src[:len(dst)]
	if !BoolsValid(src) {
		return false
	}
	copy(boolMemory(dst), src)
	return true
}

// PutBools writes bools at p and returns the position behind them.
func PutBools[T ~bool](b []byte, p int, src []T) int {
	return p + copy(b[p:p+len(src)], boolMemory(src))
}

// BoolsValid reports whether every byte is 0 or 1.
func BoolsValid(s string) bool {
	all := uint64(0)
	for ; len(s) >= 8; s = s[8:] {
		all |= At64(s, 0)
	}
	for i := range len(s) {
		all |= uint64(s[i])
	}
	return all&^0x0101010101010101 == 0
}

// PutBool is a bool's byte.
func PutBool[T ~bool](v T) byte {
	if v {
		return 1
	}
	return 0
}

// At16 is the number of two bytes at p.
func At16(s string, p int) uint16 {
	s = s[p : p+2]
	return uint16(s[0]) | uint16(s[1])<<8
}

// At32 is the number of four bytes at p, which compiles to one load.
func At32(s string, p int) uint32 {
	s = s[p : p+4]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

// At64 is the number of eight bytes at p, which compiles to one load.
func At64(s string, p int) uint64 {
	s = s[p : p+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
