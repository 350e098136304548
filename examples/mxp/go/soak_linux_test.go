//go:build soak

package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	// soakMemory is what each server may hold, in bytes.
	soakMemory = 256 << 20
	// soakRest is what its memory may be above that of its start once the hostile peers are
	// gone.
	soakRest = 64 << 20
	// soakCallers is how many call at once, of each program that loads a server.
	soakCallers = 2
)

// TestSoak does to a server of every language what goes wrong with servers, all at once:
// it is restarted and killed, its clients are killed, slow, silent and hostile; and clients
// of every language call it, one beside streams of 1 GiB. Every call of theirs ends once,
// and is lost by nothing but a kill. MXP_SOAK_ALL is how many seconds all servers take
// together, MXP_HOSTILE how many hostile peers a server has.
func TestSoak(t *testing.T) {
	long := time.Duration(setting("MXP_SOAK_ALL", 600)) * time.Second / time.Duration(len(programs))
	for _, language := range languages {
		t.Run(language, func(t *testing.T) { soak(t, language, long) })
	}
}

// languages are the languages of the programs, in the order in which they are told.
var languages = []string{"go", "rust", "cpp"}

// soak has three phases: a tenth of the time is quiet, eight tenths are the attack, and the last
// tenth begins when the server has let go of the attack's memory.
func soak(t *testing.T, language string, long time.Duration) {
	server := newServing(t, programs[language])
	waitForServer(t, server.at)
	var loads []loading
	for _, language := range languages {
		loads = append(loads, startLoad(t, language, server.at, soakCallers))
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	streams := newBesideStreams(ctx, t, server.at)
	r := report{t: t, server: server}

	probe := startLoad(t, "go", server.at, 1)
	sleep(ctx, long/10)
	r.account("before the attack", probe.ended(t), 1)
	start := server.holds()

	probe = startLoad(t, "go", server.at, 1)
	attack, peace := context.WithTimeout(ctx, long*8/10)
	defer peace()
	attacks := hostilePeers(t, server.at, 0, slices.Collect(maps.Keys(hostile)))
	most := server.suffers(attack, max(long/16, 2*time.Second))
	r.account("under attack", probe.ended(t), 1)
	t.Logf("%d restarts, %d kills, %s connections of hostile peers", server.restarts, server.kills, attacks())

	end, took := server.recovers(start, 10*time.Second)
	t.Logf("memory %d KB and %d files at the start, %d KB at most, %d KB and %d files %v after the attack",
		start.memory>>10, start.files, most>>10, end.memory>>10, end.files, took.Round(time.Millisecond))
	probe = startLoad(t, "go", server.at, 1)
	sleep(ctx, long/10)
	r.account("after the attack", probe.ended(t), 1)
	server.drained()
	cancel()
	for i, l := range loads {
		r.account(languages[i]+" asks", l.ended(t), soakCallers)
	}
	beside := <-streams
	r.account(fmt.Sprintf("beside %d MiB", beside.megabytes), fmt.Sprintln(&beside.calls), 1)
	t.Logf("sent %d = %d answered + %d refused + %d told as lost", r.all.calls, r.all.answered, r.all.refused, r.all.lost)
	r.judge(start, most, end, soakMemory+soakMemory/10)
}

// report is what became of the calls of all clients.
type report struct {
	t      *testing.T
	server *serving
	all    summary
}

// account takes what a client says of its calls, so many of which were made at once.
func (r *report) account(name, text string, callers int) {
	sum := summaryOf(r.t, text)
	r.t.Logf("%-18s %s", name, strings.TrimSpace(text))
	if sum.calls != sum.answered+sum.refused+sum.lost || sum.answered == 0 || sum.refused > 0 || sum.lost > r.server.kills*callers {
		r.t.Errorf("%s: calls are missing, were refused, or were lost by more than %d kills", name, r.server.kills)
	}
	r.all.calls, r.all.answered = r.all.calls+sum.calls, r.all.answered+sum.answered
	r.all.refused, r.all.lost = r.all.refused+sum.refused, r.all.lost+sum.lost
}

func (r *report) judge(start holding, most int, end holding, bound int) {
	if most > bound {
		r.t.Errorf("the server has held %d MB, and its budget is %d", most>>20, soakMemory>>20)
	}
	if !end.near(start) {
		r.t.Error("the server has not let go of what the attack has cost")
	}
	if r.server.restarts == 0 || r.server.kills == 0 {
		r.t.Error("there was no time for a restart and a kill")
	}
}

func sleep(ctx context.Context, long time.Duration) {
	select {
	case <-time.After(long):
	case <-ctx.Done():
	}
}
