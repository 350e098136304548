package report

import (
	"path/filepath"
	"slices"
)

// Rust is measured with two allocators, the system's first.
var allocators = []string{"glibc", "mimalloc"}

const (
	noHeap     = "none"
	primitives = "primitives"
)

// publicSuite are the data sets that Rust's serializers are compared on in public.
var publicSuite = []string{"log", "mesh", "minecraft_savedata", "mk48"}

// rustTargets are the promises about Rust, each made for one data set and both allocators.
var rustTargets = []target{
	newTarget(full, "encode, reused buffer", rustRecord("encode_reused", sdp), timesAsFast, 1.2, rustRecord("encode_reused", fastestPeer), ""),
	newTarget(full, "encode, reused buffer", rustRecord("encode_reused", sdp), allocations, 0, record{}, ""),
	rustMessage("message mode, encode, fresh buffer", "encode_fresh"),
	rustMessage("message mode, encode, reused buffer", "encode_reused"),
	rustMessage("message mode, decode to owned", "decode_fresh"),
	newTarget(full, "decode to owned", rustRecord("decode_fresh", sdp), timesAsLong, 1.05, rustRecord("decode_fresh", "bitcode"), ""),
	newTarget(full, "decode into a value that is there", rustRecord("decode_reused", sdp), timesAsFast, 4, record{"decode_reused", sdp, "decode_fresh", noHeap}, "decode to owned"),
	newTarget(full, "decode into a value that is there", rustRecord("decode_reused", sdp), allocations, 0, record{}, ""),
	newTarget(full, "decode, strings borrowed", rustRecord("decode_borrowed", sdp), timesAsFast, 1.15, rustRecord("decode_borrowed", fastestPeer), ""),
	newTarget(full, "decode borrowed and read every field", rustRead("read_borrowed", sdp), timesAsFast, 2, rustRead("read_validate", "rkyv"), ""),
	newTarget(full, "validate and read every field", rustRead("read_validate", sdp), timesAsFast, 1.9, rustRead("read_validate", "rkyv"), ""),
	newTarget(full, "validate and read every field", rustRead("read_validate", sdp), allocations, 0, record{}, ""),
	newTarget([]string{primitives}, "12 primitive fields, encode, reused buffer", rustRecord("encode_reused", sdp), timesAsFast, 1, rustRecord("encode_reused", fastestPeer), ""),
	newTarget([]string{primitives}, "12 primitive fields, decode", rustRecord("decode_fresh", sdp), timesAsFast, 1, rustRecord("decode_fresh", fastestPeer), ""),
	newTarget([]string{"log"}, "log, decode, strings borrowed", rustRecord("decode_borrowed", sdp), timesAsFast, 0.9, rustRecord("decode_borrowed", fastestPeer), ""),
	newTarget([]string{"minecraft_savedata"}, "minecraft_savedata, decode, strings borrowed", rustRecord("decode_borrowed", sdp), timesAsFast, 0.9, rustRecord("decode_borrowed", fastestPeer), ""),
	newTarget([]string{"mesh"}, "mesh, encode, reused buffer", rustRecord("encode_reused", sdp), timesAsFast, 1, rustRecord("encode_reused", "wincode"), ""),
	newTarget([]string{"mesh"}, "mesh, decode to owned", rustRecord("decode_fresh", sdp), timesAsFast, 1, rustRecord("decode_fresh", "wincode"), ""),
	newTarget(arrays, "4,096 f32 and 4,096 u32, encode, fresh buffer", rustRecord("encode_fresh", sdp), timesAsLong, 1.1, record{"encode_fresh", "memcpy", "copy", noHeap}, "memcpy and allocation"),
	newTarget(arrays, "4,096 f32 and 4,096 u32, decode to owned", rustRecord("decode_fresh", sdp), timesAsLong, 1.1, record{"decode_fresh", "memcpy", "copy", noHeap}, "memcpy and allocation"),
}

func rustRecord(name, codec string) record { return record{name, codec, name, noHeap} }
func rustRead(name, codec string) record   { return record{"read", codec, name, noHeap} }

func rustMessage(title, name string) target {
	group := name + "_message"
	return newTarget(full, title, rustRecord(group, sdp), timesAsLong, 1.02, record{group, sdp, name, noHeap}, "byte mode")
}

// rustKey names one run in what ReadRust gives.
func rustKey(dataset, allocator string) string { return dataset + ", " + allocator }

// ReadRust reads what was measured in Rust, by data set and allocator.
func ReadRust(dir string) (map[string]*Results, error) {
	all := map[string]*Results{}
	for _, dataset := range slices.Concat(full, []string{primitives}, arrays, publicSuite) {
		for _, allocator := range allocators {
			name := "rust-" + dataset
			if allocator != allocators[0] {
				name += "-" + allocator
			}
			if err := readInto(all, rustKey(dataset, allocator), filepath.Join(dir, name+".json")); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// judgeRust holds results against a target, an outcome for each allocator.
func (t *target) judgeRust(all map[string]*Results) []Outcome {
	var outcomes []Outcome
	for _, allocator := range allocators {
		key := rustKey(t.datasets[0], allocator)
		outcomes = append(outcomes, t.judge(all[key], key, true))
	}
	return outcomes
}

// JudgeRust holds results against every target of Rust.
func JudgeRust(all map[string]*Results) []Outcome {
	var outcomes []Outcome
	for i := range rustTargets {
		outcomes = append(outcomes, rustTargets[i].judgeRust(all)...)
	}
	return outcomes
}
