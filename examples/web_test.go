package examples_test

import (
	"bufio"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestPagesOfAHostAreBuiltAndItsPanelsAnswer builds the pages as their README does, and does from
// Node what panels do. Exploring does it in browsers.
func TestPagesOfAHostAreBuiltAndItsPanelsAnswer(t *testing.T) {
	madeOf(t, "web", "../mxp/typescript/src", "../runtime/typescript/src", "../mxp/go")
	run(t, "web", "npm", "run", "--silent", "build")
	bundle, err := os.ReadFile(filepath.Join("web", "page", "made", "main.js"))
	if times := strings.Count(string(bundle), "sdp: the readers disagree"); err != nil || times != 1 {
		t.Errorf("%v; the page has the runtime %d times", err, times)
	}
	ask := filepath.Join(t.TempDir(), "ask.mjs")
	run(t, "web", "node_modules/.bin/esbuild", "tests/ask.ts", "--bundle", "--platform=node", "--format=esm", "--log-level=warning", "--outfile="+ask)
	place := serveRack(t)
	got := run(t, ".", "node", "--experimental-websocket", "--no-warnings", ask, place)
	golden := filepath.Join("web", "output.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(golden); err != nil || got != string(want) {
		t.Errorf("%v; printed:\n%s\nwant:\n%s", err, got, want)
	}
	for page, wanted := range map[string]string{"": "connect-src 'self'", "frame.html": "sandbox allow-scripts", "made/main.js": "script-src 'self'"} {
		answer, err := http.Get("http://" + place + "/" + page)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		policy := answer.Header.Get("Content-Security-Policy")
		if answer.StatusCode != http.StatusOK || !strings.Contains(policy, wanted) || strings.Contains(policy, "unsafe") {
			t.Errorf("/%s: %s, with the policy %q", page, answer.Status, policy)
		}
	}
}

// serveRack runs the host until the test ends.
func serveRack(t *testing.T) (place string) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "web")
	run(t, ".", "go", "build", "-o", program, "./web")
	host := exec.Command(program, "-at", "127.0.0.1:0", "-input", "registry/lv2-62.json", "-pages", "web/page")
	host.Stderr = os.Stderr
	said, err := host.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		host.Process.Signal(syscall.SIGTERM)
		if err := host.Wait(); err != nil {
			t.Errorf("the host ends with %v", err)
		}
	})
	line, err := bufio.NewReader(said).ReadString('\n')
	_, place, found := strings.Cut(strings.TrimSpace(line), "at http://")
	if err != nil || !found {
		t.Fatalf("the host says %q: %v", line, err)
	}
	return strings.TrimSuffix(place, "/")
}
