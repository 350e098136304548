package driver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/serial-data-protocol/sdp/compiler/talk"
	"github.com/serial-data-protocol/sdp/compiler/tap"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
)

// TapOptions says what to watch.
type TapOptions struct {
	// Schemas are those of the services; without any, those of the config file.
	Schemas []string
	// Listen is the address for clients, Target that of the server.
	Listen, Target string
	// Write is a file that keeps what passes; empty for none.
	Write string
}

// Tap stands between clients and a server, and prints each frame that passes, until
// it is interrupted.
func (t *Tool) Tap(options TapOptions) error {
	server, err := tappable(options.Target)
	if err != nil {
		return err
	}
	own, err := tappable(options.Listen)
	if err != nil {
		return err
	}
	if own == server {
		return usagef("a tap at %s would be its own server", options.Listen).withHelp("clients are pointed at the first address, and the second is the server's")
	}
	catalog, err := t.tapCatalog(options.Schemas)
	if err != nil {
		return err
	}
	ctx, done := t.interruptible() // before anybody sees that it listens
	defer done()
	listener, err := mxp.NewServer(mxp.ServerOptions{}).Listen(options.Listen)
	if err != nil {
		return cannotListen(options.Listen, err)
	}
	shown := &tapLog{tool: t, watcher: tap.NewWatcher(catalog)}
	if options.Write != "" {
		file, err := os.OpenFile(options.Write, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			listener.Close()
			return fmt.Errorf("cannot write %s: %w", options.Write, reasonOf(err))
		}
		defer file.Close()
		shown.file = file
	}
	at := listening(own, listener)
	shown.print(fmt.Sprintf("tapping %s → %s", at, options.Target))
	relay := &tap.Relay{Listener: listener, Listen: at, Target: options.Target, Seen: shown.seen}
	relay.Dial = func(ctx context.Context) (net.Conn, error) {
		return server.Transport.Dial(ctx, server.Place, mxp.ClientOptions{})
	}
	if err := relay.Run(ctx); err != nil {
		return err
	}
	return shown.closed
}

// tappable reads an address, and refuses one whose bytes can't be read.
func tappable(text string) (mxp.Address, error) {
	address, err := addressed(text)
	if err == nil && address.Transport.Protects.Encryption {
		err = usagef("%s is encrypted, and a tap has no key to read it with", text).
			withHelp("tap %s, behind what ends TLS", enumerated("or", schemes(isPlain)))
	}
	return address, err
}

// tapCatalog is the catalog of the schemas that are there; without any, frames are
// shown with the numbers of methods, and with the bytes of values.
func (t *Tool) tapCatalog(named []string) (*talk.Catalog, error) {
	if len(named) == 0 {
		config, err := t.config()
		if err != nil {
			return nil, err
		}
		if len(config.Schemas) == 0 {
			_, err := fmt.Fprintln(t.Err, "sdp: no schema is named, so that values are shown as bytes; name one with --schema")
			return nil, err
		}
	}
	catalog, err := t.catalog(named)
	if errors.Is(err, errNoServices) {
		_, err := fmt.Fprintln(t.Err, "sdp: the schema has no services, so that values are shown as bytes; name another with --schema")
		return nil, err
	}
	return catalog, err
}

// tapLog prints and keeps what passes. What can't be written is said once; bytes
// are passed on nevertheless.
type tapLog struct {
	tool    *Tool
	watcher *tap.Watcher
	file    *os.File // nil if nothing is kept
	good    int64    // bytes of whole messages in the file
	record  []byte
	silent  bool  // the output can't be written
	closed  error // it was closed, which ends the tap
}

func (l *tapLog) seen(r *tap.Record) {
	l.keep(r)
	frame, err := l.watcher.See(r)
	line := recordLine(r)
	switch {
	case err != nil:
		line += "  " + err.Error()
	case frame != nil:
		line += "  " + frame.Line()
	}
	l.print(line)
}

// recordLine is when and where something has happened, and what, but for a frame.
func recordLine(r *tap.Record) string {
	line := fmt.Sprintf("%s  %d %s", r.At.Local().Format("15:04:05.000"), r.Connection, r.Direction)
	why := ""
	if r.Why != "" {
		why = ": " + talk.Printable(r.Why)
	}
	switch r.Kind {
	case tap.Opened:
		return fmt.Sprintf("%s  %d    connected", r.At.Local().Format("15:04:05.000"), r.Connection)
	case tap.Unread:
		return line + "  " + tap.BytesText(r.Bytes) + " that are not read" + why
	case tap.Ended:
		return line + "  ended" + why
	}
	return line
}

// keep writes a record to the file. After a failure, the file ends with the last
// whole record.
func (l *tapLog) keep(r *tap.Record) {
	if l.file == nil {
		return
	}
	var err error
	if l.record, err = tap.AppendRecord(l.record[:0], r); err == nil {
		_, err = l.file.Write(l.record)
	}
	if err != nil {
		_ = l.file.Truncate(l.good)
		fmt.Fprintf(l.tool.Err, "sdp: cannot write %s: %v; nothing more is kept\n", l.file.Name(), reasonOf(err))
		_ = l.file.Close()
		l.file = nil
		return
	}
	l.good += int64(len(l.record))
	if cap(l.record) > bufferBytes {
		l.record = nil
	}
}

// reasonOf is an error without the file's name.
func reasonOf(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// print prints a line, cut to the terminal's width.
func (l *tapLog) print(line string) {
	if l.silent {
		return
	}
	_, err := fmt.Fprintln(l.tool.Out, cut(line, l.tool.Columns))
	switch {
	case errors.Is(err, syscall.EPIPE): // nobody looks any more
		l.silent, l.closed = true, err
		l.tool.Interrupt()
	case err != nil:
		l.silent = true
		fmt.Fprintf(l.tool.Err, "sdp: %v; nothing more is shown\n", err)
	}
}

// cut cuts a line to so many columns; 0 is any number.
func cut(line string, columns int) string {
	last, n := 0, 0 // where the last column begins, and how many there are
	for at := range line {
		if n++; n == columns {
			last = at
		}
		if columns > 0 && n > columns {
			return strings.TrimRight(line[:last], " ") + "…"
		}
	}
	return line
}
