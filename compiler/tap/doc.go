// Package tap watches MXP between clients and a server: it passes bytes on, finds
// the frames in them, says what these mean by a schema, and keeps them in captures.
//
// It takes no part in the watched conversation: it opens no session, answers nothing, and passes on
// unreadable bytes. It reads the content of frames, and captures, by the schemas of the
// specification, mxp.sdp and capture.sdp. It refuses to know terminals and the command line.
// Clauses like [MXP-5.3] are clauses of spec/mxp.md.
package tap
