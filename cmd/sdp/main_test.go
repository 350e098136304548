package main

import (
	"cmp"
	"os"
	"path/filepath"
	"testing"

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
		Cmds:                commands,
		Setup: func(env *testscript.Env) error {
			for name, folder := range map[string]string{"CARGO_HOME": ".cargo", "RUSTUP_HOME": ".rustup"} {
				env.Setenv(name, cmp.Or(os.Getenv(name), filepath.Join(home, folder)))
			}
			env.Setenv("AT", addressOf(t, env.WorkDir))
			env.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
			env.Setenv("GIT_AUTHOR_NAME", "A")
			env.Setenv("GIT_AUTHOR_EMAIL", "a@example.com")
			env.Setenv("GIT_COMMITTER_NAME", "A")
			env.Setenv("GIT_COMMITTER_EMAIL", "a@example.com")
			return nil
		},
	})
}
