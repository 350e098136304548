// Command mesh lets 30 programs in Go, Rust and C++ call each other through a mesh of three nodes
// while programs and nodes are killed, stopped, restarted and cut off, as a seed says.
//
//	go run ./conformance/mesh [-seed N] [-loopback] [-built FOLDER] [-out FILE]
//
// Each node and its programs have a network namespace of their own where this process is root's and
// has `ip`; else they have loopback addresses, and no link is cut. The programs are the effects of
// examples/mesh. It prints a table, writes what it has measured to a file, and fails if a call failed
// that nobody should have noticed, or a death was noticed too late.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
)

// settings are the flags.
type settings struct {
	seed       uint64
	built, out string
	loopback   bool
	inside     bool   // the namespaces are there
	folder     string // of sockets and data
}

func main() {
	var s settings
	flag.Uint64Var(&s.seed, "seed", 1, "which programs and nodes are hit")
	flag.StringVar(&s.built, "built", "target/mesh-programs", "folder for the programs")
	flag.StringVar(&s.out, "out", "", "file for the measurements, JSON")
	flag.BoolVar(&s.loopback, "loopback", false, "make no network namespaces")
	flag.BoolVar(&s.inside, "inside", false, "this process has namespaces of its own; set by the program itself")
	flag.StringVar(&s.folder, "folder", "", "folder of sockets and data; set by the program itself")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	if s.folder == "" {
		err = outside(ctx, s)
	} else {
		err = inside(ctx, s)
	}
	if err != nil {
		stop()
		log.Fatal(err)
	}
}

// outside builds the programs, and runs this program again in namespaces of its own: everything that
// lives or is set up in them ends with the process, after any end of that.
func outside(ctx context.Context, s settings) (err error) {
	if s.built, err = filepath.Abs(s.built); err != nil {
		return err
	}
	if err := build(ctx, s.built); err != nil {
		return err
	}
	if s.folder, err = os.MkdirTemp("", "mesh-"); err != nil { // short: sockets have paths of 107 bytes at most
		return err
	}
	defer os.RemoveAll(s.folder)
	_, noIP := exec.LookPath("ip")
	s.inside = !s.loopback && os.Geteuid() == 0 && noIP == nil
	cmd := exec.CommandContext(ctx, os.Args[0], fmt.Sprint("-seed=", s.seed), "-built="+s.built, "-out="+s.out, "-folder="+s.folder, fmt.Sprint("-inside=", s.inside))
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = ofThis()
	if s.inside {
		cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWNET | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID
	}
	return cmd.Run()
}

// inside is the run.
func inside(ctx context.Context, s settings) error {
	m, err := newMesh(ctx, s)
	if err != nil {
		return err
	}
	defer m.end()
	if err := m.begin(); err != nil {
		return err
	}
	r, err := m.disturb()
	if err != nil {
		return err
	}
	r.print(os.Stdout)
	if s.out != "" {
		text, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(s.out), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(s.out, append(text, '\n'), 0o644); err != nil {
			return err
		}
	}
	return r.failed()
}

// build makes the node and the effects, which are kept for the next run.
func build(ctx context.Context, folder string) error {
	bin := filepath.Join(folder, "bin")
	run := func(within string, words ...string) error {
		cmd := exec.CommandContext(ctx, words[0], words[1:]...)
		cmd.Dir, cmd.Stderr, cmd.SysProcAttr = within, os.Stderr, ofThis()
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "CARGO_TARGET_DIR="+filepath.Join(folder, "rust"))
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%v: %w", words, err)
		}
		return nil
	}
	for _, one := range [][]string{
		{".", "go", "build", "-o", filepath.Join(bin, "sdp"), "./cmd/sdp"},
		{".", "go", "build", "-o", filepath.Join(bin, "effect-go"), "./examples/mesh"},
		{"mesh", "go", "build", "-o", filepath.Join(bin, "sdp-mesh"), "./cmd/sdp-mesh"},
		{".", "cargo", "build", "--quiet", "--locked", "--manifest-path", "examples/mesh/rust/Cargo.toml"},
		{".", "cmake", "-S", "examples/mesh/cpp", "-B", filepath.Join(folder, "cpp"), "-DCMAKE_UNITY_BUILD=ON"},
		{".", "cmake", "--build", filepath.Join(folder, "cpp")},
	} {
		if err := run(one[0], one[1:]...); err != nil {
			return err
		}
	}
	return nil
}

// effects are the programs, by language.
func effects(built string) map[string]string {
	return map[string]string{
		"go":   filepath.Join(built, "bin/effect-go"),
		"rust": filepath.Join(built, "rust/debug/mesh-effect"),
		"cpp":  filepath.Join(built, "cpp/mesh-effect"),
	}
}
