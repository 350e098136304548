//go:build unix

package main

import (
	"bufio"
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

// patience is how long a test waits for another process before it fails.
const patience = 20 * time.Second

// start runs the tool in a folder, with a pipe to its input and one from both
// its outputs.
func start(t *testing.T, dir string, args ...string) (*exec.Cmd, io.WriteCloser, *bufio.Reader) {
	t.Helper()
	command := exec.Command(os.Args[0], args...)
	command.Dir = dir
	command.Env = append(os.Environ(), "SDP_TEST_RUN=1")
	stdin, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	command.Stdout, command.Stderr = in, in
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	_ = in.Close()
	if err := out.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
		_ = out.Close()
	})
	return command, stdin, bufio.NewReader(out)
}

// until reads lines up to one that contains a text.
func until(t *testing.T, out *bufio.Reader, text string) {
	t.Helper()
	var seen strings.Builder
	for {
		line, err := out.ReadString('\n')
		seen.WriteString(line)
		if strings.Contains(line, text) {
			return
		}
		if err != nil {
			t.Fatalf("no line with %q but %v, after:\n%s", text, err, seen.String())
		}
	}
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func list(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestSignalRemovesUnfinishedOutput(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(signal.String(), func(t *testing.T) {
			dir, work, temporary := t.TempDir(), t.TempDir(), t.TempDir()
			t.Setenv("TMPDIR", temporary)
			put(t, dir, "m.sdp", memorySchema)
			put(t, work, "out", "old")
			command, stdin, _ := start(t, dir, "convert", "m.sdp", "Item", "--from", "json", "--to", "stream", "-o", filepath.Join(work, "out"))
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
	mock, _, mockOut := start(t, dir, "serve", at("d.sock"), "--mock", "--schema", "s.sdp", "--delay", "1h")
	until(t, mockOut, "serving")
	tap, _, tapOut := start(t, dir, "tap", at("t.sock"), at("d.sock"), "--schema", "s.sdp")
	until(t, tapOut, "tapping")
	call, _, callOut := start(t, dir, "call", at("t.sock"), "S/a", `{"x": 1}`, "--schema", "s.sdp", "--deadline", "0")
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

func TestWatchGeneratesAgainAndSurvivesErrors(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "go.mod", "module example.com/m\n\ngo 1.23\n")
	put(t, dir, "a.sdp", "package a;\n\nstruct A {\n    x: u8,\n}\n")
	_, _, out := start(t, dir, "gen", "a.sdp", "--out", "go=gen", "--watch")
	until(t, out, "runtime → gen/sdp")
	put(t, dir, "a.sdp", "package a;\n\nstruct A {\n    x: Nowhere,\n}\n")
	until(t, out, "a.sdp:4:8")
	put(t, dir, "a.sdp", "package a;\n\nstruct A {\n    x: u8,\n    renewed: u8,\n}\n")
	until(t, out, "a.sdp → gen/a")
	// An import of a file that is not there yet is watched for.
	put(t, dir, "a.sdp", "package a;\n\nimport \"b.sdp\" as b;\n\nstruct A {\n    x: b.B,\n}\n")
	until(t, out, "error[")
	put(t, dir, "b.sdp", "package b;\n\nstruct B {\n    x: u8,\n}\n")
	until(t, out, "b.sdp → gen/b")
	if err := os.Remove(filepath.Join(dir, "a.sdp")); err != nil {
		t.Fatal(err)
	}
	until(t, out, "there is no file or folder a.sdp")
}

func TestClosedPipeEndsQuietly(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "m.sdp", memorySchema)
	writeStream(t, filepath.Join(dir, "in"), 4*megabyte)
	for _, args := range [][]string{
		{"inspect", "m.sdp", "in"},
		{"convert", "m.sdp", "Item", "--from", "stream", "--to", "json", "in"},
		{"convert", "m.sdp", "Item", "--from", "stream", "--to", "stream", "in"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			command := exec.Command(os.Args[0], args...)
			command.Dir = dir
			command.Env = append(os.Environ(), "SDP_TEST_RUN=1")
			var complaint strings.Builder
			command.Stderr = &complaint
			out, err := command.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(out, make([]byte, 100)); err != nil {
				t.Fatal(err)
			}
			_ = out.Close()
			if err := command.Wait(); err != nil || complaint.Len() > 0 {
				t.Errorf("the program ended with %v and said %q", err, complaint.String())
			}
		})
	}
}
