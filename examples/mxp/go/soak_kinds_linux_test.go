//go:build soak

package main

import (
	"context"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
)

// TestSoakByKind lets 1,000 hostile peers of one kind attack a server, kind by kind, in every
// language: what the server holds stays within its budget and a tenth more, another client's calls
// end, and the system has the memory again when the peers are gone, but for what collectors keep. MXP_BESIDE is how many seconds
// each takes, MXP_HOSTILE how many peers there are; MXP_LANGUAGES and MXP_KINDS_OF choose some.
func TestSoakByKind(t *testing.T) {
	long := time.Duration(setting("MXP_BESIDE", 5)) * time.Second
	for _, language := range chosen("MXP_LANGUAGES", slices.Sorted(maps.Keys(all))) {
		for _, kind := range chosen("MXP_KINDS_OF", slices.Sorted(maps.Keys(hostile))) {
			t.Run(language+"/"+kind, func(t *testing.T) { suffersKind(t, all[language], kind, long) })
		}
	}
}

// chosen are the names of a variable of the environment, or all.
func chosen(variable string, every []string) []string {
	if text := os.Getenv(variable); text != "" {
		return strings.Split(text, ";")
	}
	return every
}

func suffersKind(t *testing.T, program, kind string, long time.Duration) {
	server := newSaying(t, program)
	waitForServer(t, server.at)
	client := dialed(t, server.at)
	alone := called(t, client, time.Second)
	start, before := server.holds(), resident(t, server.cmd.Process.Pid)
	peers := hostilePeers(t, server.at, 19, []string{kind})
	beside := called(t, client, long)
	came := peers()
	most := peak(t, server.cmd.Process.Pid)
	end, took := server.recovers(start, 10*time.Second)
	t.Logf("p50 %v and %v, p99 %v and %v, longest %v; %s connections; %d MiB before, %d at most, %d after %v; %d MiB held before, %d after",
		alone(50), beside(50), alone(99), beside(99), beside(100), came, before>>20, most>>20,
		resident(t, server.cmd.Process.Pid)>>20, took.Round(10*time.Millisecond), start.memory>>20, end.memory>>20)
	if most > before+soakMemory+soakMemory/10 {
		t.Errorf("the server held more than its budget of %d MiB", soakMemory>>20)
	}
	if !end.near(start) {
		t.Error("the server has not let go of what the attack has cost")
	}
}

// called makes one call after the other for so long, a millisecond apart. The function that it returns
// gives percentiles of how long they took.
func called(t *testing.T, client *mxp.Client, long time.Duration) func(percent int) time.Duration {
	t.Helper()
	var took []time.Duration
	for began := time.Now(); time.Since(began) < long; time.Sleep(time.Millisecond) {
		within, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		before := time.Now()
		_, err := client.Call(within, service, echo, make([]byte, 64))
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		took = append(took, time.Since(before))
	}
	slices.Sort(took)
	return func(percent int) time.Duration { return took[(len(took)-1)*percent/100] }
}
