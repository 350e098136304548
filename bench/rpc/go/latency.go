package main

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// kept is how many bits of a time a bucket keeps.
const kept = 6

// histogram counts times in buckets of at most 1/64 of their values.
type histogram struct {
	buckets [64 << kept]atomic.Uint32
	count   atomic.Uint64
	max     atomic.Uint64
}

// times are the times of all calls of a part.
var times histogram

// percentiles are times in nanoseconds.
type percentiles struct {
	P50  uint64 `json:"p50"`
	P99  uint64 `json:"p99"`
	P999 uint64 `json:"p999"`
	Max  uint64 `json:"max"`
}

func (h *histogram) note(took time.Duration) {
	ns := uint64(took)
	h.buckets[bucket(ns)].Add(1)
	h.count.Add(1)
	for old := h.max.Load(); ns > old && !h.max.CompareAndSwap(old, ns); old = h.max.Load() {
	}
}

func (h *histogram) reset() {
	for i := range h.buckets {
		h.buckets[i].Store(0)
	}
	h.count.Store(0)
	h.max.Store(0)
}

func (h *histogram) percentiles() *percentiles {
	if h.count.Load() == 0 {
		return nil
	}
	return &percentiles{h.at(500), h.at(990), h.at(999), h.max.Load()}
}

// at is the time that so many of a thousand are not above.
func (h *histogram) at(thousandths uint64) uint64 {
	wanted := (h.count.Load()*thousandths + 999) / 1000
	var seen uint64
	for i := range h.buckets {
		if seen += uint64(h.buckets[i].Load()); seen >= wanted {
			return min(middle(i), h.max.Load())
		}
	}
	return h.max.Load()
}

// bucket is where a time is counted. Times below 128 have one of their own.
func bucket(time uint64) int {
	shift := max(bits.Len64(time)-1-kept, 0)
	return shift<<kept + int(time>>shift)
}

// middle is the time in the middle of a bucket.
func middle(bucket int) uint64 {
	if bucket < 2<<kept {
		return uint64(bucket)
	}
	shift := bucket>>kept - 1
	return uint64(bucket-shift<<kept)<<shift + 1<<(shift-1)
}
