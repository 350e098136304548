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
)

// corpora are folders of .proto files in what npm installs.
var corpora = []corpus{
	{"google-proto-files", "google-proto-files", false},
	{"opentelemetry-proto", "@opentelemetry/otlp-grpc-exporter-base/build/protos", true},
}

type corpus struct {
	name, folder string
	// small says that a thousand times as many values are made.
	small bool
}

func main() {
	seed := flag.Uint64("seed", 1, "the seed of random values and edits")
	values := flag.Int("values", 100, "how many random values of each message are carried over and back")
	count := flag.Int("versions", 100, "how many successive versions of a .proto are compared with what buf says")
	only := flag.String("only", "", "the corpus alone of that name, or versions")
	folder := flag.String("folder", "target/protobuf", "where packages are installed and code is generated")
	flag.Parse()
	if err := run(*folder, *seed, *values, *count, *only); err != nil {
		fmt.Fprintln(os.Stderr, "protobuf:", err)
		os.Exit(1)
	}
}

func run(folder string, seed uint64, values, count int, only string) error {
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
		r := &report{name: c.name, seed: seed, values: values}
		if c.small {
			r.values *= 1000
		}
		if err := r.run(filepath.Join(folder, "node_modules", filepath.FromSlash(c.folder))); err != nil {
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
