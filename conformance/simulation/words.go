package main

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
)

// hexed writes bytes as the line protocol does.
func hexed[T string | []byte](data T) string {
	if len(data) == 0 {
		return "-"
	}
	return hex.EncodeToString([]byte(data))
}

// size is how many bytes a word of hexadecimal digits has.
func size(text string) uint64 {
	if text == "-" {
		return 0
	}
	return uint64(len(text) / 2)
}

// list writes the elements of a list.
func list(items []string) string {
	if len(items) == 0 {
		return "-"
	}
	return strings.Join(items, ",")
}

// someBytes gives hexadecimal digits of a few bytes, or of many.
func someBytes(rng *rand.Rand) string {
	n := rng.IntN(12)
	switch rng.IntN(60) {
	case 0:
		n = rng.IntN(20000)
	case 1, 2, 3, 4, 5, 6:
		n = rng.IntN(400)
	}
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	return hexed(data)
}

// someText gives the hexadecimal digits of a short text.
func someText(rng *rand.Rand) string {
	return hexed([...]string{"", "x", "gone", "ä", "no such thing"}[rng.IntN(5)])
}

// metadata gives the word of metadata and their bytes on the wire.
func metadata(rng *rand.Rand) (word string, bytes uint64) {
	var pairs []string
	for rng.IntN(6) == 0 {
		key, value := someText(rng), someText(rng)
		pairs = append(pairs, key+":"+value)
		bytes += 3 + size(key) + size(value)
	}
	return list(pairs), bytes
}

// head is the start of a request of the user's: its words for the verb and for the event at the
// other end, and its bytes on the wire.
type head struct {
	service, method, deadline uint64
	trace, meta               string
	bytes                     uint64
}

func someHead(rng *rand.Rand, services uint64) head {
	h := head{service: rng.Uint64N(services + 1), method: rng.Uint64N(4), trace: "-"}
	if services > 0 && rng.IntN(16) > 0 {
		h.service = rng.Uint64N(services)
	}
	if rng.IntN(3) == 0 {
		h.deadline = 1 + rng.Uint64N(5000)
		if rng.IntN(20) == 0 {
			h.deadline = never - rng.Uint64N(10)
		}
	}
	var meta uint64
	h.meta, meta = metadata(rng)
	h.bytes = 4 + 14 + meta
	if rng.IntN(4) == 0 {
		h.trace = fmt.Sprintf("%016x%016x:%d:%d", rng.Uint64(), rng.Uint64(), rng.Uint64(), rng.Uint32N(256))
		h.bytes += 25
	}
	return h
}

// verb gives the words for the verb, which knows no deadline for events.
func (h head) verb(deadline bool) string {
	words := fmt.Sprintf("service=%d method=%d", h.service, h.method)
	if deadline && h.deadline > 0 {
		words += fmt.Sprintf(" deadline=%d", h.deadline)
	}
	if h.trace != "-" {
		words += " trace=" + h.trace
	}
	if h.meta != "-" {
		words += " meta=" + h.meta
	}
	return words
}

// event gives the words of the event.
func (h head) event(deadline bool) string {
	words := fmt.Sprintf("service=%d method=%d", h.service, h.method)
	if deadline {
		words += fmt.Sprintf(" deadline=%d", h.deadline)
	}
	return words + " trace=" + h.trace + " meta=" + h.meta
}

// headBytes gives the size of a request's head on the wire, by the words of its event.
func headBytes(words []string) uint64 {
	n := uint64(4 + 14)
	if wordOf(words, "trace") != "-" {
		n += 25
	}
	if meta := wordOf(words, "meta"); meta != "-" {
		for _, pair := range strings.Split(meta, ",") {
			key, value, _ := strings.Cut(pair, ":")
			n += 3 + size(key) + size(value)
		}
	}
	return n
}

// payloadBytes gives the length of a request's payload, by its event.
func payloadBytes(kind string, words []string) uint64 {
	switch kind {
	case "register":
		return 1 + size(wordOf(words, "name")) + 8 + 8 + listBytes(wordOf(words, "capabilities"), 1) + listBytes(wordOf(words, "addresses"), 2) + listBytes(wordOf(words, "services"), 1)
	case "heartbeat":
		return 1 + size(wordOf(words, "name"))
	case "discover":
		return 3 + size(wordOf(words, "capability")) + size(wordOf(words, "name")) + size(wordOf(words, "service")) + 8
	case "open":
		return headBytes(words) + 16 + size(wordOf(words, "value"))
	}
	return headBytes(words) + size(wordOf(words, "value"))
}

// listBytes gives the size of a list of texts on the wire, each behind a length of so many bytes.
func listBytes(all string, length uint64) uint64 {
	n := uint64(1)
	if all != "-" {
		for _, one := range strings.Split(all, ",") {
			n += length + size(one)
		}
	}
	return n
}
