package lsp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/driver"
)

// client is an editor, in the same process as its server.
type client struct {
	t       testing.TB
	in      io.WriteCloser
	server  *server
	ended   chan error
	id      int
	folder  string
	log     *lockedBuffer
	arrived *sync.Cond

	// All below is the lock's.
	answers  map[string]answer
	problems map[string]publishParams
	versions map[string]int // how often problems of a document have come
	shown    []string
	asked    []string // methods of the server's requests
	panics   []string
	closed   bool
}

type answer struct {
	Result json.RawMessage
	Error  *responseError
}

type lockedBuffer struct {
	mutex sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.Buffer.Write(p)
}

// start starts a server for a folder of files. Capabilities are JSON.
func start(t testing.TB, files map[string]string, capabilities string) *client {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := launch(t, folder)
	c.begins(files, capabilities)
	return c
}

// begins writes files, and sends a client's first messages.
func (c *client) begins(files map[string]string, capabilities string) {
	c.t.Helper()
	for name, text := range files {
		c.write(name, text)
	}
	if capabilities == "" {
		capabilities = "{}"
	}
	c.must("initialize", fmt.Sprintf(`{"rootUri": %q, "capabilities": %s}`, c.uri(""), capabilities))
	c.notify("initialized", `{}`)
}

// launch starts one without a word to it.
func launch(t testing.TB, folder string) *client {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	c := newClient(t, toServer, folder)
	c.server = newServer(&driver.Tool{In: in, Out: out, Err: c.log})
	c.server.onPanic = func(reason any) {
		c.arrived.L.Lock()
		c.panics = append(c.panics, fmt.Sprint(reason))
		c.arrived.L.Unlock()
	}
	go func() {
		err := c.server.serve(in)
		out.Close()
		in.Close()
		c.ended <- err
	}()
	c.receives(fromServer)
	t.Cleanup(func() {
		toServer.Close()
		<-c.ended
		if len(c.panics) > 0 {
			t.Errorf("the server has panicked: %v\n%s", c.panics, c.log.String())
		}
	})
	return c
}

// process starts a server as a program of its own.
func process(t testing.TB, folder string) (*client, int) {
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), serveVariable+"=1")
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t, in, folder)
	command.Stderr = c.log
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	c.receives(out)
	t.Cleanup(func() {
		in.Close()
		if err := command.Wait(); err != nil || len(c.panics)+c.log.Len() > 0 {
			t.Errorf("the server ends with %v, and has said %v %s", err, c.panics, c.log.String())
		}
	})
	return c, command.Process.Pid
}

// serveVariable makes the test program a server.
const serveVariable = "SDP_TEST_SERVE"

