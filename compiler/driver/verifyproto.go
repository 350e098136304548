package driver

import (
	"errors"
	"fmt"
	"io"
	"os"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/proto"
)

// payloadBytesMax bounds a file of payloads.
const payloadBytesMax = 1 << 30

// verify carries payloads over and back, and tells what differs, and the bytes.
func (t *Tool) verify(schema *proto.Schema, program *plan.Program, options ImportProtoOptions) error {
	of := schema.Find(protoreflect.FullName(options.Message))
	if of == nil {
		err := usagef("the .proto files have no message %s", options.Message)
		if near := diag.Nearest(options.Message, schema.Messages()); near != "" {
			err = err.withHelp("did you mean %s?", near)
		}
		return err
	}
	binding := proto.Bind(program)
	var sizes proto.Sizes
	failed := false
	for _, name := range options.Verify {
		payloads, err := readPayloads(name, options.Delimited)
		if err != nil {
			return err
		}
		for i, payload := range payloads {
			if err := binding.Verify(of, payload, &sizes); err != nil {
				failed = true
				if _, err := fmt.Fprintf(t.Err, "%s: payload %d: %v\n", name, i, err); err != nil {
					return err
				}
			}
		}
	}
	_, err := fmt.Fprintf(t.Out, "%s of %s came back equal: %s before, %s as SDP\n",
		sized(sizes.Payloads, "payload"), options.Message, sized(sizes.Before, "byte"), sized(sizes.After, "byte"))
	return errors.Join(err, refusedIf(failed))
}

func readPayloads(name string, delimited bool) ([][]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, payloadBytesMax+1))
	if err != nil {
		return nil, err
	}
	if len(data) > payloadBytesMax {
		return nil, fmt.Errorf("%s is longer than 1 GiB", name)
	}
	if !delimited {
		return [][]byte{data}, nil
	}
	payloads, err := proto.Split(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return payloads, nil
}
