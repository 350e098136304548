package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/driver"
	"github.com/serial-data-protocol/sdp/compiler/language"
)

// project knows how the code of a language is laid and compiled.
type project struct {
	language string
	// sources is the folder of generated code, below the project's.
	sources string
	// start makes an empty project in a folder.
	start   func(r *run, folder string) error
	options func(out string) driver.GenOptions
	compile func(r *run, made laid) error
	// compileEach says that no two rounds with the same packages compile together: one would have what
	// another fails to include.
	compileEach bool
}

var projects = []project{
	{"go", ".", startGo, goOptions, compileGo, false},
	{"rust", "src", startRust, rustOptions, compileRust, false},
	{"cpp", ".", startCpp, cppOptions, compileCpp, true},
	{"python", "schemas", startPython, pythonOptions, compilePython, false},
	{"typescript", "src", startTypeScript, typescriptOptions, compileTypeScript, false},
}

const goModule = `module odd

go 1.24.0

require github.com/serial-data-protocol/sdp/mxp/go v0.0.0

require (
	github.com/klauspost/cpuid/v2 v2.2.10 // indirect
	github.com/serial-data-protocol/sdp/runtime v0.0.0 // indirect
	github.com/zeebo/xxh3 v1.1.0 // indirect
	go.opentelemetry.io/otel v1.38.0 // indirect
	go.opentelemetry.io/otel/metric v1.38.0 // indirect
	go.opentelemetry.io/otel/trace v1.38.0 // indirect
	golang.org/x/sys v0.30.0 // indirect
)

replace (
	github.com/serial-data-protocol/sdp/mxp/go => %s
	github.com/serial-data-protocol/sdp/runtime => %s
)
`

func startGo(r *run, folder string) error {
	sums, err := os.ReadFile(filepath.Join(r.root, "conformance", "services", "go", "go.sum"))
	if err != nil {
		return err
	}
	return errors.Join(os.RemoveAll(folder), write(filepath.Join(folder, "go.sum"), string(sums)),
		write(filepath.Join(folder, "go.mod"), fmt.Sprintf(goModule, filepath.ToSlash(filepath.Join(r.root, "mxp", "go")), filepath.ToSlash(filepath.Join(r.root, "runtime")))))
}

// whole asks for all parts of the code of a language.
func whole(name, out string) driver.GenOptions {
	options := map[string]string{}
	made, _ := language.All.Find(name)
	for _, o := range made.Options {
		switch {
		case o.Kind == language.Switch && o.Name != "split" && o.Name != "js" && o.Name != "tests":
			options[o.Name] = "true"
		case o.Kind == language.Several:
			options[o.Name] = strings.Join(o.Words, ",")
		}
	}
	return driver.GenOptions{Out: []string{name + "=" + out}, Options: options}
}

func goOptions(out string) driver.GenOptions {
	return whole("go", out)
}

func compileGo(_ *run, made laid) error { return command(made.folder, "go", "vet", "./...") }

const crate = `[package]
name = "odd"
version = "0.0.0"
edition = "2021"
rust-version = "1.81"
publish = false

[workspace]

[features]
default = ["serde"]
serde = ["serial-data-protocol/serde"]

[dependencies]
mesh-exchange-protocol = { path = "{{root}}/mxp/rust", features = ["tokio"] }
serial-data-protocol = { path = "{{root}}/runtime/rust" }
tokio = { version = "1.38", features = ["macros", "rt-multi-thread", "signal", "time"] }

[lints.rust]
missing_docs = "deny"
unsafe_op_in_unsafe_fn = "deny"
unreachable_pub = "warn"
`

func startRust(r *run, folder string) error {
	lock, err := os.ReadFile(filepath.Join(r.root, "Cargo.lock"))
	if err != nil {
		return err
	}
	return errors.Join(os.RemoveAll(folder), write(filepath.Join(folder, "Cargo.lock"), string(lock)),
		write(filepath.Join(folder, "Cargo.toml"), strings.ReplaceAll(crate, "{{root}}", filepath.ToSlash(r.root))))
}

func rustOptions(out string) driver.GenOptions {
	return whole("rust", out)
}

func compileRust(r *run, made laid) error {
	root := []string{"//! Odd names.", "#![deny(warnings)]"}
	for _, round := range made.rounds {
		root = append(root, fmt.Sprintf("pub mod %s {\n    //! One round.", round))
		files, err := filepath.Glob(filepath.Join(made.folder, "src", round, "*.rs"))
		if err != nil {
			return err
		}
		for _, file := range files {
			root = append(root, "    pub mod "+strings.TrimSuffix(filepath.Base(file), ".rs")+";")
		}
		root = append(root, "}")
	}
	if err := write(filepath.Join(made.folder, "src", "lib.rs"), strings.Join(root, "\n")+"\n"); err != nil {
		return err
	}
	// A folder of its own: cargo takes what lies in that of targets for up to date.
	target := filepath.Join(r.root, "target", "odd-cargo")
	// All is new each time: what is kept for a next time costs a third more.
	return command(made.folder, "cargo", "check", "--quiet", "--target-dir", target, "--config", "build.incremental=false")
}

func startCpp(_ *run, folder string) error { return os.RemoveAll(folder) }

func cppOptions(out string) driver.GenOptions {
	options := whole("cpp", out)
	options.Options["runtime"] = "sdp/sdp.hpp"
	return options
}

