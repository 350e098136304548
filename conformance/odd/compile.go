package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/serial-data-protocol/sdp/compiler/driver"
)

// language knows how its code is laid and compiled.
type language struct {
	name string
	// sources is the folder of what is generated, below that of the project.
	sources string
	// start makes an empty project in a folder.
	start   func(r *run, folder string) error
	options func(out string) driver.GenOptions
	compile func(r *run, made laid) error
}

var languages = []language{
	{"go", ".", startGo, goOptions, compileGo},
}

const goModule = `module odd

go 1.24.0

require github.com/serial-data-protocol/sdp/mxp/go v0.0.0

require (
	github.com/klauspost/cpuid/v2 v2.2.10 // indirect
	github.com/zeebo/xxh3 v1.1.0 // indirect
	go.opentelemetry.io/otel v1.38.0 // indirect
	go.opentelemetry.io/otel/trace v1.38.0 // indirect
	golang.org/x/sys v0.30.0 // indirect
)

replace github.com/serial-data-protocol/sdp/mxp/go => %s
`

func startGo(r *run, folder string) error {
	sums, err := os.ReadFile(filepath.Join(r.root, "conformance", "services", "go", "go.sum"))
	if err != nil {
		return err
	}
	return errors.Join(os.RemoveAll(folder), write(filepath.Join(folder, "go.sum"), string(sums)),
		write(filepath.Join(folder, "go.mod"), fmt.Sprintf(goModule, filepath.ToSlash(filepath.Join(r.root, "mxp", "go")))))
}

func goOptions(out string) driver.GenOptions {
	return driver.GenOptions{Out: []string{"go=" + out}, Services: true}
}

func compileGo(_ *run, made laid) error { return command(made.folder, "go", "vet", "./...") }

func write(file, text string) error {
	return errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o666))
}

// shownMax is how much of a compiler's output is shown.
const shownMax = 6000

func command(folder, name string, args ...string) error {
	c := exec.Command(name, args...)
	c.Dir = folder
	output, err := c.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, output[:min(len(output), shownMax)])
	}
	return nil
}
