package peer

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Program runs clients: a process that reads scripts, a line each, and writes what comes of them.
// The programs of examples/mxp do so as `mxp_demo scripts`, whose help has the lines.
type Program struct {
	command *exec.Cmd
	folder  string // of the sockets that cases listen at
	secrets *tls.Config
	running context.Context // until the program has ended

	mu      sync.Mutex
	input   io.WriteCloser
	last    int
	results map[string]*lines
}

// StartProgram starts a program that runs scripts. The TLS is that of the servers that cases play.
func StartProgram(command *exec.Cmd, secrets *tls.Config) (*Program, error) {
	folder, err := os.MkdirTemp("", "peer")
	if err != nil {
		return nil, err
	}
	p := &Program{command: command, folder: folder, secrets: secrets, results: map[string]*lines{}}
	input, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	p.input = input
	running, end := context.WithCancel(context.Background())
	p.running = running
	go func() {
		defer end()
		p.read(output)
	}()
	return p, nil
}

// Close ends the program. A program that has ended before is an error.
func (p *Program) Close() error {
	early := p.running.Err()
	p.command.Process.Kill() // what clients still do is of no case any more
	p.command.Wait()
	if early != nil {
		early = fmt.Errorf("the program has ended: %s", p.command.ProcessState)
	}
	return errors.Join(early, os.RemoveAll(p.folder))
}

// read hands out the lines of the program's output, until it ends.
func (p *Program) read(output io.Reader) {
	lines := bufio.NewScanner(output)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		number, result, _ := strings.Cut(lines.Text(), " ")
		p.mu.Lock()
		to := p.results[number]
		p.mu.Unlock()
		if to != nil {
			to.add(result)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, to := range p.results {
		to.end()
	}
	p.results = nil
}

// run gives the program a line.
func (p *Program) run(at Address, actions string) *lines {
	p.mu.Lock()
	defer p.mu.Unlock()
	results := newLines()
	if p.results == nil {
		results.end()
		return results
	}
	p.last++
	number := strconv.Itoa(p.last)
	p.results[number] = results
	io.WriteString(p.input, number+" "+at.String()+" "+actions+"\n")
	return results
}

// place is a new place to listen at.
func (p *Program) place(scheme string) string {
	switch scheme {
	case "unix", "shm":
		p.mu.Lock()
		defer p.mu.Unlock()
		p.last++
		return filepath.Join(p.folder, strconv.Itoa(p.last))
	}
	return "127.0.0.1:0"
}

// Client is a client that a case plays a server against.
type Client struct {
	program  *Program
	at       Address
	listener net.Listener
	results  *lines
	peers    []*Peer
}

func newClient(program *Program, scheme string) (*Client, error) {
	c := &Client{program: program, at: Address{scheme, program.place(scheme)}}
	var err error
	if c.listener, err = c.at.listen(); err != nil {
		return nil, err
	}
	if scheme != "unix" && scheme != "shm" {
		c.at.Place = c.listener.Addr().String()
	}
	if c.at.isWeb() {
		c.at.Place += "/"
	}
	context.AfterFunc(program.running, func() { c.listener.Close() })
	return c, nil
}

// close ends the connections. The listener stays as long as the program, whose clients may connect
// again: nobody else may listen there.
func (c *Client) close() {
	for _, p := range c.peers {
		p.conn.Close()
	}
}

// unlisten ends the listener. Its port stays taken: a listener of another case could get it, and the client would call that one.
func (c *Client) unlisten() {
	c.listener.Close()
	port, is := c.listener.Addr().(*net.TCPAddr)
	if !is {
		return
	}
	release, err := hold(port)
	if err != nil {
		fail("the port of a listener that has ended is taken: %v", err)
	}
	context.AfterFunc(c.program.running, release)
}

// does tells the client what to do, in turn.
func (c *Client) does(actions ...string) {
	c.results = c.program.run(c.at, strings.Join(actions, " ; "))
}

// socket is the next connection that the client makes, of which nothing has been read.
func (c *Client) socket() net.Conn {
	if l, can := c.listener.(interface{ SetDeadline(time.Time) error }); can {
		l.SetDeadline(time.Now().Add(patience))
	}
	conn, err := c.listener.Accept()
	switch {
	case c.program.running.Err() != nil:
		fail("the program has ended")
	case err != nil:
		fail("the client does not connect: %v%s", err, c.said())
	}
	return conn
}

// channel is the next connection that the client makes, with TLS where the scheme has that.
func (c *Client) channel() net.Conn {
	conn, err := c.at.secured(c.socket(), c.program.secrets)
	if err != nil {
		fail("the client opens no connection: %v", err)
	}
	return conn
}

// accept is the next connection, up to where the frames of a session begin.
func (c *Client) accept() *Peer {
	conn, err := c.at.accept(c.socket(), c.program.secrets)
	if err != nil {
		fail("the client opens no connection: %v", err)
	}
	p := newPeer(conn, c.at.Scheme, false)
	c.peers = append(c.peers, p)
	return p
}

// ready is the next connection, whose Hellos are exchanged: this side serves demo.Echo.
func (c *Client) ready() *Peer { return c.accept().greet(greeting(0, demoService)) }

// batching is a ready connection on which both sides take batches.
func (c *Client) batching() *Peer {
	p := c.accept().greet(greeting(2, demoService))
	if p.theirs.Offers&2 == 0 {
		fail("it offers to take no batches")
	}
	return p
}

// result is the next line of the client's.
func (c *Client) result() string { return c.resultWithin(patience) }

func (c *Client) resultWithin(most time.Duration) string {
	line, came, open := c.results.next(most)
	switch {
	case !open:
		fail("the program has ended")
	case !came:
		fail("the client has no result after %s", most)
	}
	return line
}

// said is the next line of the client's, for a fault, if there is one.
func (c *Client) said() string {
	if line, came, _ := c.results.next(0); came {
		return "; the client says: " + line
	}
	return ""
}

// gets fails unless the client's next results are these.
func (c *Client) gets(results ...string) {
	for _, want := range results {
		if got := c.result(); got != want {
			fail("the client says %.200q, and not %q", got, want)
		}
	}
}

// answered fails unless the client's call is answered with a value.
func (c *Client) answered(value string) { c.gets("answered " + shown(value)) }

// fails fails unless what the client does ends with a failure; the result is its text.
func (c *Client) fails(name, acted string) string {
	return c.failsWithin(patience, name, acted)
}

func (c *Client) failsWithin(most time.Duration, name, acted string) string {
	line := c.resultWithin(most)
	text, is := strings.CutPrefix(line, "failed "+name+" "+acted+" ")
	if !is {
		fail("the client says %.200q, and not: failed %s %s", line, name, acted)
	}
	return text
}

// works fails unless a call is answered over a connection.
func (c *Client) works(p *Peer) {
	if f := p.any(); f != nil && f.Type == call {
		p.answer(p.requestOf(f), "works")
	} else {
		fail("no Call comes, but %v: %s%s", f, p.state(), c.said())
	}
	c.answered("works")
}

// shown is a value as a client shows it.
func shown(value string) string { return fmt.Sprintf("%d:%s", len(value), value[:min(len(value), 40)]) }
