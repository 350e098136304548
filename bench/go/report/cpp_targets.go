package report

import (
	"path/filepath"
	"slices"
)

// Where SDP's memory is all from a prepared arena, as a real-time thread has it.
const (
	sdpPMR        = "sdp-pmr"
	protobuf      = "protobuf"
	protobufArena = "protobuf-arena"
)

// cppTargets are the promises about C++, each made for one data set.
var cppTargets = []target{
	newTarget(full, "encode, reused buffer", cppRecord("encode_reused", sdp), timesAsFast, 6, cppRecord("encode_reused", protobuf), ""),
	newTarget(full, "encode, reused buffer", cppRecord("encode_reused", sdp), allocations, 0, record{}, ""),
	cppMessage("message mode, encode, fresh buffer", "encode_fresh"),
	cppMessage("message mode, encode, reused buffer", "encode_reused"),
	cppMessage("message mode, decode to owned", "decode_fresh"),
	newTarget(full, "decode to owned", cppDecode("decode_fresh", sdp), timesAsFast, 3.5, cppDecode("decode_arena", protobufArena), "protobuf's arena"),
	newTarget(full, "decode to owned", cppDecode("decode_fresh", sdp), timesAsLong, 1.4, cppDecode("clone", sdp), "a copy of the value"),
	newTarget(full, "decode, strings borrowed", cppDecode("decode_borrowed", sdp), timesAsFast, 9, cppDecode("decode_arena", protobufArena), "protobuf's arena"),
	newTarget(full, "decode borrowed and read every field", cppRead("read_borrowed", sdp), timesAsFast, 3, cppRead("read_validate", "flatbuffers"), ""),
	newTarget(full, "decode borrowed and read every field", cppRead("read_borrowed", sdp), allocations, 0, record{}, ""),
	newTarget(full, "validate and read every field", cppRead("read_validate", sdp), timesAsFast, 0, cppRead("read_validate", "flatbuffers"), ""),
	newTarget(full, "validate and read every field", cppRead("read_validate", sdp), allocations, 0, record{}, ""),
	newTarget(arrays, "4,096 f32 and 4,096 u32, decode to owned", cppDecode("decode_fresh", sdp), timesAsFast, 1, cppDecode("decode_fresh", protobuf), ""),
	newTarget(arrays, "4,096 f32 and 4,096 u32, decode into", cppDecode("decode_reused", sdp), timesAsFast, 1, cppDecode("decode_reused", protobuf), ""),
	newTarget(full, "prepared arena, decode", cppDecode("decode_arena", sdpPMR), allocations, 0, record{}, ""),
	newTarget(full, "prepared arena, decode, strings borrowed", cppDecode("decode_borrowed", sdpPMR), allocations, 0, record{}, ""),
	newTarget(full, "prepared arena, encode, reused buffer", cppRecord("encode_reused", sdpPMR), allocations, 0, record{}, ""),
}

func cppRecord(name, codec string) record { return record{name, codec, name, noHeap} }
func cppDecode(name, codec string) record { return record{"decode", codec, name, noHeap} }
func cppRead(name, codec string) record   { return record{"read", codec, name, noHeap} }

func cppMessage(title, name string) target {
	group := name + "_message"
	return newTarget(full, title, cppRecord(group, sdp), timesAsLong, 1.02, record{group, sdp, name, noHeap}, "byte mode")
}

// ReadCPP reads what was measured in C++, by data set.
func ReadCPP(dir string) (map[string]*Results, error) {
	all := map[string]*Results{}
	for _, dataset := range slices.Concat(full, []string{primitives}, arrays) {
		if err := readInto(all, dataset, filepath.Join(dir, "cpp-"+dataset+".json")); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// JudgeCPP holds results against every target of C++.
func JudgeCPP(all map[string]*Results) []Outcome {
	var outcomes []Outcome
	for i := range cppTargets {
		t := &cppTargets[i]
		outcomes = append(outcomes, t.judge(all[t.datasets[0]], t.datasets[0]+", C++", true))
	}
	return outcomes
}
