package main

import (
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/windows"
)

var kernel32 = windows.NewLazySystemDLL("kernel32.dll")

// console gives this test and its programs a console of their own, so that an interrupt reaches nobody
// else's. The test survives it.
func console(t *testing.T) {
	t.Helper()
	ignored := make(chan os.Signal, 1)
	signal.Notify(ignored, os.Interrupt)
	t.Cleanup(func() { signal.Stop(ignored) })
	_, _, _ = kernel32.NewProc("FreeConsole").Call()
	if there, _, err := kernel32.NewProc("AllocConsole").Call(); there == 0 {
		t.Fatalf("no console: %v", err)
	}
}

// interrupt is Ctrl-C in the console.
func interrupt(t *testing.T) {
	t.Helper()
	if err := windows.GenerateConsoleCtrlEvent(windows.CTRL_C_EVENT, 0); err != nil {
		t.Fatal(err)
	}
}

func TestInterruptRemovesUnfinishedOutput(t *testing.T) {
	console(t)
	dir, work, temporary := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("TMP", temporary)
	put(t, dir, "m.sdp", memorySchema)
	put(t, work, "out", "old")
	command, stdin, _ := start(t, dir, asIs, "convert", "m.sdp", "Item", "--from", "json", "--to", "stream", "-o", filepath.Join(work, "out"))
	value := `{"name":"` + strings.Repeat("a", 6*megabyte) + `","samples":[` + strings.Repeat(" ", megabyte)
	if _, err := io.WriteString(stdin, value); err != nil {
		t.Fatal(err)
	}
	for begun := time.Now(); len(list(t, work)) < 2 || len(list(t, temporary)) < 1; time.Sleep(time.Millisecond) {
		if time.Since(begun) > patience {
			t.Fatalf("the folders hold %q and %q", list(t, work), list(t, temporary))
		}
	}
	interrupt(t)
	_ = command.Wait()
	if got, want := command.ProcessState.ExitCode(), exitSignal+int(syscall.SIGINT); got != want {
		t.Errorf("the program ended with %d, want %d", got, want)
	}
	if names := list(t, work); len(names) != 1 {
		t.Errorf("the folder holds %q", names)
	}
	if names := list(t, temporary); len(names) != 0 {
		t.Errorf("the folder of temporary files holds %q", names)
	}
}

func TestInterruptEndsAServerInOrder(t *testing.T) {
	console(t)
	dir := t.TempDir()
	put(t, dir, "s.sdp", "package s;\n\nstruct A {\n    x: u8,\n}\n\nservice S {\n    call a(A) -> A = 1;\n}\n")
	mock, _, out := start(t, dir, asIs, "serve", "mxp+tcp://127.0.0.1:0", "--mock", "--schema", "s.sdp")
	until(t, out, "serving")
	interrupt(t)
	_ = mock.Wait()
	if got := mock.ProcessState.ExitCode(); got != exitFine {
		t.Errorf("the server ended with %d", got)
	}
}
