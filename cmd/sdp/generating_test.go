//go:build unix

package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/language"
)

// Limits of processor time and memory for generating 1,000 messages, whether they lie side by
// side or each reaches all before it.
const (
	generatingMax      = time.Second
	generatingBytesMax = 200 * megabyte
)

// thousandMessages is a schema of messages of nine fields each.
func thousandMessages() string {
	var b strings.Builder
	b.WriteString("package flat;\nenum E: u8 { A = 0, B = 1, C = 2 }\n")
	for i := range 1000 {
		fmt.Fprintf(&b, "message M%d { a: u32, b: str, c: f64, d: bool, e: i64, f: []u32, g: ?str, h: []E, i: bytes }\n", i)
	}
	return b.String()
}

// thousandInAChain is a schema of messages each of which reaches all before it.
func thousandInAChain() string {
	var b strings.Builder
	b.WriteString("package chain;\nmessage M0 { a: u32, b: str }\n")
	for i := 1; i < 1000; i++ {
		fmt.Fprintf(&b, "message M%d { child: ?M%d, kids: []M%d }\n", i, i-1, i/2)
	}
	return b.String()
}

func TestThousandMessagesAreGeneratedInASecond(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "flat.sdp", thousandMessages())
	put(t, dir, "chain.sdp", thousandInAChain())
	for _, schema := range []string{"flat.sdp", "chain.sdp"} {
		for _, l := range language.All {
			t.Run(schema+"/"+l.Name(), func(t *testing.T) {
				out := t.TempDir()
				put(t, out, "go.mod", "module example.com/m\n\ngo 1.23\n")
				runsWithinLimits(t, dir, "gen", schema, "--out", l.Name()+"="+out, "--runtime", "sdp")
			})
		}
	}
}

// standardTime is the processor time that three times standardWork take on machines that the
// limits of time are meant for, and that do nothing else.
const standardTime = 120 * time.Millisecond

// standardWork does what compilers do: it makes small texts, looks them up and sorts them.
func standardWork() {
	seen := map[string]int{}
	for i := range 100_000 {
		seen[strconv.Itoa(i*7919%50_021)]++
	}
	if names := slices.Sorted(maps.Keys(seen)); len(names) != 50_021 {
		panic("the work is another")
	}
}

// slowness is how much longer a program takes now than the limits are meant for, at least 1:
// other programs share the machine and its caches, and machines differ.
func slowness() float64 {
	used := func() time.Duration {
		var usage syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
			panic(err)
		}
		return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	began := used()
	for range 3 {
		standardWork()
	}
	return max(1, float64(used()-began)/float64(standardTime))
}

// runsWithinLimits runs the tool in a folder. The best of three runs counts.
func runsWithinLimits(t *testing.T, dir string, args ...string) {
	t.Helper()
	took, occupied := time.Duration(1<<62), int64(1<<62)
	for range 3 {
		before := slowness()
		command, peak := watched(t, args...)
		command.Dir = dir
		if said, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		used := command.ProcessState.UserTime() + command.ProcessState.SystemTime()
		slow := (before + slowness()) / 2
		took, occupied = min(took, time.Duration(float64(used)/slow)), min(occupied, peak())
		t.Logf("%v of processor time on a machine that is %.2f times as slow", used, slow)
		if took <= generatingMax && occupied <= generatingBytesMax {
			break
		}
	}
	t.Logf("%v of standard processor time, %d MB at most in memory", took, occupied/megabyte)
	if took > generatingMax || occupied > generatingBytesMax {
		t.Errorf("%q took %v of processor time and %d MB, and %v and %d MB are the most",
			args, took, occupied/megabyte, generatingMax, generatingBytesMax/megabyte)
	}
}
