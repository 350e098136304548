//go:build !windows

package engine

// handlerBytes is the memory of a running handler beside its exchange: a goroutine with its stack,
// a stream, a context.
const handlerBytes = 6 << 10
