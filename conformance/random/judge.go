package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/interp"

	"github.com/serial-data-protocol/sdp/compiler/language"
)

// judgement is what an implementation makes of bytes: a value, which its
// canonical JSON and its encoding stand for, or a refusal.
type judgement struct {
	JSON, Bytes string
	Error       string
	Offset      int64
	Path        string
}

func (j judgement) String() string {
	if j.Error != "" {
		return fmt.Sprintf("%s at %d in %q", j.Error, j.Offset, j.Path)
	}
	return fmt.Sprintf("%.400s %.400s", j.JSON, j.Bytes)
}

// interpreted is the interpreter's judgement.
func interpreted(c *interp.Codec, data []byte) (judgement, error) {
	value, err := c.Decode(data, interp.Options{})
	var refusal *interp.Refusal
	if errors.As(err, &refusal) {
		return judgement{Error: refusal.Kind.String(), Offset: refusal.Offset, Path: refusal.Path}, nil
	}
	if err != nil {
		return judgement{}, err
	}
	again, err := c.Append(nil, value, interp.ByteMode)
	if err != nil {
		return judgement{}, err
	}
	var text bytes.Buffer
	if err := c.WriteJSON(&text, interp.FromBytes(again), interp.Options{}); err != nil {
		return judgement{}, err
	}
	return judgement{JSON: text.String(), Bytes: hex.EncodeToString(again)}, nil
}

// interpretedText is the bytes that the interpreter makes of a JSON text, or its
// refusal without an offset.
func interpretedText(c *interp.Codec, text []byte) (judgement, error) {
	data, err := c.ParseJSON(text, interp.ByteMode)
	var refusal *interp.Refusal
	if errors.As(err, &refusal) {
		return judgement{Error: refusal.Kind.String(), Path: refusal.Path}, nil
	}
	return judgement{Bytes: hex.EncodeToString(data)}, err
}

// process answers a line by a line.
type process struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

func startProcess(name string, args ...string) (*process, error) {
	command := exec.Command(name, args...)
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &process{command, in, bufio.NewReaderSize(out, 1<<20)}, command.Start()
}

func (p *process) ask(line string) (string, error) {
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		return "", err
	}
	answer, err := p.out.ReadString('\n')
	return strings.TrimSuffix(answer, "\n"), err
}

func (p *process) close() error {
	return firstOf(p.in.Close(), p.command.Wait())
}

// judges are the implementations that the interpreter is compared with.
type judges struct {
	folder  string
	runners []*runner
	witness *process
}

// runner answers with the generated code of one language.
type runner struct {
	*process
	language string
	out      string   // folder that it is built in
	programs []source // those that it knows
	options  []string // of the command that builds it
	writes   bool     // it writes JSON, and reads none
}

// holds reports whether the language's numbers hold all bits of a value, by its JSON [WIRE-4.8].
func (r *runner) holds(text string) bool {
	return r.language != "typescript" || !strings.Contains(text, `"NaN:`)
}

// decodings are the ways of the runner to decode bytes.
func (r *runner) decodings() []string {
	switch r.language {
	case "typescript":
		return []string{"decode", "reuse"}
	case "python":
		return []string{"decode"}
	}
	return []string{"decode", "alias", "reuse", "view"}
}

// of are the runners that were built with a schema.
func (j *judges) of(schema string) []*runner {
	return slices.DeleteFunc(slices.Clone(j.runners), func(r *runner) bool {
		return !slices.ContainsFunc(r.programs, func(p source) bool { return p.name == schema })
	})
}

// readersOf are the runners among them that read JSON.
func (j *judges) readersOf(schema string) []*runner {
	return slices.DeleteFunc(j.of(schema), func(r *runner) bool { return r.writes })
}

func startJudges(folder, crate, sdp string, programs []source, e effort) (*judges, error) {
	compiler, flags, _ := strings.Cut(e.cxx, " ")
	j := &judges{folder: folder}
	for _, name := range language.All.Names() {
		r := &runner{language: name, out: filepath.Join(folder, name), programs: programs}
		switch name {
		case "rust":
			r.out = crate
		case "cpp":
			r.programs, r.writes = programs[:min(e.cpp, len(programs))], true
			r.options = []string{"-cxx", compiler, "-flags", flags}
		}
		j.runners = append(j.runners, r)
	}
	j.runners = slices.DeleteFunc(j.runners, func(r *runner) bool { return len(r.programs) == 0 })
	// All compilers at once take little more time than the slowest one.
	built := make(chan error, len(j.runners))
	for _, r := range j.runners {
		go func() {
			program, err := r.build(folder, sdp)
			if err == nil {
				r.process, err = startProcess(program)
			}
			built <- err
		}()
	}
	for range j.runners {
		if err := <-built; err != nil {
			return nil, err
		}
	}
	var err error
	j.witness, err = startProcess("python3", filepath.Join("conformance", "reference", "__main__.py"), "serve")
	return j, err
}

