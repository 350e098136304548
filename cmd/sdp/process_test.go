package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// patience is how long a test waits for another process before it fails.
const patience = 20 * time.Second

// asIs leaves a command as start makes it.
func asIs(*exec.Cmd) {}

// start runs the tool in a folder, with a pipe to its input and one from both
// its outputs. A test may set more of the command.
func start(t *testing.T, dir string, set func(*exec.Cmd), args ...string) (*exec.Cmd, io.WriteCloser, *bufio.Reader) {
	t.Helper()
	command := exec.Command(os.Args[0], args...)
	command.Dir = dir
	command.Env = append(os.Environ(), "SDP_TEST_RUN=1")
	set(command)
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
	late := time.AfterFunc(patience, func() { _ = command.Process.Kill() }) // which ends what is read
	t.Cleanup(func() {
		late.Stop()
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

func TestWatchGeneratesAgainAndSurvivesErrors(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "go.mod", "module example.com/m\n\ngo 1.23\n")
	put(t, dir, "a.sdp", "package a;\n\nstruct A {\n    x: u8,\n}\n")
	_, _, out := start(t, dir, asIs, "gen", "a.sdp", "--out", "go=gen", "--watch")
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
