// Command mxp-go measures the frames of the Go library beside the hash that they
// rest on: the hash alone over the same bytes, and a copy of the payload.
//
//	go run . [-rounds 25] [-json FILE]
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/frame"
	"github.com/zeebo/xxh3"
)

var sizes = []int{0, 64, 256, 1024, 4096, 16384}

// sample is how long a round of one operation lasts at least.
const sample = 2 * time.Millisecond

type results struct {
	Language      string    `json:"language"`
	Go            string    `json:"go"`
	Hash          string    `json:"hash"`
	Date          string    `json:"date"`
	Sizes         []int     `json:"sizes"`
	EncodeReused  []float64 `json:"encode_reused_ns"`
	EncodeWrapped []float64 `json:"encode_vectored_ns"`
	Decode        []float64 `json:"decode_ns"`
	HashAlone     []float64 `json:"hash_ns"`
	Memcpy        []float64 `json:"memcpy_ns"`
	Rounds        int       `json:"rounds"`
}

func main() {
	rounds := flag.Int("rounds", 25, "rounds; medians are shown")
	file := flag.String("json", "", "file for the results")
	flag.Parse()
	r := results{Language: "go", Go: runtime.Version(), Hash: version("github.com/zeebo/xxh3"), Date: time.Now().UTC().Format(time.DateOnly), Sizes: sizes, Rounds: *rounds}
	fmt.Printf("%-8s %12s %12s %12s %12s %12s   ns, medians of %d rounds\n", "payload", "encode", "vectored", "decode", "hash alone", "memcpy", *rounds)
	for _, n := range sizes {
		took := measure(operations(n), *rounds)
		for i, to := range []*[]float64{&r.EncodeReused, &r.EncodeWrapped, &r.Decode, &r.HashAlone, &r.Memcpy} {
			*to = append(*to, took[i])
		}
		fmt.Printf("%-8d %12.1f %12.1f %12.1f %12.1f %12.1f\n", n, took[0], took[1], took[2], took[3], took[4])
	}
	if *file != "" {
		text, err := json.MarshalIndent(r, "", " ")
		if err == nil {
			err = os.WriteFile(*file, append(text, '\n'), 0o666)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "mxp-go:", err)
			os.Exit(1)
		}
	}
}

// version is that of a module this program was built with.
func version(module string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, one := range info.Deps {
			if one.Path == module {
				return module + " " + one.Version
			}
		}
	}
	return module
}

// Sink is where results go that nobody else wants.
var Sink uint64

// operations are what is measured for payloads of n bytes, each done so often.
func operations(n int) []func(times int) {
	f := frame.Frame{Header: frame.Header{Type: frame.Call, MessageID: 1, TraceID: 2}, Payload: make([]byte, n)}
	for i := range f.Payload {
		f.Payload[i] = byte(i * 7)
	}
	all, err := f.Append(nil, frame.ChecksumOn)
	if err != nil {
		panic(err)
	}
	buffer := slices.Clone(all)
	var envelope frame.Envelope
	return []func(times int){
		func(times int) {
			for range times {
				buffer, _ = f.Append(buffer[:0], frame.ChecksumOn)
			}
		},
		func(times int) {
			for range times {
				_ = envelope.Seal(f.Header, frame.ChecksumOn, f.Payload)
			}
		},
		func(times int) {
			for range times {
				got, err := frame.Decode(all, frame.Options{})
				if err != nil {
					panic(err)
				}
				Sink += got.MessageID
			}
		},
		func(times int) {
			for range times {
				Sink += xxh3.Hash(all[:len(all)-frame.TrailerSize])
			}
		},
		func(times int) {
			for range times {
				copy(buffer, f.Payload)
			}
		},
	}
}

// measure gives the medians, in nanoseconds, of operations that take turns.
func measure(operations []func(int), rounds int) []float64 {
	times := make([]int, len(operations))
	for i, do := range operations {
		times[i] = 64
		for took := time.Duration(0); took < sample; times[i] *= 2 {
			start := time.Now()
			do(times[i])
			took = time.Since(start)
		}
		times[i] /= 2
	}
	all := make([][]float64, len(operations))
	for range rounds {
		for i, do := range operations {
			start := time.Now()
			do(times[i])
			all[i] = append(all[i], float64(time.Since(start).Nanoseconds())/float64(times[i]))
		}
	}
	medians := make([]float64, len(operations))
	for i, one := range all {
		slices.Sort(one)
		medians[i] = one[len(one)/2]
	}
	return medians
}
