package bridge

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Numbers of Protocol Buffers' own schemas: of features, of Go's features, of the API level in
// these, and of the opaque level.
const (
	goFeatures = 1002
	apiLevel   = 2
	apiOpaque  = 3
)

// isOpaque tells whether a file's or message's options ask for the opaque API. Go's features
// are an extension that this program need not know: they are looked for in the bytes.
func isOpaque(options protoreflect.ProtoMessage) bool {
	if options == nil {
		return false
	}
	reflected := options.ProtoReflect()
	fd := reflected.Descriptor().Fields().ByName("features")
	if fd == nil || !reflected.IsValid() || !reflected.Has(fd) {
		return false
	}
	data, err := proto.Marshal(reflected.Get(fd).Message().Interface())
	return err == nil && holds(data, goFeatures, func(level []byte) bool {
		return holds(level, apiLevel, nil)
	})
}

// holds tells whether a message has a field of a number that is a message for which something
// is true or, without that, the number of the opaque API.
func holds(data []byte, want protowire.Number, is func([]byte) bool) bool {
	for len(data) > 0 {
		number, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return false
		}
		data = data[n:]
		length := protowire.ConsumeFieldValue(number, kind, data)
		if length < 0 {
			return false
		}
		switch {
		case number != want:
		case is != nil && kind == protowire.BytesType:
			inner, _ := protowire.ConsumeBytes(data)
			if is(inner) {
				return true
			}
		case is == nil && kind == protowire.VarintType:
			if v, _ := protowire.ConsumeVarint(data); v == apiOpaque {
				return true
			}
		}
		data = data[length:]
	}
	return false
}
