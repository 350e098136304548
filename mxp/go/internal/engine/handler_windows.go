package engine

// handlerBytes is the memory of a running handler beside its exchange: a goroutine with its stack,
// a stream, a context. Go's smallest stack is larger on Windows.
const handlerBytes = 8 << 10
