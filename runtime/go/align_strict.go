//go:build arm || armbe || mips || mipsle || mips64 || mips64le || sparc || sparc64

package sdp

// wordsAnywhere is true on machines that load and store words at any address.
const wordsAnywhere = false
