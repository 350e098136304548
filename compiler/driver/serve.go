package driver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/talk"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
)

// ServeOptions says what to serve.
type ServeOptions struct {
	// Schemas are the schemas of the services; without any, the config file's.
	Schemas []string
	Address string
	// Answers is a file of answers; without one, responses have no particular
	// content.
	Answers string
	// Delay is how long each answer waits.
	Delay time.Duration
}

// drainingMax is how long what is in flight may take when a server is told to end.
const drainingMax = 5 * time.Second

// Serve answers all methods of the schemas with made-up answers or with answers from a file. It
// prints a line for each request, until it is interrupted.
func (t *Tool) Serve(options ServeOptions) error {
	address, err := addressed(options.Address)
	if err != nil {
		return err
	}
	if address.Transport.Protects.Encryption {
		return usagef("a mock has no certificate, so that it serves no %s", address.Transport).withHelp("use %s", enumerated("or", schemes(isPlain)))
	}
	catalog, err := t.catalog(options.Schemas)
	if err != nil {
		return err
	}
	var answers talk.Answers
	if options.Answers != "" {
		if answers, err = readAnswers(catalog, options.Answers); err != nil {
			return err
		}
	}
	log := &lineLog{tool: t}
	mock, err := talk.NewMock(catalog, answers, options.Delay, log.came)
	if err != nil {
		return err
	}
	server := mxp.NewServer(mxp.ServerOptions{Services: mock.Services(), Types: catalog.Types(catalog.Services()...)})
	ctx, done := t.interruptible() // before anybody sees that it listens
	defer done()
	listener, err := server.Listen(options.Address)
	if err != nil {
		return cannotListen(options.Address, err)
	}
	if err := log.line("serving %s at %s", strings.Join(catalog.Services(), ", "), listening(address, listener)); err != nil {
		return err
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	draining, cancel := context.WithTimeout(context.Background(), drainingMax)
	defer cancel()
	if err := server.Shutdown(draining); err != nil {
		return errors.New("some requests have not ended in time, and were cut off")
	}
	return log.broken()
}

// readAnswers reads a file of answers.
func readAnswers(catalog *talk.Catalog, file string) (talk.Answers, error) {
	text, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, usagef("there is no file %s", file)
	case err != nil && isFolder(file):
		return nil, usagef("%s is a folder, and a file of answers is needed", file)
	}
	if err != nil {
		return nil, err
	}
	answers, err := catalog.ReadAnswers(file, text)
	var name *talk.NameError
	if errors.As(err, &name) && name.Near != "" {
		return nil, fmt.Errorf("%w; did you mean %q?", err, name.Near)
	}
	return answers, err
}

// lineLog prints lines that several goroutines have.
type lineLog struct {
	tool *Tool
	mu   sync.Mutex
	err  error // the first of a write
}

// line prints a line, or says why it can't.
func (l *lineLog) line(format string, args ...any) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		_, l.err = fmt.Fprintf(l.tool.Out, format+"\n", args...)
	}
	return l.err
}

func (l *lineLog) broken() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// came prints what has come to a mock. A mock whose output nobody takes ends.
func (l *lineLog) came(subject, method, text string) {
	line := fmt.Sprintf("%s  %-6s  %s", time.Now().Format("15:04:05.000"), subject, method)
	if text != "" {
		line += "  " + text
	}
	if l.line("%s", line) != nil {
		l.tool.Interrupt()
	}
}
