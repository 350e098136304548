package examples_test

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func TestPanelServesAndTakesValues(t *testing.T) {
	python, folder := pythonOf(t, "panel"), t.TempDir()
	if err := os.CopyFS(folder, os.DirFS("panel")); err != nil {
		t.Fatal(err)
	}
	registry, err := filepath.Abs("registry")
	if err != nil {
		t.Fatal(err)
	}
	schema := filepath.Join(registry, "plugins.sdp")
	run(t, folder, tool, "gen", schema, "--out", "py=schemas")
	run(t, folder, tool, "convert", schema, "PluginRegistry", "--from", "json", "--to", "bytes", filepath.Join(registry, "lv2-62.json"), "-o", "registry.bin")

	server := exec.Command(python, "-m", "uvicorn", "panel:app", "--uds", "panel.sock", "--log-level", "warning")
	var said bytes.Buffer
	server.Dir, server.Env, server.Stdout, server.Stderr = folder, append(os.Environ(), "REGISTRY=registry.bin"), &said, &said
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	defer server.Process.Kill()
	for waited := time.Duration(0); ; waited += 20 * time.Millisecond {
		if connection, err := net.Dial("unix", filepath.Join(folder, "panel.sock")); err == nil {
			connection.Close()
			break
		}
		select {
		case err := <-ended:
			t.Fatalf("the server ends with %v:\n%s", err, said.String())
		case <-time.After(20 * time.Millisecond):
		}
		if waited > 30*time.Second {
			t.Fatal("the server listens nowhere")
		}
	}
	got := run(t, folder, python, "client.py", "panel.sock")
	if *update {
		if err := os.WriteFile("panel/output.txt", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("panel/output.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("printed:\n%s\nwant:\n%s", got, want)
	}
	if err := server.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		t.Error("the server does not end")
	}
	if said.Len() > 0 {
		t.Errorf("the server says:\n%s", said.String())
	}
}
