package plugin

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/source"
)

// Limits bound a program's time and response.
type Limits struct {
	Time  time.Duration
	Bytes int64 // of a response
}

// DefaultLimits are enough for the schemas of a large project.
var DefaultLimits = Limits{Time: time.Minute, Bytes: 256 << 20}

const (
	// lingering is how long a child may keep the output open of a program that has ended.
	lingering = time.Second
	// saidMax is how much of a program's standard error is passed on.
	saidMax = 64 << 10
)

// Program is one that makes code.
type Program struct {
	// Name is the language, and Path the file.
	Name, Path string
	Limits     Limits
	// Err is told what the program writes to its standard error; nil where nobody is.
	Err io.Writer
}

// Find looks for the program of a language: at a path that the user has named, or on PATH.
// The folder that the tool runs in is not looked into unless a path says so.
func Find(name, path string) (string, error) {
	if path == "" {
		path = Prefix + name
	}
	found, err := exec.LookPath(path)
	var failed *exec.Error
	if errors.As(err, &failed) {
		err = failed.Err
	}
	return found, err
}

// title is what problems call the program.
func (p Program) title() string { return Prefix + p.Name }

// failure is why there is no response that can be used.
type failure struct{ problem, help string }

func (f *failure) Error() string { return f.problem }

func failf(help, format string, args ...any) *failure {
	return &failure{fmt.Sprintf(format, args...), help}
}

// run hands the program a request, and returns its response. The program and its children have
// ended then, after any error, too. The error of a context that ended is the context's.
func (p Program) run(ctx context.Context, request []byte) ([]byte, error) {
	pipes, err := newPipes()
	if err != nil {
		return nil, err
	}
	defer pipes.close()
	command := exec.Command(p.Path)
	command.Stdin, command.Stdout, command.Stderr = pipes.in.read, pipes.out.write, pipes.err.write
	ownGroup(command)
	if err := command.Start(); err != nil {
		var path *os.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		return nil, failf("", "%s cannot be started: %v", p.Path, err)
	}
	pipes.closeTheirs()

	wrote, ended := make(chan error, 1), make(chan error, 1)
	answered, said := make(chan []byte, 1), make(chan string, 1)
	go func() {
		_, err := pipes.in.write.Write(request)
		_ = pipes.in.write.Close()
		wrote <- err
	}()
	go func() {
		data, _ := io.ReadAll(io.LimitReader(pipes.out.read, p.Limits.Bytes+1))
		answered <- data
	}()
	go func() { said <- p.pass(pipes.err.read) }()
	go func() { ended <- command.Wait() }()

	response, exit, err := p.await(ctx, answered, ended)
	endGroup(command)
	// Pipes that children of another group hold open are not waited for.
	endBy(pipes.in.write, time.Now())
	endBy(pipes.err.read, time.Now().Add(lingering/10))
	last, unread := <-said, <-wrote
	var failed *failure
	switch {
	case errors.As(err, &failed):
		return nil, failed
	case err != nil:
		return nil, err
	case exit != nil:
		if p.Err == nil && last != "" {
			last = ": " + last
		} else {
			last = ""
		}
		return nil, failf("what it says on its standard error tells why", "%s %s%s", p.title(), ending(exit), last)
	case unread != nil:
		return nil, failf("a plugin reads its standard input to the end", "%s has not read its request", p.title())
	}
	return response, nil
}

// await waits until the program has answered and ended, for as long as it may take.
func (p Program) await(ctx context.Context, answered <-chan []byte, end <-chan error) (response []byte, exit, err error) {
	limit := time.NewTimer(p.Limits.Time)
	defer limit.Stop()
	var left <-chan time.Time
	for hasAnswered, hasEnded := false, false; !hasAnswered || !hasEnded; {
		select {
		case response = <-answered:
			if hasAnswered = true; int64(len(response)) > p.Limits.Bytes {
				return nil, nil, failf("--plugin-max-mib allows more", "the response of %s is longer than %d bytes", p.title(), p.Limits.Bytes)
			}
		case exit = <-end:
			if hasEnded = true; exit != nil {
				return nil, exit, nil
			}
			left = time.After(lingering)
		case <-left:
			return nil, nil, failf("a plugin ends together with its children", "%s has ended, and a child of it keeps its output open", p.title())
		case <-limit.C:
			return nil, nil, failf("--plugin-timeout allows more", "%s has not answered within %v", p.title(), p.Limits.Time)
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
	return response, nil, nil
}

// endBy ends reading or writing of a pipe at a time, or at once where pipes know none.
func endBy(end *os.File, now time.Time) {
	if end.SetDeadline(now) != nil {
		_ = end.Close()
	}
}

// ending says how a program has ended.
func ending(exit error) string {
	var status *exec.ExitError
	if errors.As(exit, &status) && status.Exited() {
		return fmt.Sprintf("has ended with status %d", status.ExitCode())
	}
	return "has ended by " + exit.Error()
}

// pass passes on a program's messages, line by line, up to a bound. It returns the last line of
// that.
func (p Program) pass(r io.Reader) string {
	lines, passed, last := bufio.NewReader(r), 0, ""
	tell := func(line string) {
		if p.Err != nil {
			_, _ = fmt.Fprintf(p.Err, "%s: %s\n", p.title(), line)
		}
	}
	for {
		line, _, err := lines.ReadLine()
		if err != nil {
			return last
		}
		if passed > saidMax {
			continue
		}
		if passed += len(line) + 1; passed > saidMax {
			tell("(it says more, which is left out)")
			continue
		}
		if text := source.Visible(strings.TrimSpace(string(line))); text != "" {
			last = text
			tell(text)
		}
	}
}

// pipe is one of the three between the tool and a program.
type pipe struct{ read, write *os.File }

type pipes struct{ in, out, err pipe }

func newPipes() (*pipes, error) {
	all := &pipes{}
	for _, p := range []*pipe{&all.in, &all.out, &all.err} {
		var err error
		if p.read, p.write, err = os.Pipe(); err != nil {
			all.close()
			return nil, err
		}
	}
	return all, nil
}

// closeTheirs closes the ends that the program has.
func (p *pipes) closeTheirs() {
	_ = p.in.read.Close()
	_ = p.out.write.Close()
	_ = p.err.write.Close()
}

func (p *pipes) close() {
	for _, end := range []*os.File{p.in.read, p.in.write, p.out.read, p.out.write, p.err.read, p.err.write} {
		if end != nil {
			_ = end.Close()
		}
	}
}
