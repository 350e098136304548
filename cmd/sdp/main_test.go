package main

import (
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the test program be the tool: under its name, for the scripts,
// and by an environment variable, for tests that watch the process.
func TestMain(m *testing.M) {
	if os.Getenv("SDP_TEST_RUN") != "" {
		code := run()
		if file, asked := os.LookupEnv("SDP_TEST_STATUS"); asked {
			// Linux tells of a process here; other systems have no such file.
			if status, err := os.ReadFile("/proc/self/status"); err == nil && os.WriteFile(file, status, 0o600) != nil {
				code = exitRefused
			}
		}
		os.Exit(code)
	}
	testscript.Main(m, map[string]func(){"sdp": main})
}

// TestScripts runs each command as a user does. UPDATE_SCRIPTS=1 writes the
// expected outputs anew, for a person to review.
func TestScripts(t *testing.T) {
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "appears": appears},
		Setup: func(env *testscript.Env) error {
			for name, folder := range map[string]string{"CARGO_HOME": ".cargo", "RUSTUP_HOME": ".rustup"} {
				env.Setenv(name, cmp.Or(os.Getenv(name), filepath.Join(home, folder)))
			}
			env.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
			env.Setenv("GIT_AUTHOR_NAME", "A")
			env.Setenv("GIT_AUTHOR_EMAIL", "a@example.com")
			env.Setenv("GIT_COMMITTER_NAME", "A")
			env.Setenv("GIT_COMMITTER_EMAIL", "a@example.com")
			return nil
		},
	})
}

// appearsWithin is how long a script waits for a program in the background.
const appearsWithin = 20 * time.Second

// appears waits for a file that a program in the background makes, and for a text
// in it:
//
//	appears d.sock
//	appears mock.log 'Shop/buy'
func appears(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: appears FILE [TEXT]")
	}
	file, text := ts.MkAbs(args[0]), append(args, "")[1]
	for begun := time.Now(); time.Since(begun) < appearsWithin; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(file); err != nil {
			continue
		}
		if content, _ := os.ReadFile(file); strings.Contains(string(content), text) {
			return
		}
	}
	ts.Fatalf("%q has not appeared", args)
}

// exits runs a program and fails unless it ends with the given code:
//
//	exits 2 sdp chekc
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARGUMENT...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("%v ended with %d, want %d", args[1:], got, want)
	}
}
