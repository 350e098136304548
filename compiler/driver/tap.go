package driver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/talk"
	"github.com/serial-data-protocol/sdp/compiler/tap"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
)

// TapOptions says what to watch.
type TapOptions struct {
	// Schemas are the schemas of the services; without any, the config file's.
	Schemas []string
	// Listen is the address for clients, Target that of the server.
	Listen, Target string
	// Write is a file that keeps what passes as a capture, Packets one that keeps it as
	// packets of TCP; empty for none.
	Write, Packets string
	// JSON says that what passes is printed as JSON.
	JSON bool
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
	shown := &tapLog{tool: t, watcher: tap.NewWatcher(catalog), json: options.JSON}
	defer shown.close()
	if err := shown.keepIn(options); err != nil {
		listener.Close()
		return err
	}
	at := listening(own, listener)
	said := fmt.Sprintf("tapping %s → %s", at, options.Target)
	if options.JSON {
		fmt.Fprintln(t.Err, "sdp: "+said)
	} else {
		shown.print(said)
	}
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
			withHelp("tap %s, behind what ends TLS", enumerated("or", schemes(isSeen)))
	}
	if err == nil && address.Transport.Socket != "" {
		err = usagef("the bytes at %s pass where no tap can see them", text).
			withHelp("tap the same place as mxp+%s://%s, over whose socket clients then go, too", address.Transport.Socket, address.Place)
	}
	return address, err
}

// isSeen reports whether a tap can see what passes.
func isSeen(t *mxp.Transport) bool { return isPlain(t) && t.Socket == "" }

// tapCatalog is the catalog of the schemas that are there; without any, frames are
// shown with the numbers of methods, and with the bytes of values.
func (t *Tool) tapCatalog(names []string) (*talk.Catalog, error) {
	if len(names) == 0 {
		config, err := t.config()
		if err != nil {
			return nil, err
		}
		if len(config.Schemas) == 0 {
			_, err := fmt.Fprintln(t.Err, "sdp: no schema is named, so that values are shown as bytes; name one with --schema")
			return nil, err
		}
	}
	catalog, err := t.catalog(names)
	if errors.Is(err, errNoServices) {
		_, err := fmt.Fprintln(t.Err, "sdp: the schema has no services, so that values are shown as bytes; name another with --schema")
		return nil, err
	}
	return catalog, err
}

// tapLog prints and keeps what passes. A write error is printed once; bytes are passed on
// nevertheless.
type tapLog struct {
	tool    *Tool
	watcher *tap.Watcher
	json    bool
	line    []byte
	files   []*tapFile
	silent  bool  // the output can't be written
	closed  error // it was closed, which ends the tap
}

func (l *tapLog) seen(r *tap.Record) {
	for _, file := range l.files {
		file.keep(r)
	}
	frame, err := l.watcher.See(r)
	if l.json {
		l.line = tap.AppendJSON(l.line[:0], r, frame, err)
		l.put(l.line)
		return
	}
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
	l.line = append(append(l.line[:0], cut(line, l.tool.Columns)...), '\n')
	l.put(l.line)
}

// put writes a line to the output.
func (l *tapLog) put(line []byte) {
	if l.silent {
		return
	}
	_, err := l.tool.Out.Write(line)
	switch {
	case IsClosedPipe(err): // nobody looks any more
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
