package main

import (
	"errors"

	goproto "google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/proto"
	"github.com/serial-data-protocol/sdp/conformance/protobuf/values"
)

// carry carries random values of every message over and back.
func (r *report) carry(schema *proto.Schema, program *plan.Program) {
	binding := proto.Bind(program)
	random := values.New(r.seed)
	for _, name := range schema.Messages() {
		of := schema.Find(protoreflect.FullName(name))
		for range r.values {
			m := dynamicpb.NewMessage(of)
			random.Fill(m, 0)
			var sizes proto.Sizes
			payload, err := goproto.Marshal(m)
			if err != nil {
				r.refused++ // without a field that it must have
				continue
			}
			err = binding.Verify(of, payload, &sizes)
			var refusal *interp.Refusal
			var refused *proto.CarryError
			switch {
			case err == nil:
				r.carried++
				r.before, r.after = r.before+sizes.Before, r.after+sizes.After
			case errors.As(err, &refusal) && errors.Is(err, interp.ErrLimitDepth):
				r.refused++
			case errors.As(err, &refused) && refused.Reason == "the schema has no place for it":
				r.refused++
			default:
				r.problem("%s: %v", name, err)
			}
		}
	}
}
