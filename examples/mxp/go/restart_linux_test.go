package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestRestartsLoseNoCall restarts servers of every language while clients call them: each call
// is answered. MXP_RESTARTS is how often. Clients in TypeScript have a test of their own, since
// Node takes as long to begin as all of this.
func TestRestartsLoseNoCall(t *testing.T) {
	restarts := setting("MXP_RESTARTS", 3)
	for serves, server := range all {
		for asks, client := range programs {
			t.Run(asks+" asks "+serves, func(t *testing.T) {
				at := address(t, "unix")
				serving := served(t, server, at)
				var out bytes.Buffer
				asking := exec.Command(client, "load", at, "16")
				asking.Stdout = &out
				if err := asking.Start(); err != nil {
					t.Fatal(err)
				}
				defer asking.Process.Kill()
				for range restarts {
					time.Sleep(60 * time.Millisecond)
					ended(t, serving)
					serving = served(t, server, at)
				}
				time.Sleep(50 * time.Millisecond)
				ended(t, asking)
				ended(t, serving)
				sum := summaryOf(t, out.String())
				t.Logf("%d restarts: %s", restarts, bytes.TrimSpace(out.Bytes()))
				if sum.calls != sum.answered || sum.answered == 0 {
					t.Error("calls were lost, or seen to be refused by their callers")
				}
			})
		}
	}
}

// served starts a server, and waits until it says that it serves.
func served(t *testing.T, program, at string, more ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(program, append([]string{"serve", at}, more...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.HasPrefix(line, "serving ") {
		t.Fatalf("%s said %q, %v", program, line, err)
	}
	return cmd
}

// summary is what load prints.
type summary struct {
	calls, answered, refused, lost int
	p50, p99, max                  int // microseconds
	failures                       string
}

func summaryOf(t *testing.T, text string) (s summary) {
	t.Helper()
	const format = "calls=%d answered=%d refused=%d lost=%d p50_us=%d p99_us=%d max_us=%d failures=%s\n"
	if _, err := fmt.Sscanf(text, format, &s.calls, &s.answered, &s.refused, &s.lost, &s.p50, &s.p99, &s.max, &s.failures); err != nil {
		t.Fatalf("load said %q: %v", text, err)
	}
	return s
}

// ended tells a program to end, and waits until it has.
func ended(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	cmd.Process.Signal(syscall.SIGTERM)
	gone := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() })
	defer gone.Stop()
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v ended with %v", cmd.Args, err)
	}
}
