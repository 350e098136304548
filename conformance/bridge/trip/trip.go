// Package trip lets values of Protocol Buffers go over a bridge to SDP, through its bytes,
// and back.
package trip

import (
	"encoding"
	"errors"
	"flag"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/serial-data-protocol/sdp/conformance/protobuf/values"
	sdp "github.com/serial-data-protocol/sdp/runtime/go"
)

var (
	seed  = flag.Uint64("seed", 1, "the seed of random values")
	count = flag.Int("values", 100, "how many values of each message go over")
)

// Sdp is a pointer to a generated value.
type Sdp[V any] interface {
	*V
	AppendBinary([]byte) ([]byte, error)
	encoding.BinaryUnmarshaler
}

// Message lets random values of a message go over and back. A bridge may refuse an absent required
// field, and an encoder may refuse values that are nested too deeply.
func Message[M, V any, PM interface {
	*M
	protoreflect.ProtoMessage
}, PV Sdp[V]](t *testing.T, from func(PM) (V, error), to func(*V) (PM, error)) {
	t.Helper()
	random := values.New(*seed)
	refused := 0
	for range *count {
		m := PM(new(M))
		random.Fill(m.ProtoReflect(), 0)
		v, err := from(m)
		if err != nil {
			if proto.CheckInitialized(m) == nil || !strings.HasSuffix(err.Error(), "required and absent") {
				t.Fatalf("%T: %v: %v", m, err, m)
			}
			refused++
			continue
		}
		data, err := PV(&v).AppendBinary(nil)
		if errors.Is(err, sdp.ErrLimitDepth) {
			refused++
			continue
		}
		if err != nil {
			t.Fatalf("%T: %v: %v", m, err, m)
		}
		w := new(V)
		if err := PV(w).UnmarshalBinary(data); err != nil {
			t.Fatalf("%T: %v: %v", m, err, m)
		}
		back, err := to(w)
		if err != nil || !proto.Equal(m, back) {
			t.Fatalf("%T comes back as another value, %v:\n%v\n%v", m, err, m, back)
		}
	}
	if refused == *count && *count > 50 {
		t.Errorf("%T: all values are refused", PM(nil))
	}
}