// keepGarbage lets g++ collect garbage seldom: that is a quarter of the time for sources as large.
const keepGarbage = "--param ggc-min-expand=400 --param ggc-min-heapsize=1000000"

// compileCpp compiles all headers as one source, and the headers of services, which include Asio, as
// another.
func compileCpp(r *run, made laid) error {
	var types, services []string
	for _, round := range made.rounds {
		files, err := filepath.Glob(filepath.Join(made.folder, round, "*.hpp"))
		if err != nil {
			return err
		}
		for _, file := range files {
			line := fmt.Sprintf("#include %q\n", filepath.ToSlash(file))
			if strings.HasSuffix(file, "_service.hpp") {
				services = append(services, line)
			} else {
				types = append(types, line)
			}
		}
	}
	var failed error
	// Macros of C's headers are there before the macros of generated code.
	types = slices.Insert(types, 0, fmt.Sprintf("#include %q\n", filepath.ToSlash(filepath.Join(r.root, "runtime", "cpp", "tests", "behind_c.hpp"))))
	for name, lines := range map[string][]string{"types": types, "services": services} {
		if len(lines) == 0 {
			continue
		}
		source := filepath.Join(made.folder, name+".cpp")
		if err := write(source, strings.Join(lines, "")); err != nil {
			return err
		}
		args := slices.Concat(strings.Fields("-std=gnu++17 -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Werror -DASIO_STANDALONE"), strings.Fields(keepGarbage),
			[]string{"-I" + filepath.Join(r.root, "runtime", "cpp", "include"), "-I" + filepath.Join(r.root, "mxp", "cpp", "include"), source})
		failed = errors.Join(failed, command(made.folder, "g++", args...))
	}
	return failed
}

// typescriptConfig leaves out what only generated code's own names are about.
const typescriptConfig = `{
  "compilerOptions": {
    "target": "ES2022", "module": "NodeNext", "lib": ["ES2022", "DOM"], "types": [], "rootDir": "src", "noEmit": true, "strict": true,
    "exactOptionalPropertyTypes": true, "noUncheckedIndexedAccess": true, "erasableSyntaxOnly": true, "noUnusedLocals": true,
    "noUnusedParameters": true, "verbatimModuleSyntax": true, "declaration": true, "isolatedDeclarations": true
  },
  "include": ["src"]
}
`

func startTypeScript(r *run, folder string) error {
	failed := errors.Join(os.RemoveAll(folder), write(filepath.Join(folder, "tsconfig.json"), typescriptConfig), write(filepath.Join(folder, "package.json"), `{"type": "module"}`))
	modules, err := filepath.Glob(filepath.Join(r.root, "runtime", "typescript", "src", "*.ts"))
	for _, module := range modules {
		text, err := os.ReadFile(module)
		failed = errors.Join(failed, err, write(filepath.Join(folder, "src", "sdp", filepath.Base(module)), string(text)))
	}
	return errors.Join(failed, err)
}

func typescriptOptions(out string) driver.GenOptions {
	options := whole("typescript", out)
	options.Options["runtime"] = "../sdp/index.js"
	return options
}

func compileTypeScript(r *run, made laid) error {
	return command(made.folder, filepath.Join(r.root, "runtime", "typescript", "node_modules", ".bin", "tsc"), "-p", ".", "--skipLibCheck") // TypeScript's own libraries
}

func startPython(r *run, folder string) error {
	return errors.Join(os.RemoveAll(folder), write(filepath.Join(folder, "schemas", "__init__.py"), ""))
}

func pythonOptions(out string) driver.GenOptions {
	options := whole("python", out)
	options.Options["runtime"] = "sdp"
	return options
}

// pythonProgram imports each module, and lets the runtime make constructors, readers and writers of its types.
const pythonProgram = `
import importlib, pathlib, sys, warnings
warnings.simplefilter("error")
sys.path[:0] = [sys.argv[1], sys.argv[2], "."]
import sdp._reader, sdp._writer
found = 0
for path in sorted(pathlib.Path("schemas").rglob("*.py")):
    if path.stem != "__init__":
        found += 1
        module = importlib.import_module(".".join(path.with_suffix("").parts))
        for kind in module.package.types().values() if hasattr(module, "package") else ():
            if kind.is_aggregate():
                sdp._reader.make(kind)
                sdp._writer.make(kind)
                for cls in [kind.cls, *(one.cls for one in kind.alternatives)]:
                    cls.__signature__
assert found
`

func compilePython(r *run, made laid) error {
	return command(made.folder, "python3", "-c", pythonProgram, filepath.Join(r.root, "runtime", "python"), filepath.Join(r.root, "mxp", "python"))
}

func write(file, text string) error {
	return errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o666))
}

// garbagePercent lets heaps of Go grow to five times what is in use before they are collected: that
// is a quarter of the time of generators and of go vet.
const garbagePercent = 400

// shownMax is how much of a compiler's output is shown.
const shownMax = 6000

func command(folder, name string, args ...string) error {
	c := exec.Command(name, args...)
	c.Dir = folder
	// Go's own tools are many small processes: each ends before its garbage is worth collecting.
	c.Env = append(os.Environ(), fmt.Sprintf("GOGC=%d", garbagePercent))
	output, err := c.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, output[:min(len(output), shownMax)])
	}
	return nil
}
