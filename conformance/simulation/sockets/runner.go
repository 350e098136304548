package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// patience is far more than a runner takes for anything. A slower runner does not come to rest.
const patience = 30 * time.Second

// runner is a process that has a server or a client, and a clock of its own.
type runner struct {
	world    *world
	name     string // client or server, and the language
	language string
	command  *exec.Cmd
	folder   string // of its sockets, if it has some
	stdin    io.WriteCloser
	in       *bufio.Writer
	out      *bufio.Reader
	timer    *time.Timer // kills it
	time     int         // of its clock, in microseconds
	wakeups  int
	ends     map[int]*end
	accepted int // numbers of a server's connections
}

func (w *world) start(role, language string) *runner {
	p := w.programs[language]
	command := exec.Command(p.path, p.args...)
	command.Stderr = os.Stderr
	folder := ""
	if p.kernel != "" {
		var err error
		folder, err = os.MkdirTemp("", "mxp")
		w.must(err)
		command.Env = append(os.Environ(), "LD_PRELOAD="+p.kernel, "MXP_NETWORK="+folder)
	}
	stdin, err := command.StdinPipe()
	w.must(err)
	stdout, err := command.StdoutPipe()
	w.must(err)
	w.must(command.Start())
	r := &runner{
		world: w, folder: folder, name: role + " " + language, language: language, command: command, stdin: stdin, in: bufio.NewWriterSize(stdin, 1<<16),
		out: bufio.NewReaderSize(stdout, 1<<16), ends: map[int]*end{},
	}
	w.runners = append(w.runners, r)
	r.advance(w.now, false)
	return r
}

// stop ends the process.
func (r *runner) stop() {
	r.stdin.Close()
	_ = r.command.Process.Kill() // what it would still do is nothing that was asked for
	_ = r.command.Wait()
	if r.folder != "" {
		_ = os.RemoveAll(r.folder)
	}
}

// program is how a runner is started: by itself, or with what plays the system for it.
type program struct {
	path   string
	args   []string
	kernel string
}

// send gives the runner a line, which it follows when time goes on.
func (r *runner) send(format string, values ...any) {
	line := fmt.Sprintf(format, values...)
	r.world.trace(r.world.now, r.name, "<", line)
	_, err := r.in.WriteString(line + "\n")
	r.world.must(err)
}

// advance lets the runner's time go on to another, or, if it stops, until it says something.
func (r *runner) advance(until int, stops bool) {
	r.begin(until, stops)
	r.collect()
}

// begin tells the runner how far its time goes on; collect is to follow.
func (r *runner) begin(until int, stops bool) {
	word := "run"
	if stops {
		word = "stop"
	}
	r.timer = time.AfterFunc(patience, func() { _ = r.command.Process.Kill() })
	_, err := fmt.Fprintf(r.in, "advance %d %s\n", until, word)
	if err == nil {
		err = r.in.Flush()
	}
	if err != nil {
		r.fails(err)
	}
}

// collect handles what the runner says meanwhile.
func (r *runner) collect() {
	defer r.timer.Stop()
	for {
		line, err := r.out.ReadString('\n')
		if err != nil {
			r.fails(err)
		}
		words := strings.Split(strings.TrimRight(line, " \n"), " ")
		if len(words) < 3 {
			r.fails(fmt.Errorf("it said %.200q", line))
		}
		if words[0] == "now" {
			r.time, r.wakeups = number(words[1]), number(words[2])
			return
		}
		if r.world.out != nil {
			r.world.trace(number(words[0]), r.name, ">", strings.Join(words[1:], " "))
		}
		r.said(number(words[0]), words[1:])
	}
}

func (r *runner) fails(err error) {
	r.timer.Stop()
	panic(broken{fmt.Sprintf("after %d µs %s does not come to rest: %v", r.time, r.name, err)})
}

// broken ends a run.
type broken struct{ why string }

// said handles what a runner has said.
func (r *runner) said(at int, words []string) {
	r.world.active = max(r.world.active, at)
	r.world.clock = at
	defer func() { r.world.clock = r.world.now }()
	switch words[0] {
	case "dial":
		r.world.dialed(r, number(words[1]))
	case "refused":
		r.world.refused(r, number(words[1]))
	case "bytes":
		r.ends[number(words[1])].gave(unhexed(words[2]))
	case "took":
		r.ends[number(words[1])].took(number(words[2]))
	case "fin":
		r.ends[number(words[1])].finished()
	case "closed":
		r.ends[number(words[1])].wasClosed(number(words[2]))
	default:
		r.world.load.said(r.world, at, words)
	}
}

// memory is how many bytes of memory the process has.
func (r *runner) memory() int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", r.command.Process.Pid))
	r.world.must(err)
	return number(strings.Fields(string(text))[1]) * os.Getpagesize()
}

// number reads a number of a line.
func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(broken{fmt.Sprintf("%q is no number", text)})
	}
	return n
}
