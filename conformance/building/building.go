// Package building is the common part of the commands that generate code, write a program around it and
// compile that: runners, and the programs of conformance/services.
package building

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/language"
	"github.com/serial-data-protocol/sdp/compiler/place"
)

// Runner is a runner that is to be made of schemas.
type Runner struct {
	// Out is the folder for its sources and the program, absolute.
	Out string
	// SDP is the tool that generates its code.
	SDP     string
	Schemas []string
}

// Main makes the runner of a language as the command line says: beside what is common it
// may have flags of its own, which are declared before.
func Main(name string, build func(Runner) error) {
	var r Runner
	flag.StringVar(&r.Out, "out", filepath.Join("conformance", "runners", name, "out"), "folder for the sources and the runner")
	flag.StringVar(&r.SDP, "sdp", "", "the sdp tool (default: built from this repository)")
	flag.Parse()
	r.Schemas = flag.Args()
	err := r.prepare()
	if err == nil {
		err = build(r)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
}

// Whole are the flags of `sdp gen` for all parts of the code of a language but services.
func Whole(name string) []string {
	var flags []string
	made, _ := language.All.Find(name)
	for _, o := range made.Options {
		switch {
		case o.Kind == language.Several:
			flags = append(flags, "--"+o.Name+"="+strings.Join(o.Words, ","))
		case o.Name == place.JSON || o.Name == place.Serde:
			flags = append(flags, "--"+o.Name)
		}
	}
	return flags
}

func (r *Runner) prepare() error {
	if len(r.Schemas) == 0 {
		return errors.New("name the schemas")
	}
	var err error
	if r.Out, err = filepath.Abs(r.Out); err != nil || r.SDP != "" {
		return err
	}
	if err := os.MkdirAll(r.Out, 0o777); err != nil {
		return err
	}
	r.SDP = filepath.Join(r.Out, "sdp")
	return Run("", "go", "build", "-o", r.SDP, "github.com/serial-data-protocol/sdp/cmd/sdp")
}

// Generate runs the tool for one schema and returns the files of an ending that it makes
// in a folder; more are further arguments. Leftovers of another schema of that name are removed, and
// unchanged files are not touched.
func (r Runner) Generate(schema, name, ending, folder string, more ...string) ([]string, error) {
	if err := os.MkdirAll(r.Out, 0o777); err != nil {
		return nil, err
	}
	fresh, err := os.MkdirTemp(r.Out, "fresh-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(fresh)
	if err := Run("", r.SDP, slices.Concat([]string{"gen", schema, "--out", name + "=" + fresh}, Whole(name), more)...); err != nil {
		return nil, err
	}
	old, err := filepath.Glob(filepath.Join(folder, "*"+ending))
	if err != nil {
		return nil, err
	}
	for _, name := range old {
		if _, err := os.Stat(filepath.Join(fresh, filepath.Base(name))); err != nil {
			if err := os.Remove(name); err != nil {
				return nil, err
			}
		}
	}
	files, err := filepath.Glob(filepath.Join(fresh, "*"+ending))
	if err != nil {
		return nil, err
	}
	for i, name := range files {
		files[i] = filepath.Join(folder, filepath.Base(name))
		if err := Copy(name, files[i]); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// Run runs a program in a folder; what it prints is told if it fails.
func Run(dir, name string, args ...string) error {
	command := exec.Command(name, args...)
	command.Dir = dir
	output, err := command.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, output)
	}
	return nil
}

// Net compiles mxp::net of C++ in a folder, as CMake does for all who use it by the same compiler, so that a
// cache of compilers compiles it once for all of them. It returns the library.
func Net(root, folder string) (string, error) {
	return filepath.Join(folder, "libmxp_net.a"), errors.Join(
		Run("", "cmake", "-S", filepath.Join(root, "mxp", "cpp"), "-B", folder),
		Run("", "cmake", "--build", folder, "--target", "mxp_net"))
}

// Write leaves a file alone that has the text already, so that nothing is compiled
// again.
func Write(file, text string) error {
	if there, err := os.ReadFile(file); err == nil && bytes.Equal(there, []byte(text)) {
		return nil
	}
	return errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o666))
}

// Copy writes a file as another one has it.
func Copy(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return Write(to, string(text))
}

// Install copies a program to a name that nothing runs under any more.
func Install(program, name string) error {
	if runtime.GOOS == "windows" && filepath.Ext(program) == "" {
		program, name = program+".exe", name+".exe"
	}
	text, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.WriteFile(name, text, 0o777)
}
