//go:build !(armbe || arm64be || m68k || mips || mips64 || mips64p32 || ppc || ppc64 || s390 || s390x || shbe || sparc || sparc64)

package sdp

// bigEndian is true on machines whose numbers have their bytes the other way
// round.
const bigEndian = false
