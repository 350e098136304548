package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/interp/random"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// failuresShown bounds what is printed.
const failuresShown = 20

// run compares, and counts.
type run struct {
	effort
	seed                    uint64
	rng                     *rand.Rand
	judges                  *judges
	histogram               histogram
	passed, failed, refused int
}

func newRun(e effort, seed uint64, judges *judges) *run {
	return &run{effort: e, seed: seed, rng: rand.New(rand.NewPCG(seed, 2)), judges: judges, histogram: histogram{}}
}

// program compares values of every type of one schema.
func (r *run) program(p source) error {
	values := random.New(p.program, r.seed)
	for _, d := range p.program.Schema.Roots[0].Decls {
		switch d.(type) {
		case *ir.Struct, *ir.Message, *ir.Union:
		default:
			continue
		}
		codec, err := interp.New(p.program, d)
		if err != nil {
			return err
		}
		for range r.values {
			data, err := codec.Append(nil, values.Value(d), interp.ByteMode)
			if err != nil {
				return fmt.Errorf("%s.%s: a random value is refused: %w", p.name, d.DeclName(), err)
			}
			if err := r.value(p.name, d.DeclName(), codec, data); err != nil {
				return err
			}
		}
	}
	r.histogram.add(values.Seen)
	return nil
}

// value compares the bytes of one value, its JSON, and damaged copies of the bytes.
func (r *run) value(schema, typ string, codec *interp.Codec, data []byte) error {
	want, err := r.bytes(schema, typ, codec, data)
	if err != nil {
		return err
	}
	for _, runner := range r.judges.readersOf(schema) {
		if !runner.holds(want.JSON) {
			continue
		}
		got, err := runner.judge("encode", schema, typ, []byte(want.JSON))
		if err != nil {
			return err
		}
		r.compare(schema, typ, "encode by "+runner.language, data, judgement{Bytes: want.Bytes}, got)
	}
	fromReference, err := r.judges.byReference("encode", schema, typ, "json_hex", []byte(want.JSON))
	if err != nil {
		return err
	}
	r.compare(schema, typ, "encode by the reference", data, judgement{Bytes: want.Bytes}, fromReference)
	for range r.mutations {
		if _, err := r.bytes(schema, typ, codec, damage(r.rng, data)); err != nil {
			return err
		}
		if err := r.text(schema, typ, codec, damage(r.rng, []byte(want.JSON))); err != nil {
			return err
		}
	}
	return nil
}

// text compares what all make of a JSON text. The offset of a refusal is left out:
// the specification recommends it, and demands name and path.
func (r *run) text(schema, typ string, codec *interp.Codec, text []byte) error {
	want, err := interpretedText(codec, text)
	if err != nil {
		return fmt.Errorf("%s.%s %q: %w", schema, typ, text, err)
	}
	if want.Error != "" {
		r.refused++
	}
	for _, runner := range r.judges.readersOf(schema) {
		if !runner.holds(string(text)) {
			continue
		}
		got, err := runner.judge("encode", schema, typ, text)
		if err != nil {
			return err
		}
		got.Offset = 0
		r.compare(schema, typ, "JSON by "+runner.language, text, want, got)
	}
	byReference, err := r.judges.byReference("encode", schema, typ, "json_hex", text)
	byReference.Offset = 0
	r.compare(schema, typ, "JSON by the reference", text, want, byReference)
	return err
}

// bytes compares what all make of bytes.
func (r *run) bytes(schema, typ string, codec *interp.Codec, data []byte) (judgement, error) {
	want, err := interpreted(codec, data)
	if err != nil {
		return want, fmt.Errorf("%s.%s %x: %w", schema, typ, data, err)
	}
	if want.Error != "" {
		r.refused++
	}
	for _, runner := range r.judges.of(schema) {
		if !runner.holds(want.JSON) {
			continue
		}
		for _, op := range runner.decodings() {
			got, err := runner.judge(op, schema, typ, data)
			if err != nil {
				return want, err
			}
			expected := want
			if op == "view" && got.Error == "" && got.Bytes == "" {
				expected.JSON, expected.Bytes = "", "" // in Go, a view has a refusal only
			}
			r.compare(schema, typ, op+" by "+runner.language, data, expected, got)
		}
	}
	got, err := r.judges.byReference("decode", schema, typ, "bytes", data)
	r.compare(schema, typ, "decode by the reference", data, want, got)
	return want, err
}

func (r *run) compare(schema, typ, what string, data []byte, want, got judgement) {
	if want == got {
		r.passed++
		return
	}
	r.failed++
	if r.failed <= failuresShown {
		fmt.Printf("FAIL %s.%s %.600x\n     interpreter: %s\n     %s: %s\n", schema, typ, data, want, what, got)
	}
}
