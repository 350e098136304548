//go:build release

package main

import (
	"archive/zip"
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// wheelMax is the size of the largest wheel of a library in Python.
const wheelMax = 4 << 20

// oneFile is the file of a release that a pattern matches.
func oneFile(t *testing.T, r *release, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(r.file(pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s matches %q (%v)", pattern, found, err)
	}
	return found[0]
}

// TestPythonLibrariesEncodeAndCall installs wheels alone, in an environment that has no compiler to look for, and lets two
// processes call each other.
func TestPythonLibrariesEncodeAndCall(t *testing.T) {
	r := releaseMade(t)
	patterns := []string{"serial_data_protocol-*-py3-none-any.whl", "serial_data_protocol-*-cp311-abi3-manylinux_2_*.whl", "mesh_exchange_protocol-*-py3-none-manylinux_2_*.whl"}
	for _, machine := range []string{"arm64", "x86_64"} {
		patterns = append(patterns, "serial_data_protocol-*-cp311-abi3-macosx_11_0_"+machine+".whl", "mesh_exchange_protocol-*-py3-none-macosx_11_0_"+machine+".whl")
	}
	patterns = append(patterns, "serial_data_protocol-*-cp311-abi3-win_amd64.whl", "mesh_exchange_protocol-*-py3-none-win_amd64.whl")
	for _, pattern := range patterns {
		info, err := os.Stat(oneFile(t, r, pattern))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s has %d bytes", info.Name(), info.Size())
		if info.Size() > wheelMax {
			t.Errorf("%s has %d bytes, and may have %d", info.Name(), info.Size(), wheelMax)
		}
	}
	folder := t.TempDir()
	does(t, folder, nil, "python3", "-m", "venv", "venv")
	programs := filepath.Join(folder, "venv", "bin")
	env := []string{"PATH=" + programs, "MXP_LIBRARY=", "PYTHONPATH=", "CC=/nowhere/cc"}
	does(t, folder, env, filepath.Join(programs, "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--only-binary", ":all:",
		"--find-links", r.folder, "sdp-compiler", "serial-data-protocol", "mesh-exchange-protocol")
	if err := copyFile(filepath.Join(sourceFolder(t, r), "examples", "services", "mixer.sdp"), filepath.Join(folder, "mixer.sdp"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := copyFile(filepath.Join("testdata", "service.py"), filepath.Join(folder, "service.py"), 0o644); err != nil {
		t.Fatal(err)
	}
	does(t, folder, env, filepath.Join(programs, "sdp"), "gen", "mixer.sdp", "--services", "--out", "py=schemas", "--python-runtime", "serial_data_protocol")
	if _, err := os.Stat(filepath.Join(folder, "schemas", "sdp")); err == nil {
		t.Error("a runtime is laid, so that the installed one is not tried")
	}

	for engine, want := range map[string]string{"": "native", "python": "python"} {
		if out := does(t, folder, append(env, "SDP_ENGINE="+engine), filepath.Join(programs, "python"), "-c", "import serial_data_protocol as sdp; print(sdp.engine)"); out != want+"\n" {
			t.Errorf("with SDP_ENGINE=%s the engine is %q", engine, out)
		}
	}
	does(t, folder, env, filepath.Join(programs, "python"), "-c", "from mesh_exchange_protocol import agents, health, reflection")
	server := exec.CommandContext(t.Context(), filepath.Join(programs, "python"), "service.py", "serve")
	server.Dir, server.Env, server.Stderr = folder, append(os.Environ(), env...), os.Stderr
	said, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer server.Process.Kill()
	if line, err := bufio.NewReader(said).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("the server says %q (%v)", line, err)
	}
	if out := does(t, folder, env, filepath.Join(programs, "python"), "service.py", "call"); out != "-6.0\n4\n5\n6\n" {
		t.Errorf("the client prints %q", out)
	}
	server.Process.Signal(syscall.SIGTERM)
	if err := server.Wait(); err != nil {
		t.Errorf("the server ends with %v", err)
	}
}

// TestPythonLibrariesRunOnWindows installs the wheels of Windows, and lets two processes in Wine call each other.
func TestPythonLibrariesRunOnWindows(t *testing.T) {
	r := releaseMade(t)
	if out := does(t, sourceFolder(t, r), nil, "tools/windows", "wheels", r.folder); !strings.HasSuffix(strings.ReplaceAll(out, "\r", ""), "native\n-6.0\n4\n5\n6\n") {
		t.Errorf("the programs print %q", out)
	}
}

// TestPythonSourcesBuildTheSameWheel lets setuptools build the archive of sources, and compares the wheels, but for what
// setuptools says of itself.
func TestPythonSourcesBuildTheSameWheel(t *testing.T) {
	r := releaseMade(t)
	folder := t.TempDir()
	does(t, folder, nil, r.python(), "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-index", "--no-build-isolation", "--wheel-dir", folder,
		oneFile(t, r, "serial_data_protocol-*.tar.gz"))
	name := "serial_data_protocol-" + r.version + "-py3-none-any.whl"
	want, got := textsOf(t, filepath.Join(folder, name)), textsOf(t, r.file(name))
	for file, text := range want {
		switch filepath.Base(file) {
		case "RECORD", "WHEEL", "top_level.txt":
		case "METADATA":
			for _, line := range strings.Split(text, "\n") {
				// setuptools repeats what it has read in a field that it calls dynamic, and says which form it writes.
				if !strings.HasPrefix(line, "Dynamic: ") && !strings.HasPrefix(line, "Metadata-Version: ") && !slices.Contains(strings.Split(got[file], "\n"), line) {
					t.Errorf("%s lacks %q", file, line)
				}
			}
		default:
			if got[file] != text {
				t.Errorf("%s differs", file)
			}
		}
	}
	for file := range got {
		if _, there := want[file]; !there {
			t.Errorf("setuptools makes no %s", file)
		}
	}
}

// textsOf are the texts in a wheel, by the names of their files.
func textsOf(t *testing.T, file string) map[string]string {
	t.Helper()
	packed, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	texts := map[string]string{}
	for _, member := range packed.File {
		from, err := member.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(from)
		from.Close()
		if err != nil {
			t.Fatal(err)
		}
		texts[member.Name] = string(text)
	}
	return texts
}
