// Command planted plants bugs into generated code and its runtimes, one at a time, and
// runs the tests that `sdp gen --tests` has made: they have to fail. A bug is a text that
// is replaced by another, and its text must be there once. With -engines the bugs are bugs of MXP's
// engines, and the tests are the traces of conformance/vectors/mxp/engine.
//
//	go run ./conformance/planted [-engines] [-languages go,typescript,rust,cpp] [-only TEXT] [-cxx COMPILER]
//
// It exits with 1 where a language finds less than 29 of 30 bugs of generated code, or less
// than 49 of 50 of its engine, or tests take more than a minute, or fail without a bug.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/serial-data-protocol/sdp/conformance/building"
)

// bug is one that is planted.
type bug struct {
	About, File, Text, Instead string
	// Nth is which of several places of the text is meant, from 1; 0 says that there is one.
	Nth int
	// Missed is why no test can find it; empty where one has to.
	Missed string
}

// The budget: how long finding a bug may take, and of how many bugs one need not be found.
const (
	findingMax     = time.Minute
	buildingMax    = 10 * time.Minute
	missedOf       = 30
	engineMissedOf = 50
)

func main() {
	languages := flag.String("languages", "go,typescript,rust,cpp", "those to plant bugs in")
	engines := flag.Bool("engines", false, "plant bugs in MXP's engines, and play traces")
	only := flag.String("only", "", "plant the bugs whose description has this text")
	cxx := flag.String("cxx", "g++ -std=c++17", "the compiler of C++")
	flag.Parse()
	names := strings.Split(*languages, ",")
	plantAll := run
	if *engines {
		plantAll = runEngines
	}
	if err := plantAll(names, *only, *cxx); err != nil {
		fmt.Fprintln(os.Stderr, "planted:", err)
		os.Exit(1)
	}
}

func run(languages []string, only, cxx string) error {
	dir, err := os.MkdirTemp("", "sdp-planted")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	sdp := filepath.Join(dir, "sdp")
	if err := command(".", buildingMax, "go", "build", "-o", sdp, "./cmd/sdp"); err != nil {
		return fmt.Errorf("%w (run it from the root of the repository)", err)
	}
	var failed error
	for _, name := range languages {
		make, known := projects[name]
		if !known {
			return fmt.Errorf("no language is called %q", name)
		}
		p := make(cxx)
		p.dir, p.missedOf = filepath.Join(dir, name), missedOf
		begin := func() error { return p.begin(sdp) }
		failed = errors.Join(failed, p.run(name, name+".toml", only, begin))
	}
	return failed
}

// project is one with generated code and tests, in one language.
type project struct {
	dir   string
	files map[string]string // that it has beside what is generated
	// copied are files and folders of the repository, by their targets; patched is a manifest,
	// which loses its parts of the workspace.
	copied, patched map[string]string
	out             string // LANGUAGE=FOLDER and further words for sdp gen
	missedOf        int
	// build compiles what no bug is planted in, and test compiles and tests the rest.
	build, test [][]string
}

// run plants the bugs of a list, where something begins before.
func (p *project) run(name, list, only string, begin func() error) error {
	bugs, err := readBugs(list)
	if err != nil {
		return err
	}
	if err := begin(); err != nil {
		return err
	}
	took, err := p.tests()
	if err != nil {
		return fmt.Errorf("%s: the tests fail where no bug is planted: %w", name, err)
	}
	fmt.Printf("%s: the tests pass in %.1f s\n", name, took.Seconds())
	planted, found, longest := 0, 0, time.Duration(0)
	start := time.Now()
	for _, b := range bugs {
		if !strings.Contains(b.About, only) {
			continue
		}
		took, isFound, err := p.plant(b)
		if err != nil {
			return fmt.Errorf("%s, %s: %w", name, b.About, err)
		}
		longest = max(longest, took)
		mark := "MISSED"
		switch {
		case b.Missed != "" && isFound:
			return fmt.Errorf("%s, %s: it is found, though nothing could find it", name, b.About)
		case b.Missed != "":
			mark = "hidden"
		case isFound:
			mark = "found"
			found++
			planted++
		default:
			planted++
		}
		fmt.Printf("  %-6s %5.1f s  %s\n", mark, took.Seconds(), b.About)
	}
	fmt.Printf("%s: %d of %d found, the slowest in %.1f s, all in %.0f s\n", name, found, planted, longest.Seconds(), time.Since(start).Seconds())
	if planted-found > planted/p.missedOf || longest > findingMax {
		return fmt.Errorf("%s: %d of %d bugs are not found, and the slowest took %s", name, planted-found, planted, longest)
	}
	return nil
}

