package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// never is later than any time that a run comes to.
const never = math.MaxUint64

// payloadBytesMax is the limit of frames.
const payloadBytesMax = 16777216

// config is the configuration of a new session, as far as the oracle has to know it.
type config struct {
	words                                                               string
	services                                                            uint64
	payload, inFlight, inFlightBytes, queueBytes, replyBytes, bulkBytes uint64
	agents, batches                                                     bool
}

// draw gives a small limit often, and else the default.
func draw(rng *rand.Rand, words *[]string, key string, low, high, otherwise uint64) uint64 {
	if rng.IntN(2) == 0 {
		return otherwise
	}
	n := low + rng.Uint64N(high-low)
	*words = append(*words, fmt.Sprintf("%s=%d", key, n))
	return n
}

// configs gives two configurations of sessions that talk to each other. Their
// types are compatible, or else the text says so.
func configs(rng *rand.Rand) (both [2]config, compatible bool) {
	types, compatible := typeLists(rng)
	for i := range both {
		c := &both[i]
		words := []string{"role=" + [2]string{"opener", "acceptor"}[i], "idle_us=0"}
		c.payload = draw(rng, &words, "payload", 256, 600, payloadBytesMax)
		c.inFlight = draw(rng, &words, "in_flight", 1, 8, 4096)
		c.inFlightBytes = draw(rng, &words, "in_flight_bytes", 60, 600, 64<<20)
		c.queueBytes = draw(rng, &words, "queue_bytes", 60, 600, 1<<20)
		c.bulkBytes = draw(rng, &words, "bulk_bytes", 30, 500, 65536)
		c.replyBytes = draw(rng, &words, "reply_bytes", 40, 200, 65536)
		draw(rng, &words, "refusals", 1, 8, 8192)
		draw(rng, &words, "refusals_per_ms", 1, 4, 1)
		draw(rng, &words, "hello_us", 5000, 1e6, 10e6)
		draw(rng, &words, "frame_us", 2000, 1e6, 30e6)
		draw(rng, &words, "frame_bytes_per_s", 1000, 1e6, 4096)
		draw(rng, &words, "linger_us", 1000, 1e6, 1e6)
		draw(rng, &words, "stall_us", 5000, 1e6, 30e6)
		draw(rng, &words, "ping_us", 1000, 1e5, 15e6)
		draw(rng, &words, "pong_us", 1000, 1e5, 10e6)
		var offers []string
		if rng.IntN(3) == 0 {
			offers = append(offers, "checksum_off")
		}
		if c.batches = rng.IntN(4) > 0; c.batches {
			offers = append(offers, "batches")
		}
		if offers != nil {
			words = append(words, "offer="+strings.Join(offers, ","))
		}
		if c.agents = rng.IntN(3) > 0; c.agents {
			words = append(words, "agents=on")
		}
		if c.services = rng.Uint64N(8); c.services > 0 {
			c.services = min(c.services, 2)
			words = append(words, "services="+strings.Join([]string{"a.B", "a.C"}[:c.services], ","))
		}
		c.words = strings.Join(append(words, types[i]...), " ")
	}
	return both, compatible
}

// typeLists gives the types of two sides.
func typeLists(rng *rand.Rand) (lists [2][]string, compatible bool) {
	if rng.IntN(4) > 0 {
		return lists, true
	}
	const fingerprint, other = "00000000000000aa", "00000000000000bb"
	lists[0] = []string{"type=a.T:" + fingerprint + ":" + hexed("0 struct a.T\n x u8\n"), "type=a.U:" + fingerprint + "," + other + ":" + hexed("0 struct a.U\n x u8\n")}
	lists[1] = []string{"type=a.U:" + fingerprint + ":" + hexed("0 struct a.U\n y u8\n"), "type=a.V:" + other + ":-"}
	if rng.IntN(4) > 0 {
		return lists, true
	}
	lists[1] = append(lists[1], "type=a.T:"+other+":"+hexed("0 struct a.T\n x u16\n"))
	return lists, false
}
