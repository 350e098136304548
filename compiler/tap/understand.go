package tap

import (
	"bytes"
	"encoding/json"

	"github.com/serial-data-protocol/sdp/compiler/interp"
)

// understand reads a value of the protocol's own, or with prefix the value at the start of a
// payload, into a Go value, and returns the number of its bytes. JSON leads from the one to the
// other.
func understand(codec *interp.Codec, payload []byte, prefix bool, target any) (int, error) {
	var text bytes.Buffer
	writer := interp.NewJSONWriter(&text)
	n, err := codec.Walk(interp.FromBytes(payload), interp.Options{Prefix: prefix}, writer.Visit)
	if err != nil {
		return 0, err
	}
	if err := writer.Flush(); err != nil {
		return 0, err
	}
	return int(n), json.Unmarshal(text.Bytes(), target)
}
