package examples_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// meshPrograms builds the node, the host, and the effects of each language.
func meshPrograms(t *testing.T) (node, host string, effects map[string]string) {
	t.Helper()
	madeOf(t, "mesh", "../mesh", "../mxp", "../runtime")
	t.Setenv("SDP", tool)
	dir := t.TempDir()
	node, host = filepath.Join(dir, "sdp-mesh"), filepath.Join(dir, "mesh")
	run(t, "../mesh", "go", "build", "-o", node, "./cmd/sdp-mesh")
	run(t, ".", "go", "build", "-o", host, "./mesh")
	run(t, ".", "cargo", "build", "--quiet", "--locked", "--manifest-path", "mesh/rust/Cargo.toml", "--target-dir", "../target/examples")
	return node, host, map[string]string{
		"go": host, "rust": absolute(t, "../target/examples/debug/mesh-effect"), "cpp": cppExample(t, "mesh", "mesh-effect"),
		"python": pythonEffect(t, dir),
	}
}

// pythonEffect makes a script that runs the effect in Python, on the core that is built here.
func pythonEffect(t *testing.T, dir string) string {
	t.Helper()
	run(t, "mesh", tool, "gen", "rack.sdp", "--services", "--out", "py="+filepath.Join(dir, "schemas"))
	run(t, "..", "cargo", "build", "--quiet", "--workspace", "--all-features", "--lib")
	script := filepath.Join(dir, "mesh-effect-python")
	text := fmt.Sprintf("#!/bin/sh\nMXP_LIBRARY=%q PYTHONPATH=%q exec python3 %q \"$@\"\n", absolute(t, "../target/debug/libmxp_c.so"),
		dir+":"+absolute(t, "../mxp/python"), absolute(t, "mesh/python/effect.py"))
	if err := os.WriteFile(script, []byte(text), 0o777); err != nil {
		t.Fatal(err)
	}
	return script
}

// begun runs a program until the test ends.
func begun(t *testing.T, program string, args ...string) *exec.Cmd {
	t.Helper()
	command := exec.Command(program, args...)
	command.Stderr = os.Stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	t.Cleanup(func() { once.Do(func() { command.Process.Kill(); command.Wait() }) })
	return command
}

// TestAHostFindsEffectsOfEachLanguageAndOutlivesThem kills an effect while it works, and begins it
// again. No call fails.
func TestAHostFindsEffectsOfEachLanguageAndOutlivesThem(t *testing.T) {
	node, program, effects := meshPrograms(t)
	folder := t.TempDir()
	at := func(name string) string { return "mxp+unix://" + filepath.Join(folder, name) }
	t.Setenv("MXP_MESH", at("node.sock"))
	begun(t, node, "up", "--data", filepath.Join(folder, "data"), "--socket", filepath.Join(folder, "node.sock"))

	host := exec.Command(program, "host")
	host.Stderr = os.Stderr
	output, err := host.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { host.Process.Kill() })
	lines := make(chan string, 100)
	go func() {
		defer close(lines)
		for said := bufio.NewScanner(output); said.Scan(); {
			lines <- said.Text()
		}
	}()
	// says waits until the host has said all of some things, in any order.
	says := func(wanted ...string) {
		t.Helper()
		missing := map[string]bool{}
		for _, one := range wanted {
			missing[one] = true
		}
		for late := time.After(time.Minute); len(missing) > 0; {
			select {
			case line := <-lines:
				if strings.HasPrefix(line, "failed") {
					t.Error(line)
				}
				delete(missing, line)
			case <-late:
				t.Fatalf("the host does not say %v", missing)
			}
		}
	}
	running := map[string]*exec.Cmd{}
	for name, effect := range effects {
		running[name] = begun(t, effect, "plugin", name, at(name+".sock"))
	}
	says("heard go", "heard rust", "heard cpp", "heard python",
		"go tells of its work", "rust tells of its work", "cpp tells of its work", "python tells of its work")
	for _, name := range []string{"cpp", "rust", "python"} {
		running[name].Process.Kill()
		says("lost " + name)
		begun(t, effects[name], "plugin", name, at(name+".sock"))
		says("heard " + name)
	}
	host.Process.Signal(syscall.SIGINT)
	var rest []string
	for line := range lines {
		rest = append(rest, line)
	}
	if err := host.Wait(); err != nil {
		t.Error(err)
	}
	want := regexp.MustCompile(`^cpp has processed \d+ blocks\ngo has processed \d+ blocks\npython has processed \d+ blocks\nrust has processed \d+ blocks\n0 calls failed$`)
	if got := strings.Join(rest, "\n"); !want.MatchString(got) {
		t.Errorf("at the end it says:\n%s", got)
	}
}
