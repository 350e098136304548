package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/serial-data-protocol/sdp/compiler/driver"
)

func TestEveryCommandHasHelpWithAnExample(t *testing.T) {
	root := newRoot(&driver.Tool{In: nil, Out: io.Discard, Err: io.Discard})
	seen := 0
	var visit func(command *cobra.Command)
	visit = func(command *cobra.Command) {
		seen++
		if command.Short == "" || command.Example == "" {
			t.Errorf("`%s` has no short text or no example", command.CommandPath())
		}
		for _, sub := range command.Commands() {
			visit(sub)
		}
	}
	visit(root.command)
	if seen < 12 {
		t.Errorf("only %d commands were seen", seen)
	}
}

func TestManPageOfEveryCommandIsRead(t *testing.T) {
	root := newRoot(&driver.Tool{Out: io.Discard, Err: io.Discard})
	folder := filepath.Join(t.TempDir(), "share", "man1")
	if err := root.execute([]string{"help", "man", folder}); err != nil {
		t.Fatal(err)
	}
	made, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var visit func(command *cobra.Command)
	visit = func(command *cobra.Command) {
		name := filepath.Join(folder, strings.ReplaceAll(command.CommandPath(), " ", "-")+".1")
		text, err := os.ReadFile(name)
		if err != nil {
			t.Error(err)
			return
		}
		made = made[1:]
		for _, section := range []string{"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "EXIT STATUS"} {
			if !bytes.Contains(text, []byte("\n.SH "+section+"\n")) {
				t.Errorf("%s has no section %s", name, section)
			}
		}
		complains(t, "groff", "-k", "-Tutf8", "-man", "-ww", "-z", name)
		complains(t, "mandoc", "-Tlint", "-Werror", name)
		for _, sub := range command.Commands() {
			visit(sub)
		}
	}
	visit(root.command)
	if len(made) != 0 {
		t.Errorf("%d pages are of no command", len(made))
	}
}

// complains fails where a reader of man pages, if it is installed, has something to say.
func complains(t *testing.T, command ...string) {
	t.Helper()
	if _, err := exec.LookPath(command[0]); err != nil {
		return
	}
	if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%s: %v\n%s", strings.Join(command, " "), err, out)
	}
}