// begin generates the code and the tests, and lays the project around them.
func (p *project) begin(sdp string) error {
	for path, text := range p.files {
		path = filepath.Join(p.dir, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			return err
		}
	}
	if err := p.copy(); err != nil {
		return err
	}
	schema, err := filepath.Abs(filepath.Join("conformance", "planted", "rack.sdp"))
	if err != nil {
		return err
	}
	if err := command(p.dir, buildingMax, sdp, slices.Concat([]string{"gen", schema, "--tests", "--out"}, strings.Fields(p.out))...); err != nil {
		return err
	}
	return p.prepare()
}

// prepare makes what no bug is planted in.
func (p *project) prepare() error {
	for _, words := range p.build {
		if err := command(p.dir, buildingMax, words[0], words[1:]...); err != nil {
			return err
		}
	}
	return nil
}

// copy copies what a project has of the repository.
func (p *project) copy() error {
	if err := os.MkdirAll(p.dir, 0o777); err != nil {
		return err
	}
	for from, to := range p.copied {
		to = filepath.Join(p.dir, to)
		if info, err := os.Stat(from); err == nil && info.IsDir() {
			if err := os.CopyFS(to, os.DirFS(from)); err != nil {
				return err
			}
			continue
		}
		if err := building.Copy(from, to); err != nil {
			return err
		}
	}
	for from, to := range p.patched {
		text, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		if err := building.Write(filepath.Join(p.dir, to), alone(string(text))); err != nil {
			return err
		}
	}
	return nil
}

// alone is a manifest without its workspace, and without what only its own tests need.
func alone(manifest string) string {
	manifest, _, _ = strings.Cut(manifest, "[dev-dependencies]")
	manifest = strings.Replace(manifest, "[lints]\nworkspace = true\n", "", 1)
	var lines []string
	for line := range strings.Lines(manifest) {
		switch {
		case strings.HasPrefix(line, "version.workspace"):
			lines = append(lines, "version = \"0.0.0\"\nedition = \"2021\"\n")
		case !strings.Contains(line, ".workspace") && !strings.HasPrefix(line, "readme"):
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// errTests says that tests have run, and failed.
var errTests = errors.New("the tests fail")

// tests runs the steps and returns the time of the last one, which is the tests; earlier steps
// compile, and must succeed. Tests that are ended by the time limit have found nothing.
func (p *project) tests() (time.Duration, error) {
	last := len(p.test) - 1
	for _, words := range p.test[:last] {
		if err := command(p.dir, buildingMax, words[0], words[1:]...); err != nil {
			return 0, err
		}
	}
	begun := time.Now()
	if err := command(p.dir, findingMax, p.test[last][0], p.test[last][1:]...); err != nil && time.Since(begun) < findingMax {
		return time.Since(begun), fmt.Errorf("%w: %w", errTests, err)
	}
	return time.Since(begun), nil
}

// plant tests with one bug, and takes it out again.
func (p *project) plant(b bug) (time.Duration, bool, error) {
	path := filepath.Join(p.dir, filepath.FromSlash(b.File))
	good, err := os.ReadFile(path)
	if err != nil {
		return 0, false, err
	}
	bad, err := b.in(string(good))
	if err != nil {
		return 0, false, err
	}
	if err := os.WriteFile(path, []byte(bad), 0o666); err != nil {
		return 0, false, err
	}
	took, err := p.tests()
	if err != nil && !errors.Is(err, errTests) {
		return took, false, err // such code is no bug: it does not compile
	}
	return took, err != nil, os.WriteFile(path, good, 0o666)
}

// in is a text with the bug.
func (b bug) in(text string) (string, error) {
	parts := strings.Split(text, b.Text)
	switch n := len(parts) - 1; {
	case n == 0:
		return "", fmt.Errorf("%s does not have %q", b.File, b.Text)
	case b.Nth == 0 && n > 1:
		return "", fmt.Errorf("%s has %q %d times", b.File, b.Text, n)
	case b.Nth > n:
		return "", fmt.Errorf("%s has %q only %d times", b.File, b.Text, n)
	}
	at := max(b.Nth, 1)
	return strings.Join(parts[:at], b.Text) + b.Instead + strings.Join(parts[at:], b.Text), nil
}

func readBugs(list string) ([]bug, error) {
	text, err := os.ReadFile(filepath.Join("conformance", "planted", list))
	if err != nil {
		return nil, err
	}
	var all struct{ Bug []bug }
	if err := toml.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("%s: %w", list, err)
	}
	return all.Bug, nil
}

// command runs a program; its output is a part of the error.
func command(dir string, most time.Duration, name string, args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.WaitDelay = dir, time.Second
	c.Env = append(os.Environ(), "GOWORK=off") // the project is no part of what is around
	output, err := c.CombinedOutput()
	if ctx.Err() != nil {
		return fmt.Errorf("%s takes more than %s", name, most)
	}
	if err != nil {
		return fmt.Errorf("%s: %w\n%.4000s", strings.Join(append([]string{name}, args...), " "), err, output)
	}
	return nil
}
