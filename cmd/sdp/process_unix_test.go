//go:build unix

package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestSignalRemovesUnfinishedOutput(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(signal.String(), func(t *testing.T) {
			dir, work, temporary := t.TempDir(), t.TempDir(), t.TempDir()
			t.Setenv("TMPDIR", temporary)
			put(t, dir, "m.sdp", memorySchema)
			put(t, work, "out", "old")
			command, stdin, _ := start(t, dir, asIs, "convert", "m.sdp", "Item", "--from", "json", "--to", "stream", "-o", filepath.Join(work, "out"))
			// A value of several megabytes lies in a temporary file. When the blanks
			// behind it are read, which do not fit a pipe, it does so.
			value := `{"name":"` + strings.Repeat("a", 6*megabyte) + `","samples":[` + strings.Repeat(" ", megabyte)
			if _, err := io.WriteString(stdin, value); err != nil {
				t.Fatal(err)
			}
			for begun := time.Now(); len(list(t, work)) < 2; time.Sleep(time.Millisecond) {
				if time.Since(begun) > patience {
					t.Fatal("no temporary file appeared")
				}
			}
			if err := command.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			var exit *exec.ExitError
			if err := command.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitSignal+int(signal) {
				t.Errorf("the program ended with %v, want code %d", err, exitSignal+int(signal))
			}
			if names := list(t, work); len(names) != 1 {
				t.Errorf("the folder holds %q", names)
			}
			if names := list(t, temporary); len(names) != 0 {
				t.Errorf("the folder of temporary files holds %q", names)
			}
		})
	}
}

// TestSignalEndsWhatTalksInOrder interrupts a call, a mock and a tap: each ends by
// itself, the call with the signal's code.
func TestSignalEndsWhatTalksInOrder(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "s.sdp", "package s;\n\nstruct A {\n    x: u8,\n}\n\nservice S {\n    call a(A) -> A = 1;\n}\n")
	at := func(name string) string { return "mxp+unix://" + filepath.Join(dir, name) }
	mock, _, mockOut := start(t, dir, asIs, "serve", at("d.sock"), "--mock", "--schema", "s.sdp", "--delay", "1h")
	until(t, mockOut, "serving")
	tap, _, tapOut := start(t, dir, asIs, "tap", at("t.sock"), at("d.sock"), "--schema", "s.sdp")
	until(t, tapOut, "tapping")
	call, _, callOut := start(t, dir, asIs, "call", at("t.sock"), "S/a", `{"x": 1}`, "--schema", "s.sdp", "--deadline", "0")
	until(t, mockOut, "s.S/a")
	stop := func(command *exec.Cmd, code int) {
		t.Helper()
		if err := command.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		_ = command.Wait()
		if got := command.ProcessState.ExitCode(); got != code {
			t.Errorf("%q ended with %d, want %d", command.Args[1], got, code)
		}
	}
	stop(call, exitSignal+int(syscall.SIGTERM))
	until(t, callOut, "s.S/a at "+at("t.sock")+" failed: Cancelled (1) cancelled")
	until(t, tapOut, "Cancel 1  s.S/a") // it has passed what the call said last
	stop(tap, exitFine)
	stop(mock, exitFine)
	for _, name := range []string{"d.sock", "t.sock"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s is left behind", name)
		}
	}
}