// buildTimeMax is far more than generating and compiling the schemas takes.
const buildTimeMax = 10 * time.Minute

// build makes the program of the schemas that lie in a folder.
func (r *runner) build(folder, sdp string) (string, error) {
	args := []string{"run", "./conformance/runners/" + r.language + "/build", "-out", r.out, "-sdp", sdp}
	args = append(args, r.options...)
	for _, p := range r.programs {
		args = append(args, filepath.Join(folder, p.name+".sdp"))
	}
	// A compiler that never ends is a failure like any other.
	ctx, cancel := context.WithTimeout(context.Background(), buildTimeMax)
	defer cancel()
	command := exec.CommandContext(ctx, "go", args...)
	command.WaitDelay = time.Second
	output, err := command.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, output)
	}
	return filepath.Join(r.out, "runner"), nil
}

func (j *judges) close() error {
	err := j.witness.close()
	for _, r := range j.runners {
		err = firstOf(err, r.close())
	}
	return err
}

// fields parses an answer of a runner.
func fields(line string) (map[string]string, error) {
	result, rest, _ := strings.Cut(line, "\t")
	if result != "accept" && result != "reject" {
		return nil, fmt.Errorf("a runner answers %q", line)
	}
	found := map[string]string{}
	for _, field := range strings.Split(rest, "\t") {
		key, value, _ := strings.Cut(field, "=")
		found[key] = value
	}
	return found, nil
}

// judge is the generated code's judgement by one operation.
func (r *runner) judge(op, schema, typ string, data []byte) (judgement, error) {
	line, err := r.ask(fmt.Sprintf("%s %s.%s %s", op, schema, typ, digits(data)))
	if err != nil {
		return judgement{}, fmt.Errorf("the %s runner: %w", r.language, err)
	}
	found, err := fields(line)
	if err != nil {
		return judgement{}, err
	}
	got := judgement{JSON: found["json"], Bytes: found["bytes"], Error: found["error"], Path: found["path"]}
	if found["error"] != "" {
		if _, err := fmt.Sscan(found["offset"], &got.Offset); err != nil {
			return got, err
		}
	}
	return got, bounded(found, len(data))
}

// memoryConstant is how many bytes a decode may allocate for any input [WIRE-8.7].
const memoryConstant = 64 << 10

// bounded fails if a decode of n bytes allocated more than the generated code says.
func bounded(found map[string]string, n int) error {
	if found["allocated"] == "" {
		return nil
	}
	var allocated, factor int
	if _, err := fmt.Sscan(found["allocated"], &allocated); err != nil {
		return err
	}
	if _, err := fmt.Sscan(found["factor"], &factor); err != nil {
		return err
	}
	if most := factor*n + memoryConstant; allocated > most {
		return fmt.Errorf("a decode of %d bytes allocates %d, at most %d are stated", n, allocated, most)
	}
	return nil
}

// byReference is the reference's judgement of bytes, or of JSON.
func (j *judges) byReference(op, schema, typ, key string, data []byte) (judgement, error) {
	request, err := json.Marshal(map[string]string{
		"op": op, "schema": filepath.Join(j.folder, schema+".sdp"), "type": typ, key: hex.EncodeToString(data),
	})
	if err != nil {
		return judgement{}, err
	}
	line, err := j.witness.ask(string(request))
	if err != nil {
		return judgement{}, err
	}
	var got struct {
		Result, Message string
		judgement
	}
	if err := json.Unmarshal([]byte(line), &got); err != nil {
		return judgement{}, err
	}
	if got.Result == "error" {
		return judgement{}, fmt.Errorf("the reference answers %q", got.Message)
	}
	return got.judgement, nil
}

func digits(data []byte) string {
	if len(data) == 0 {
		return "-"
	}
	return hex.EncodeToString(data)
}
