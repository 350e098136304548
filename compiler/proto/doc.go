// Package proto turns schemas of Protocol Buffers into schemas of SDP, and values of
// the one into values of the other.
//
// An import is stateful: it starts from the .sdp that is there, keeps every line of it,
// and appends what the .proto has besides. The numbers of Protocol Buffers stand in the attribute
// @x.proto. By it the next import knows its earlier work, and values are carried between the two.
// Parts that a .sdp can't hold are diagnostics with their places in the .proto.
//
// It refuses to know where files lie, and any target language.
package proto
