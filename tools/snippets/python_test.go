package snippets_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// TestPythonInDocumentsRuns runs each block of docs/python.md: what a block says, it asserts.
func TestPythonInDocumentsRuns(t *testing.T) {
	folder := t.TempDir()
	registry, err := os.ReadFile(absolute(t, "examples/registry/plugins.sdp"))
	if err != nil {
		t.Fatal(err)
	}
	put(t, folder, map[string]string{"plugins.sdp": string(registry)})
	run(t, folder, "sdp", "gen", "plugins.sdp", "--out", "py=schemas")
	blocks := of("python", blocksOf(t, "docs/python.md"))
	if len(blocks) < 4 {
		t.Fatalf("only %d blocks", len(blocks))
	}
	for _, b := range blocks {
		name := fmt.Sprintf("line%d.py", b.line)
		put(t, folder, map[string]string{name: b.text})
		run(t, folder, "python3", "-W", "error", name)
	}
}

// TestInstalledPackageHidesNoFolder imports from a folder whose name an installed package has, too.
func TestInstalledPackageHidesNoFolder(t *testing.T) {
	folder := t.TempDir()
	put(t, folder, map[string]string{
		"installed/schemas/__init__.py": "", "plugins.sdp": "package plugins;\n\nstruct Plugin { name: str }\n",
		"main.py": "from schemas.plugins import Plugin\n\nprint(Plugin.decode(Plugin(name=\"EQ\").encode()))\n",
	})
	t.Setenv("PYTHONPATH", folder+"/installed")
	run(t, folder, "sdp", "gen", "plugins.sdp", "--out", "py=schemas")
	if printed := run(t, folder, "python3", "main.py"); printed != "Plugin(name='EQ')\n" {
		t.Errorf("the program prints %q", printed)
	}
}

// TestServicesInPythonSayWhatTheirPageShows runs the server and the client of docs/python.md.
func TestServicesInPythonSayWhatTheirPageShows(t *testing.T) {
	folder := t.TempDir()
	put(t, folder, map[string]string{
		"desk.sdp": fileOf(t, "docs/start/go.md", "desk.sdp"),
		"serve.py": fileOf(t, "docs/python.md", "serve.py"), "call.py": fileOf(t, "docs/python.md", "call.py"),
	})
	run(t, folder, "sdp", "gen", "desk.sdp", "--services", "--out", "py=schemas")
	run(t, absolute(t, "."), "cargo", "build", "--quiet", "--workspace", "--all-features", "--lib")
	t.Setenv("MXP_LIBRARY", absolute(t, "target/debug/libmxp_c.so"))
	t.Setenv("PYTHONPATH", absolute(t, "mxp/python"))
	server := exec.Command("python3", "serve.py")
	server.Dir = folder
	said, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Process.Kill() })
	if line, err := bufio.NewReader(said).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("the server says %q: %v", line, err)
	}
	shown := ""
	for _, b := range blocksOf(t, "docs/python.md") {
		if b.language == "" {
			shown = b.text
		}
	}
	put(t, folder, map[string]string{"spans.py": fileOf(t, "docs/telemetry.md", "spans.py")})
	run(t, folder, absolute(t, "target/python/bin/python"), "spans.py")
	if printed := run(t, folder, "python3", "call.py"); printed != shown {
		t.Errorf("the client prints\n%s\nand the page shows\n%s", printed, shown)
	}
	server.Process.Signal(syscall.SIGTERM)
	if err := server.Wait(); err != nil {
		t.Errorf("the server ends with %v", err)
	}
}