func TestMain(m *testing.M) {
	if os.Getenv(serveVariable) != "" {
		if err := Serve(&driver.Tool{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func newClient(t testing.TB, in io.WriteCloser, folder string) *client {
	return &client{
		t: t, in: in, ended: make(chan error, 1), folder: folder, log: &lockedBuffer{}, arrived: sync.NewCond(&sync.Mutex{}),
		answers: map[string]answer{}, problems: map[string]publishParams{}, versions: map[string]int{},
	}
}

func (c *client) receives(out io.Reader) { go c.receive(newReader(out)) }

func (c *client) receive(in *reader) {
	for {
		body, err := in.body()
		c.arrived.L.Lock()
		if err != nil {
			c.closed = true
			c.arrived.Broadcast()
			c.arrived.L.Unlock()
			return
		}
		var m struct {
			message
			answer
		}
		if err := json.Unmarshal(body, &m); err != nil {
			c.panics = append(c.panics, "the server writes no JSON: "+err.Error())
		}
		switch m.Method {
		case "":
			c.answers[string(m.ID)] = m.answer
		case "textDocument/publishDiagnostics":
			var params publishParams
			if err := json.Unmarshal(m.Params, &params); err != nil {
				c.panics = append(c.panics, err.Error())
			}
			c.problems[params.URI] = params
			c.versions[params.URI]++
		case "window/showMessage":
			c.shown = append(c.shown, string(m.Params))
		default:
			c.asked = append(c.asked, m.Method)
		}
		c.arrived.Broadcast()
		c.arrived.L.Unlock()
	}
}

const patience = 30 * time.Second

// await waits until a condition holds of the received messages.
func (c *client) await(what string, holds func() bool) {
	c.t.Helper()
	deadline := time.AfterFunc(patience, func() { c.arrived.L.Lock(); c.closed = true; c.arrived.Broadcast(); c.arrived.L.Unlock() })
	defer deadline.Stop()
	c.arrived.L.Lock()
	defer c.arrived.L.Unlock()
	for !holds() {
		if c.closed {
			c.t.Fatalf("%s has not come; log:\n%s", what, c.log.String())
		}
		c.arrived.Wait()
	}
}

func (c *client) send(raw string) {
	if _, err := fmt.Fprintf(c.in, "Content-Length: %d\r\n\r\n%s", len(raw), raw); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) notify(method, params string) {
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params))
}

// ask sends a request, and returns its answer.
func (c *client) ask(method, params string) answer {
	c.t.Helper()
	c.id++
	id := fmt.Sprint(c.id)
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
	c.await("an answer to "+method, func() bool { _, is := c.answers[id]; return is })
	c.arrived.L.Lock()
	defer c.arrived.L.Unlock()
	got := c.answers[id]
	delete(c.answers, id)
	return got
}

// must is ask with an answer that is no error.
func (c *client) must(method, params string) string {
	c.t.Helper()
	got := c.ask(method, params)
	if got.Error != nil {
		c.t.Fatalf("%s %s: %v", method, params, got.Error)
	}
	return string(got.Result)
}

func (c *client) path(name string) string { return filepath.Join(c.folder, filepath.FromSlash(name)) }

func (c *client) uri(name string) string { return uriAt(c.path(name)) }

// uriAt is the URI of a path.
func uriAt(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive
	}
	return "file://" + path
}

func (c *client) write(name, text string) {
	c.t.Helper()
	if err := os.MkdirAll(filepath.Dir(c.path(name)), 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(c.path(name), []byte(text), 0o644); err != nil {
		c.t.Fatal(err)
	}
}

func quoted(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// opens opens a document by its text, and waits for its problems.
func (c *client) opens(name, text string) []diagnostic {
	c.t.Helper()
	return c.after(name, func() {
		c.notify("textDocument/didOpen", quoted(openParams{documentItem{c.uri(name), "sdp", 1, text}}))
	})
}

// after does what makes the server tell the problems of a document.
func (c *client) after(name string, do func()) []diagnostic {
	c.t.Helper()
	c.arrived.L.Lock()
	before := c.versions[c.uri(name)]
	c.arrived.L.Unlock()
	do()
	c.await("problems of "+name, func() bool { return c.versions[c.uri(name)] > before })
	c.arrived.L.Lock()
	defer c.arrived.L.Unlock()
	return c.problems[c.uri(name)].Diagnostics
}

// changes changes a document, and waits for the problems of that version.
func (c *client) changes(name string, version int32, changes ...change) []diagnostic {
	c.t.Helper()
	c.notify("textDocument/didChange", quoted(changeParams{documentID{c.uri(name), version}, changes}))
	uri := c.uri(name)
	c.await(fmt.Sprintf("problems of version %d", version), func() bool {
		v := c.problems[uri].Version
		return v != nil && *v == version
	})
	c.arrived.L.Lock()
	defer c.arrived.L.Unlock()
	return c.problems[uri].Diagnostics
}

// position is where the mark | is in a text, which is cut out.
func marked(text string) (without string, at position) {
	before, after, found := strings.Cut(text, "|")
	if !found {
		panic("no mark in " + text)
	}
	line := strings.Count(before, "\n")
	return before + after, position{uint32(line), uint32(len(before) - strings.LastIndex(before, "\n") - 1)}
}

// at are the parameters of a question about a place.
func (c *client) at(name string, p position) string {
	return quoted(positionParams{documentID{URI: c.uri(name)}, p})
}

func (c *client) document(name string) string {
	return quoted(documentParams{documentID{URI: c.uri(name)}})
}

func messages(found []diagnostic) []string {
	all := []string{}
	for _, d := range found {
		first, _, _ := strings.Cut(d.Message, "\n")
		all = append(all, d.Code+" "+first)
	}
	return all
}
