package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// asProgram lets the tests' program be sdp-mcp.
const asProgram = "SDP_MCP_TEST_RUN"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func program(args ...string) *exec.Cmd {
	command := exec.Command(os.Args[0], args...)
	command.Env = append(os.Environ(), asProgram+"=1")
	return command
}

const (
	root  = "../../.."
	mixer = root + "/examples/services/mixer.sdp"
)

// desk starts the desk of examples/services, and gives its address.
func desk(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	built := filepath.Join(folder, "desk")
	build := exec.Command("go", "build", "-o", built, "./examples/services")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	socket := filepath.Join(folder, "s.sock")
	serving := exec.Command(built, "serve", "mxp+unix://"+socket)
	if err := serving.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = serving.Process.Kill(); _ = serving.Wait() })
	for range 500 {
		if conn, err := net.Dial("unix", socket); err == nil {
			conn.Close()
			return "mxp+unix://" + socket
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the desk does not listen")
	return ""
}

// TestOfficialClientCallsEachMethodOfTheExample is for each kind of method.
func TestOfficialClientCallsEachMethodOfTheExample(t *testing.T) {
	address := desk(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	command := program(address, "--schema", mixer, "--metadata", "user=agent", "--quiet")
	var complaint bytes.Buffer
	command.Stderr = &complaint
	client, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(ctx, &sdk.CommandTransport{Command: command}, nil)
	if err != nil {
		t.Fatal(err)
	}
	called := map[string]bool{}
	for _, c := range []struct{ tool, arguments, want string }{
		{"Mixer-fade", `{"requests":[{"channel":3,"decibels":-1},{"channel":3,"decibels":-6}]}`, `{"channel":3,"decibels":-6}`},
		{"Mixer-gain", `{"channel":3,"decibels":0}`, `{"channel":3,"decibels":-6}`},
		{"Mixer-ride", `{"requests":[{"channel":1,"decibels":2},{"channel":2,"decibels":"-Infinity"}]}`, `{"responses":[{"channel":1,"decibels":2},{"channel":2,"decibels":"-Infinity"}]}`},
		{"Mixer-muted", `{"channel":3,"decibels":0}`, "The event was taken."},
		{"Mixer-list", `{"first":2,"last":"3"}`, `{"responses":[{"channel":2,"decibels":"-Infinity"},{"channel":3,"decibels":-96}]}`},
		{"Mixer-gain", `{"channel":99,"decibels":0}`, "mixer.Mixer/gain failed: NotFound (5) no_such_channel\nnobody has acted on the request"},
		{"Mixer-gain", `{"channel":"three","decibels":0}`, `the arguments are refused: json_invalid at byte 11 in channel: expected a u32`},
	} {
		result, err := client.CallTool(ctx, &sdk.CallToolParams{Name: c.tool, Arguments: json.RawMessage(c.arguments)})
		if err != nil {
			t.Fatal(err)
		}
		called[c.tool] = true
		if text := result.Content[0].(*sdk.TextContent).Text; text != c.want {
			t.Errorf("%s of %s gives %q, and not %q", c.tool, c.arguments, text, c.want)
		}
	}
	for tool, err := range client.Tools(ctx, nil) {
		if err != nil {
			t.Fatal(err)
		}
		if !called[tool.Name] {
			t.Errorf("%s was not called", tool.Name)
		}
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
	if complaint.Len() > 0 {
		t.Errorf("it complains: %s", complaint.String())
	}
}

// TestOutputIsOfTheProtocolAlone speaks to the program as a hostile client would.
func TestOutputIsOfTheProtocolAlone(t *testing.T) {
	command := program("mxp+unix:///nowhere/s.sock", "--schema", mixer, "--deadline", "200ms")
	var out, complaint bytes.Buffer
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	printed, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	command.Stderr = &complaint
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"Mixer-gain","arguments":{"channel":1,"decibels":0}}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"Mixer-nothing","arguments":{}}}
{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"Mixer-gain","arguments":"\u001b[2J"}}
{"jsonrpc":"2.0","id":5,"method":"nothing"}
`); err != nil {
		t.Fatal(err)
	}
	in.Close() // all requests are answered all the same
	answers := bufio.NewReader(printed)
	for range 5 {
		line, err := answers.ReadString('\n')
		out.WriteString(line)
		if err != nil {
			t.Fatalf("%v after %q", err, out.String())
		}
	}
	if _, err := answers.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	if err := command.Wait(); err != nil {
		t.Errorf("it ends with %v\n%s", err, complaint.String())
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	answered := map[int]string{}
	for _, line := range lines {
		var message struct {
			JSONRPC string
			ID      int
		}
		if err := json.Unmarshal([]byte(line), &message); err != nil || message.JSONRPC != "2.0" {
			t.Errorf("the output has %q", line)
		}
		answered[message.ID] = line
	}
	for id, want := range map[int]string{1: `"serverInfo"`, 2: "nobody has acted on the request", 3: `"error"`, 4: "expected an object for Gain", 5: `"error"`} {
		if !strings.Contains(answered[id], want) {
			t.Errorf("the answer to %d is %q, without %q", id, answered[id], want)
		}
	}
	if strings.Contains(out.String(), "\x1b") {
		t.Error("a control character has come back")
	}
	if !strings.Contains(complaint.String(), "level=") {
		t.Errorf("nothing is logged: %q", complaint.String())
	}
}

func TestSignalsEndTheProgram(t *testing.T) {
	command := program("mxp+unix:///nowhere/s.sock", "--schema", mixer)
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(20*time.Second, func() { _ = command.Process.Kill() })
	defer late.Stop()
	if err := command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := command.Wait(); err != nil {
		t.Errorf("it ends with %v", err)
	}
}

func TestWrongCommandLinesAreRefused(t *testing.T) {
	wrong := filepath.Join(t.TempDir(), "wrong.sdp")
	if err := os.WriteFile(wrong, []byte("package wrong;\nstruct S { a: Nothing }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	address := "mxp+unix:///nowhere/s.sock"
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{nil, exitUsage, "ADDRESS"},
		{[]string{"http://x"}, exitUsage, "sdp-mcp: "},
		{[]string{address, "--schema", "none.sdp"}, exitUsage, "none.sdp"},
		{[]string{address, "--schema", wrong}, exitRefused, "wrong.sdp:2"},
		{[]string{address, "--schema", mixer, "--only", "Mixer/gian"}, exitUsage, "did you mean `Mixer/gain`?"},
		{[]string{address, "--schema", mixer, "--except", "Mixer"}, exitRefused, "no methods"},
		{[]string{address, "--schema", mixer, "--responses", "0"}, exitUsage, "above 0"},
		{[]string{address, "--nothing"}, exitUsage, "--nothing"},
		{[]string{address, "--schema", mixer, "--ca", "none.pem"}, exitUsage, "--ca"},
	} {
		command := program(c.args...)
		var out, complaint bytes.Buffer
		command.Stdout, command.Stderr = &out, &complaint
		_ = command.Run()
		if code := command.ProcessState.ExitCode(); code != c.code || !strings.Contains(complaint.String(), c.want) || out.Len() > 0 {
			t.Errorf("%q exits with %d and says %q, %q on the standard output", c.args, code, complaint.String(), out.String())
		}
	}
}
