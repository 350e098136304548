// Package sdp is the runtime of Go code that the sdp compiler generates: the
// errors, limits and options that its users meet, and the few operations on
// bytes that generated encoders and decoders share.
//
// Decoding refuses each input that isn't a valid value, and names the fault, its byte and its
// field; see [Error]. Memory is bounded by the input and by [Limits].
//
// Generated values are plain data. Reading one from several goroutines is safe
// as long as none writes to it; encoding only reads. Views and the functions of
// this package are safe for concurrent use. Readers and writers of streams are
// for one goroutine at a time.
//
// Names that begin with SDP, and the types [Decoder] and [Encoder], are there
// for generated code. They follow it from release to release.
package sdp
