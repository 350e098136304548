package proto

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// Sizes are the bytes of payloads before and after.
type Sizes struct{ Payloads, Before, After int64 }

// Verify carries a payload over and back, and compares.
func (b *Binding) Verify(d protoreflect.MessageDescriptor, payload []byte, sizes *Sizes) error {
	m := dynamicpb.NewMessage(d)
	if err := proto.Unmarshal(payload, m); err != nil {
		return fmt.Errorf("it is no payload of %s: %w", d.FullName(), err)
	}
	data, err := b.Encode(m)
	if err != nil {
		return err
	}
	back, err := b.Decode(d, data)
	if err != nil {
		return err
	}
	if !proto.Equal(m, back.Interface()) {
		return &CarryError{string(d.FullName()), "what comes back is another value"}
	}
	sizes.Payloads++
	sizes.Before += int64(len(payload))
	sizes.After += int64(len(data))
	return nil
}

// Split parts a file of payloads, each behind its length.
func Split(data []byte) (payloads [][]byte, err error) {
	for at := 0; at < len(data); {
		payload, n := protowire.ConsumeBytes(data[at:])
		if n < 0 {
			return payloads, fmt.Errorf("payload %d, at byte %d, is cut off", len(payloads), at)
		}
		payloads = append(payloads, payload)
		at += n
	}
	return payloads, nil
}
