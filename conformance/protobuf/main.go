// Command protobuf imports .proto files that others wrote, and random ones, and holds what
// comes out against what went in.
//
// It installs the packages of package.json into the folder, and says of each corpus how
// many files were understood, how many messages needed no edit, and what values came back
// equal.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// corpora are folders of .proto files in what npm installs, and in a Go module: those by
// which Protocol Buffers are tested, its conformance messages among them.
var corpora = []corpus{
	{name: "google-proto-files", folder: "google-proto-files"},
	{name: "opentelemetry-proto", folder: "@opentelemetry/otlp-grpc-exporter-base/build/protos", small: true},
	{name: "protobuf-go", module: "google.golang.org/protobuf"},
}

type corpus struct {
	name, folder, module string
	// small says that a thousand times as many values are made.
	small bool
}

func main() {
	seed := flag.Uint64("seed", 1, "the seed of random values and edits")
	values := flag.Int("values", 10, "how many random values of each message are carried over and back, a thousand times as many of a small corpus")
	count := flag.Int("versions", 100, "how many successive versions of a .proto are compared with what buf says")
	only := flag.String("only", "", "the corpus alone of that name, or versions")
	folder := flag.String("folder", "target/protobuf", "where packages are installed and code is generated")
	keep := flag.String("keep", "", "a folder for the schemas that are made; empty keeps none")
	flag.Parse()
	if err := run(*folder, *seed, *values, *count, *only, *keep); err != nil {
		fmt.Fprintln(os.Stderr, "protobuf:", err)
		os.Exit(1)
	}
}

func run(folder string, seed uint64, values, count int, only, keep string) error {
	fmt.Printf("seed %d\n", seed)
	if only == "" || only == "versions" {
		if err := versions(folder, seed, count); err != nil {
			return err
		}
	}
	if only == "versions" {
		return nil
	}
	if err := install(folder); err != nil {
		return err
	}
	failed := false
	for _, c := range corpora {
		if only != "" && only != c.name {
			continue
		}
		r := &report{name: c.name, seed: seed, values: values, strange: c.module != ""}
		if c.small {
			r.values *= 1000
		}
		if keep != "" {
			r.keep = filepath.Join(keep, c.name)
			if err := os.RemoveAll(r.keep); err != nil {
				return err
			}
		}
		from, err := c.path(folder)
		if err != nil {
			return err
		}
		if err := r.run(from); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		fmt.Print(r)
		failed = failed || r.failed()
	}
	if failed {
		return fmt.Errorf("what was to be reached was not")
	}
	return nil
}

// path is where the files are.
func (c corpus) path(folder string) (string, error) {
	if c.module == "" {
		return filepath.Join(folder, "node_modules", filepath.FromSlash(c.folder)), nil
	}
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", c.module).Output()
	return strings.TrimSpace(string(out)), err
}

// install lays the packages of this folder beside what is made.
func install(folder string) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	for _, name := range []string{"package.json", "package-lock.json"} {
		text, err := os.ReadFile(filepath.Join("conformance", "protobuf", name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o666); err != nil {
			return err
		}
	}
	npm := exec.Command("npm", "ci", "--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund", "--silent")
	npm.Dir, npm.Stdout, npm.Stderr = folder, os.Stderr, os.Stderr
	return npm.Run()
}
