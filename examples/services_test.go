package examples_test

import (
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestServicesOfEveryLanguageCallEachOther builds the mixing desk in each language, runs
// it alone, and lets each client call each server.
func TestServicesOfEveryLanguageCallEachOther(t *testing.T) {
	programs := services(t)
	want, err := os.ReadFile("services/output.txt")
	if err != nil {
		t.Fatal(err)
	}
	for language, program := range programs {
		if got := run(t, ".", program); got != string(want) {
			t.Errorf("%s alone printed:\n%s\nwant:\n%s", language, got, want)
		}
	}
	for serves, server := range programs {
		for asks, client := range programs {
			t.Run(asks+" calls "+serves, func(t *testing.T) {
				address := serveDesk(t, server)
				if got := run(t, ".", client, "call", address); got != string(want) {
					t.Errorf("printed:\n%s\nwant:\n%s", got, want)
				}
			})
		}
	}
}

// services are the paths of the program in all languages.
func services(t *testing.T) map[string]string {
	t.Helper()
	madeOf(t, "services", "../mxp", "../runtime")
	dir := t.TempDir()
	run(t, ".", "go", "build", "-o", filepath.Join(dir, "services"), "./services")
	// The folders of what else is built of the same libraries, so that they are built once.
	run(t, ".", "cargo", "build", "--quiet", "--locked", "--manifest-path", "services/rust/Cargo.toml", "--target-dir", "../target/examples")
	return map[string]string{
		"Go":   filepath.Join(dir, "services"),
		"Rust": absolute(t, "../target/examples/debug/services"),
		"C++":  cppExample(t, "services", "services"),
	}
}

// cppExample builds the C++ of the examples, once for all of them, and gives a program of one.
func cppExample(t *testing.T, example, program string) string {
	t.Helper()
	target := filepath.Join("..", "target", "examples-cpp")
	run(t, ".", "cmake", "-S", ".", "-B", target, "-DSDP_COMPILER="+tool)
	run(t, ".", "cmake", "--build", target, "--target", program, "-j2")
	return absolute(t, filepath.Join(target, example, program))
}

// madeOf looks at all files of some folders, so that go test, which remembers what has
// passed, knows what programs are made of that this test builds.
func madeOf(t *testing.T, folders ...string) {
	t.Helper()
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				_, err = os.Stat(path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	absolute, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return absolute
}

// serveDesk runs a server until the test ends, which it has to do by itself when it is
// told to. Clients wait until it is there.
func serveDesk(t *testing.T, program string) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address = "mxp+tcp://" + listener.Addr().String()
	listener.Close()
	server := exec.Command(program, "serve", address)
	server.Stderr = os.Stderr
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	t.Cleanup(func() {
		server.Process.Signal(os.Interrupt)
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("the server ended with %v", err)
			}
		case <-time.After(10 * time.Second):
			server.Process.Kill()
			t.Error("the server doesn't end")
		}
	})
	return address
}
