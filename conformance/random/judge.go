package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/interp"
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
	folder             string
	generated, witness *process
}

func startJudges(folder, sdp string, programs []source) (*judges, error) {
	runner, err := buildRunner(folder, sdp, programs)
	if err != nil {
		return nil, err
	}
	generated, err := startProcess(runner)
	if err != nil {
		return nil, err
	}
	witness, err := startProcess("python3", filepath.Join("conformance", "reference", "__main__.py"), "serve")
	return &judges{folder, generated, witness}, err
}

func (j *judges) close() error { return firstOf(j.generated.close(), j.witness.close()) }

// fields parses an answer of the runner.
func fields(line string) (map[string]string, error) {
	result, rest, _ := strings.Cut(line, "\t")
	if result != "accept" && result != "reject" {
		return nil, fmt.Errorf("the Go runner answers %q", line)
	}
	found := map[string]string{}
	for _, field := range strings.Split(rest, "\t") {
		key, value, _ := strings.Cut(field, "=")
		found[key] = value
	}
	return found, nil
}

// goOperations are the ways of the Go runner to decode bytes.
var goOperations = []string{"decode", "alias", "reuse", "view"}

// byGo is the generated code's judgement by one operation. A view has a refusal only.
func (j *judges) byGo(op, schema, typ string, data []byte) (judgement, error) {
	line, err := j.generated.ask(fmt.Sprintf("%s %s.%s %s", op, schema, typ, digits(data)))
	if err != nil {
		return judgement{}, err
	}
	found, err := fields(line)
	if err != nil {
		return judgement{}, err
	}
	got := judgement{JSON: found["json"], Bytes: found["bytes"], Error: found["error"], Path: found["path"]}
	if found["error"] != "" {
		_, err = fmt.Sscan(found["offset"], &got.Offset)
	}
	return got, err
}

// encodedByGo is what the generated code makes of JSON: its bytes.
func (j *judges) encodedByGo(schema, typ, text string) (string, error) {
	line, err := j.generated.ask(fmt.Sprintf("encode %s.%s %s", schema, typ, digits([]byte(text))))
	if err != nil {
		return "", err
	}
	found, err := fields(line)
	return found["bytes"], err
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
