//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/language"
)

// Limits of processor time and memory for generating 1,000 messages.
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

// The best of three runs counts, since other programs share the machine.
func TestThousandMessagesAreGeneratedInASecond(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "flat.sdp", thousandMessages())
	for _, l := range language.All {
		t.Run(l.Name(), func(t *testing.T) {
			took, occupied := time.Duration(1<<62), int64(1<<62)
			for range 3 {
				out := t.TempDir()
				put(t, out, "go.mod", "module example.com/m\n\ngo 1.23\n")
				command := exec.Command(os.Args[0], "gen", "flat.sdp", "--out", l.Name()+"="+out, "--runtime", "sdp")
				command.Dir, command.Env = dir, append(os.Environ(), "SDP_TEST_RUN=1")
				if said, err := command.CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, said)
				}
				process := command.ProcessState
				took, occupied = min(took, process.UserTime()+process.SystemTime()), min(occupied, residentBytes(process))
				if took <= generatingMax && occupied <= generatingBytesMax {
					break
				}
			}
			t.Logf("%v of processor time, %d MB at most in memory", took, occupied/megabyte)
			if took > generatingMax || occupied > generatingBytesMax {
				t.Errorf("1,000 messages took %v of processor time and %d MB, and %v and %d MB are the most",
					took, occupied/megabyte, generatingMax, generatingBytesMax/megabyte)
			}
		})
	}
}
