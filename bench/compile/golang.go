package main

import (
	"bufio"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// goModule is the module that all generated Go code is in.
const goModule = "buildcosts"

const goPeer = "protobuf-go + vtprotobuf"

var golang = language{name: "go", title: "Go", peer: goPeer, start: startGo, versions: goVersions, codecs: []codec{
	{name: sdpEverything, tools: []string{"go"}, make: makeGoSDP},
	{name: sdpDefault, tools: []string{"go"}, make: makeGoDefault},
	{name: goPeer, tools: []string{"go", "protoc", "protoc-gen-go", "protoc-gen-go-vtproto"}, make: makeGoProtobuf},
	{name: "flatbuffers", tools: []string{"go", "flatc"}, make: makeGoFlatbuffers},
}}

// startGo makes the module, which has the versions of bench/go.
func startGo(w *workshop) error {
	text, err := os.ReadFile(filepath.Join(w.root, "bench", "go", "go.mod"))
	if err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(w.root, "bench", "go", "go.sum"))
	if err != nil {
		return err
	}
	module := strings.NewReplacer(
		"module github.com/serial-data-protocol/sdp/bench/go", "module "+goModule, "=> ../..", "=> "+filepath.ToSlash(w.root),
	).Replace(string(text))
	folder := filepath.Join(w.folder, "go")
	if err := write(filepath.Join(folder, "go.sum"), string(sums)); err != nil {
		return err
	}
	return write(filepath.Join(folder, "go.mod"), module)
}

func makeGoSDP(w *workshop, s *schema) (*code, error) {
	return goSDP(w, s, sdpEverything, "sdp", true)
}

func makeGoDefault(w *workshop, s *schema) (*code, error) {
	return goSDP(w, s, sdpDefault, "sdpdefault", false)
}

func goSDP(w *workshop, s *schema, codec, place string, everything bool) (*code, error) {
	folder, err := w.place("go", s, place)
	if err != nil {
		return nil, err
	}
	options := map[string]string{"runtime": "github.com/serial-data-protocol/sdp/runtime/go"}
	if err := w.sdp(s, "go="+folder, everything, options); err != nil {
		return nil, err
	}
	return goCode(w, s, codec, folder, s.pkg, fmt.Sprintf(`var v made.%[1]s
	err = made.Decode%[1]s(&v, data)`, s.one), "v.A, len(v.B)")
}

func makeGoProtobuf(w *workshop, s *schema) (*code, error) {
	folder, err := w.place("go", s, "protobuf")
	if err != nil {
		return nil, err
	}
	err = w.protoc(s, path.Join(goModule, s.name, "protobuf"),
		"--plugin="+w.tool("protoc-gen-go"), "--go_out="+w.folder+"/go", "--go_opt=module="+goModule,
		"--plugin="+w.tool("protoc-gen-go-vtproto"), "--go-vtproto_out="+w.folder+"/go",
		"--go-vtproto_opt=module="+goModule+",features=size+marshal+unmarshal+unmarshal_unsafe")
	if err != nil {
		return nil, err
	}
	return goCode(w, s, goPeer, folder, strings.ReplaceAll(s.pkg, ".", "_"), fmt.Sprintf(`var v made.%s
	err = v.UnmarshalVT(data)`, s.one), "v.A, len(v.B)")
}

func makeGoFlatbuffers(w *workshop, s *schema) (*code, error) {
	folder, err := w.place("go", s, "flatbuffers")
	if err != nil {
		return nil, err
	}
	if err := w.flatc(s, filepath.Join(folder, "fb"), "--go", "--gen-onefile", "--go-namespace", "fb"); err != nil {
		return nil, err
	}
	return goCode(w, s, "flatbuffers", folder, "fb", fmt.Sprintf("v := made.GetRootAs%s(data, 0)", s.one), "v.A(), len(v.B())")
}

// goCode builds all packages below a folder, and nothing that they import. A program decodes a value by
// statements and prints something of it.
func goCode(w *workshop, s *schema, codec, folder, pkg, decode, print string) (*code, error) {
	files, err := sources(folder, ".go")
	if err != nil {
		return nil, err
	}
	c := &code{codec: codec}
	if c.lines, err = lines(files); err != nil {
		return nil, err
	}
	var packages []string
	for _, file := range files {
		packages = appendNew(packages, filepath.Dir(file))
	}
	if err := buildDependencies(folder); err != nil {
		return nil, err
	}
	c.builds = []build{{name: "build", in: folder, args: []string{"go", "build", "./..."}, fresh: func() error {
		for _, folder := range packages {
			text := fmt.Sprintf("package %s\n\n// Built at %d.\n", filepath.Base(folder), time.Now().UnixNano())
			if err := write(filepath.Join(folder, "fresh.go"), text); err != nil {
				return err
			}
		}
		return nil
	}}}
	c.object = func() (int, error) { return goSymbols(packages) }
	if !s.program {
		return c, nil
	}
	c.program = func() (int, error) {
		source := fmt.Sprintf(goProgram, goModule+"/"+s.name+"/"+filepath.Base(folder)+"/"+strings.ReplaceAll(pkg, ".", "/"), decode, print)
		if err := write(filepath.Join(folder, "program", "main.go"), source); err != nil {
			return 0, err
		}
		program := filepath.Join(folder, "program", "program")
		if err := command(folder, "go", "build", "-ldflags=-s -w", "-o", program, "./program"); err != nil {
			return 0, err
		}
		return fileSize(program)
	}
	return c, nil
}

// buildDependencies builds what packages below a folder import of others.
func buildDependencies(folder string) error {
	out, err := output(folder, "go", "list", "-deps", "./...")
	if err != nil {
		return err
	}
	args := []string{"go", "build"}
	for _, pkg := range strings.Fields(out) {
		if !strings.HasPrefix(pkg, goModule+"/") {
			args = append(args, pkg)
		}
	}
	return command(folder, args...)
}

const goProgram = `package main

import (
	"fmt"
	"io"
	"os"

	made %q
)

func main() {
	data, err := io.ReadAll(os.Stdin)
	%s
	if err != nil {
		panic(err)
	}
	fmt.Println(%s)
}
`

// goSymbols counts the bytes of the symbols of packages: object files of Go's have no sections.
func goSymbols(packages []string) (int, error) {
	total := 0
	for _, folder := range packages {
		archive := filepath.Join(folder, "archive.a")
		if err := command(folder, "go", "build", "-o", archive, "."); err != nil {
			return 0, err
		}
		out, err := output(folder, "go", "tool", "nm", "-size", "-sort", "none", archive)
		if err != nil {
			return 0, err
		}
		for scanner := bufio.NewScanner(strings.NewReader(out)); scanner.Scan(); {
			// An address, a size, a letter and a name.
			fields := strings.Fields(scanner.Text())
			if len(fields) < 4 || !strings.Contains("TtRrDd", fields[2]) {
				continue
			}
			n, err := strconv.Atoi(fields[1])
			if err != nil {
				return 0, err
			}
			total += n
		}
	}
	return total, nil
}

func goVersions(w *workshop) ([]string, error) {
	found, err := firstLines([]string{"go", "version"}, []string{w.tool("protoc"), "--version"}, []string{w.tool("flatc"), "--version"})
	if err != nil {
		return nil, err
	}
	for _, module := range []string{"google.golang.org/protobuf", "github.com/planetscale/vtprotobuf", "github.com/google/flatbuffers"} {
		version, err := output(filepath.Join(w.folder, "go"), "go", "list", "-m", module)
		if err != nil {
			return nil, err
		}
		found = append(found, strings.TrimSpace(version))
	}
	return found, nil
}
