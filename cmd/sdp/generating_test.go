//go:build unix

package main

import (
	"fmt"
	"strings"
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

// runsWithinLimits runs the tool in a folder. The best of three runs counts, since other
// programs share the machine.
func runsWithinLimits(t *testing.T, dir string, args ...string) {
	t.Helper()
	took, occupied := time.Duration(1<<62), int64(1<<62)
	for range 3 {
		command, peak := watched(t, args...)
		command.Dir = dir
		if said, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		process := command.ProcessState
		took, occupied = min(took, process.UserTime()+process.SystemTime()), min(occupied, peak())
		if took <= generatingMax && occupied <= generatingBytesMax {
			break
		}
	}
	t.Logf("%v of processor time, %d MB at most in memory", took, occupied/megabyte)
	if took > generatingMax || occupied > generatingBytesMax {
		t.Errorf("%q took %v of processor time and %d MB, and %v and %d MB are the most",
			args, took, occupied/megabyte, generatingMax, generatingBytesMax/megabyte)
	}
}
