package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/compat"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/proto"
)

// buf is the program whose rules versions are compared by.
const buf = "github.com/bufbuild/buf/cmd/buf@v1.75.0"

// meets says what an import tells of what buf reports by a rule of its category WIRE.
var meets = map[string][]diag.Code{
	"FIELD_WIRE_COMPATIBLE_TYPE":                  {"I0301"},
	"FIELD_WIRE_COMPATIBLE_CARDINALITY":           {"I0301"},
	"FIELD_SAME_ONEOF":                            {"I0302", "I0301"},
	"FIELD_NO_DELETE_UNLESS_NUMBER_RESERVED":      {"I0302"},
	"ENUM_VALUE_NO_DELETE_UNLESS_NUMBER_RESERVED": {"I0302"},
	"RPC_SAME_REQUEST_TYPE":                       {"I0301"},
	"RPC_SAME_RESPONSE_TYPE":                      {"I0301"},
	"RPC_SAME_CLIENT_STREAMING":                   {"I0301"},
	"RPC_SAME_SERVER_STREAMING":                   {"I0301"},
}

// alone says why an import tells of an edit, and buf does not.
var alone = map[string]string{
	"a type that buf takes for the same": "bytes of Protocol Buffers contain a value's length, and bytes of SDP don't: int32 and int64 are two types",
	"removed and reserved":               "a .sdp keeps what is gone, since it stands between others in the bytes",
	"renamed":                            "names are no bytes",
	"optional put or taken":              "presence is a byte",
}

// versions makes successive versions of a .proto, imports each over its predecessor, and compares
// the verdicts on an edit.
func versions(folder string, seed uint64, count int) error {
	program := filepath.Join(folder, "bin", "buf")
	if _, err := os.Stat(program); err != nil {
		bin, err := filepath.Abs(filepath.Join(folder, "bin"))
		if err != nil {
			return err
		}
		install := exec.Command("go", "install", buf)
		install.Env = append(os.Environ(), "GOBIN="+bin, "GOFLAGS=-buildvcs=false")
		install.Stderr = os.Stderr
		if err := install.Run(); err != nil {
			return err
		}
	}
	program, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	m := newModel(rand.New(rand.NewPCG(seed, 1)))
	was := m.text()
	state, schema, _, err := importOver(was, nil)
	if err != nil {
		return err
	}
	agreed, explained := 0, map[string]int{}
	for n := 1; n <= count; n++ {
		edit := m.edit()
		now := m.text()
		rules, err := wire(program, filepath.Join(folder, "versions"), was, now)
		if err != nil {
			return fmt.Errorf("version %d, %s: %w", n, edit.what, err)
		}
		next, grown, codes, err := importOver(now, state)
		if err != nil {
			return fmt.Errorf("version %d, %s: %w\n%s", n, edit.what, err, now)
		}
		if broken := breaks(schema, grown); broken != "" {
			return fmt.Errorf("version %d, %s: an import breaks bytes: %s", n, edit.what, broken)
		}
		for _, rule := range rules {
			if !slices.ContainsFunc(meets[rule], func(code diag.Code) bool { return slices.Contains(codes, code) }) {
				return fmt.Errorf("version %d, %s: buf says %s, the import %v\n%s", n, edit.what, rule, codes, now)
			}
		}
		switch {
		case (len(rules) > 0) == (len(codes) > 0):
			agreed++
		case alone[edit.alone] == "":
			return fmt.Errorf("version %d, %s: buf says %v, the import %v", n, edit.what, rules, codes)
		default:
			explained[edit.alone]++
		}
		was, state, schema = now, next, grown
	}
	fmt.Printf("%d versions: buf's WIRE rules and the import agreed on %d; no import broke bytes by `sdp breaking`\n", count, agreed)
	for what, n := range explained {
		fmt.Printf("  %d times the import alone said something: %s: %s\n", n, what, alone[what])
	}
	return nil
}

// importOver imports a .proto over what is there. It returns what the diagnostics say is
// changed, gone or renamed.
func importOver(text string, was map[string]string) (map[string]string, *ir.Schema, []diag.Code, error) {
	var problems diag.List
	schema := proto.Parse(func(path string) (string, string, error) {
		if path != "v.proto" {
			return "", "", fs.ErrNotExist
		}
		return path, text, nil
	}, []string{"v.proto"}, &problems)
	if schema == nil {
		return nil, nil, nil, errors.New(problems.Sorted()[0].Message)
	}
	made := proto.Import(schema, proto.Options{Existing: func(path string) (string, string, bool) {
		text, found := was[path]
		return path, text, found
	}}, &problems)
	if made == nil {
		return nil, nil, nil, errors.New(problems.Sorted()[0].Message)
	}
	memory := check.Memory{}
	for _, output := range made {
		memory[output.Path] = output.Text
	}
	compiled, found := check.Program(memory, []string{"v.sdp"}, format.Canonical)
	if compiled == nil {
		return nil, nil, nil, errors.New(found.Sorted()[0].Message)
	}
	var codes []diag.Code
	for _, d := range problems.Sorted() {
		if strings.HasPrefix(string(d.Code), "I03") {
			codes = append(codes, d.Code)
		}
	}
	return memory, compiled, codes, nil
}

// breaks is the first change that breaks bytes.
func breaks(before, after *ir.Schema) string {
	report := compat.Compare(before, after, nil, compat.Bytes)
	var out bytes.Buffer
	if err := compat.WriteText(&out, report, false); err != nil {
		return err.Error()
	}
	if strings.Contains(out.String(), "no breaking change") || !strings.Contains(out.String(), "✗") {
		return ""
	}
	return out.String()
}

// wire is the rules of buf's category WIRE that a change is against.
func wire(program, folder, was, now string) (rules []string, err error) {
	for name, text := range map[string]string{"old/v.proto": was, "new/v.proto": now, "new/buf.yaml": "version: v2\nbreaking:\n  use: [WIRE]\n", "old/buf.yaml": "version: v2\n"} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			return nil, err
		}
	}
	command := exec.Command(program, "breaking", "--against", "../old", "--error-format", "json")
	command.Dir = filepath.Join(folder, "new")
	out, err := command.Output()
	var ended *exec.ExitError
	if err != nil && (!errors.As(err, &ended) || ended.ExitCode() != 100) {
		if ended != nil {
			return nil, fmt.Errorf("buf: %s", ended.Stderr)
		}
		return nil, err
	}
	for line := range bytes.Lines(out) {
		var found struct{ Type string }
		if err := json.Unmarshal(line, &found); err != nil {
			return nil, err
		}
		rules = append(rules, found.Type)
	}
	return rules, nil
}
