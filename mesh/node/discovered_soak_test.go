//go:build soak && linux

package node_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
)

// Calls by a name of the mesh beside calls to the agent's address, in rounds in which both take
// turns: once it is found, an agent costs what it costs without a mesh.
func TestACallByANameCostsWhatOneToAnAddressDoes(t *testing.T) {
	const rounds, long = 41, 150 * time.Millisecond
	n := start(t)
	var made sync.Map
	at := worker(t, n.at, "worker", &made)
	var clients []*mxp.Client
	for _, to := range []string{at, "mesh:///worker"} {
		client, err := mxp.Dial(to, mxp.ClientOptions{Node: n.at})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(client.Close)
		if _, err := client.Call(soon(t), "desk.Mixer", 1, []byte("one")); err != nil {
			t.Fatal(err)
		}
		clients = append(clients, client)
	}
	rate := func(client *mxp.Client) float64 {
		begun, calls := time.Now(), 0
		for ; time.Since(begun) < long; calls++ {
			if _, err := client.Call(t.Context(), "desk.Mixer", 1, []byte("one")); err != nil {
				t.Fatal(err)
			}
		}
		return float64(calls) / time.Since(begun).Seconds()
	}
	var ratios, fixed, found []float64
	for round := range rounds + 2 {
		rates := make([]float64, 2)
		for turn := range 2 {
			which := (turn + round) % 2
			rates[which] = rate(clients[which])
		}
		if round >= 2 { // before, all gets warm
			ratios, fixed, found = append(ratios, rates[1]/rates[0]), append(fixed, rates[0]), append(found, rates[1])
		}
	}
	for _, list := range [][]float64{ratios, fixed, found} {
		slices.Sort(list)
	}
	// The interval is of the median, 95 %, by the order of 41 values: the 14th and the 28th.
	t.Logf("of the rate to an address, that by a name is %.3f (%.3f to %.3f): %.0f and %.0f calls per second, one at a time, medians of %d rounds",
		ratios[rounds/2], ratios[13], ratios[27], fixed[rounds/2], found[rounds/2], rounds)
	if ratios[27] < 0.8 { // where noise can't explain it
		t.Errorf("calls by a name are slower: %.3f", ratios[rounds/2])
	}
}
