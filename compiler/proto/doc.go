// Package proto turns schemas of Protocol Buffers into schemas of SDP, and values of
// the one into values of the other.
//
// An import is stateful: it starts from the .sdp that is there, keeps every line of it,
// and appends what the .proto has besides. The numbers of Protocol Buffers stand in the
// attribute @x.proto, by which the next import knows what it has made before, and by
// which values are carried between the two. What can't be held is a diagnostic with its
// place in the .proto.
//
// It refuses to know where files lie, and any target language.
package proto
