package driver

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// converter converts the values of one input. Bytes that need not change are
// copied while they are checked.
type converter struct {
	program  *plan.Program
	codec    *interp.Codec
	id       uint16
	from, to DataForm
	data     *data
	in       io.Reader // of data, with progress
	out      *bufio.Writer
	written  int // values
	strict   bool
	// source is the gate of a stream's input; nil for other inputs.
	source *gate
}

// gate reads from a source and copies what is read while it is open.
type gate struct {
	source io.Reader
	out    io.Writer
	open   bool
}

func (g *gate) Read(b []byte) (int, error) {
	n, err := g.source.Read(b)
	if g.open {
		if _, failed := g.out.Write(b[:n]); failed != nil {
			return n, failed
		}
	}
	return n, err
}

func (c *converter) run(preamble bool) error {
	if preamble {
		begin, err := interp.AppendPreamble(nil, c.codec.Decl())
		if err != nil {
			return err
		}
		if _, err := c.out.Write(begin); err != nil {
			return err
		}
	}
	switch c.from {
	case FormJSON:
		return c.fromJSON()
	case FormStream:
		return c.fromStream()
	}
	return c.fromFile()
}

// begin makes sure that there is room for another value.
func (c *converter) begin() error {
	if c.written++; c.written > 1 && (c.to == FormBytes || c.to == FormMessage) {
		return fmt.Errorf("%s holds more than one value, and %s is one; convert to stream or json", c.data.name, c.to)
	}
	return nil
}

// end makes sure that there was a value if the output must have one.
func (c *converter) end() error {
	if c.written == 0 && (c.to == FormBytes || c.to == FormMessage) {
		return fmt.Errorf("%s holds no value, and %s is one", c.data.name, c.to)
	}
	return nil
}

// fromFile converts an input that is one value.
func (c *converter) fromFile() error {
	in, size := c.in, c.data.size
	if c.data.file == nil {
		at, n, err := c.data.whole(c.in)
		if err != nil {
			return err
		}
		in, size = io.NewSectionReader(at, 0, n), n
	}
	mode := interp.ByteMode
	if c.from == FormMessage {
		mode = interp.MessageMode
	}
	if err := c.begin(); err != nil {
		return err
	}
	return c.refused("", c.value(in, size, mode))
}

// value converts the next value of an input of known size.
func (c *converter) value(r io.Reader, size int64, mode interp.Mode) error {
	options := interp.Options{Mode: mode}
	if c.to == FormJSON {
		if err := c.codec.WriteJSON(c.out, interp.FromReader(r, size), options); err != nil {
			return err
		}
		return c.out.WriteByte('\n')
	}
	copied := io.Writer(c.out)
	switch {
	case mode == interp.ByteMode && c.to.hasHeader():
		if _, err := c.out.Write(interp.AppendHeader(nil, c.id, uint32(size))); err != nil {
			return err
		}
	case mode == interp.MessageMode && c.to == FormBytes:
		copied = &tailWriter{out: c.out, skip: interp.HeaderBytes}
	}
	_, err := c.codec.Walk(interp.FromReader(io.TeeReader(r, copied), size), options, ignore)
	return err
}

// tailWriter writes what comes behind some bytes.
type tailWriter struct {
	out  io.Writer
	skip int
}

func (w *tailWriter) Write(b []byte) (int, error) {
	skipped := min(w.skip, len(b))
	w.skip -= skipped
	n, err := w.out.Write(b[skipped:])
	return skipped + n, err
}

// fromStream converts one message after another, and holds one item of one.
func (c *converter) fromStream() error {
	c.source = &gate{source: bufio.NewReaderSize(c.in, bufferBytes), out: c.out}
	stream := interp.NewStream(c.program, c.codec.Decl().DeclPackage(), c.source, interp.Options{})
	for at := int64(0); ; {
		found, err := stream.Next()
		if errors.Is(err, io.EOF) {
			return c.end()
		}
		at += stream.Passed()
		place := messagePlace(c.written+1, at)
		if stream.Header().IsPreamble() {
			place = fmt.Sprintf("the preamble at byte %d: ", at)
		}
		if err == nil {
			at += interp.HeaderBytes + stream.Header().Payload()
			err = c.begin()
		}
		if err == nil && found != c.codec.Decl() {
			err = &interp.Refusal{Kind: interp.ErrTypeIDMismatch, Offset: interp.TypeIDOffset, Detail: "it is a " + ir.FullName(found)}
		}
		if err == nil {
			err = c.streamed(stream)
		}
		if err != nil {
			return c.refused(place, err)
		}
	}
}

// streamed converts the message that a stream is at.
func (c *converter) streamed(stream *interp.Stream) error {
	if c.to != FormJSON {
		if c.to.hasHeader() {
			if _, err := c.out.Write(stream.Header()); err != nil {
				return err
			}
		}
		c.source.open = true
		err := stream.Walk(interp.Options{}, ignore)
		c.source.open = false
		return err
	}
	writer := interp.NewJSONWriter(c.out)
	if err := stream.Walk(interp.Options{}, writer.Visit); err != nil {
		return err
	}
	if err := writer.Flush(); err != nil {
		return err
	}
	return c.out.WriteByte('\n')
}

// ignore visits a walk that only checks.
func ignore(*interp.Event) error { return nil }

// fromJSON converts JSON values one after another. The bytes of one lie in a
// temporary file while its text is read, because counts stand before what they
// count.
func (c *converter) fromJSON() error {
	reader := interp.NewJSONReader(c.in)
	reader.Strict = c.strict
	var value interp.Spool
	defer value.Close()
	mode := interp.ByteMode
	if c.to.hasHeader() {
		mode = interp.MessageMode
	}
	for {
		value.Truncate(0)
		err := c.codec.ReadJSON(reader, &value, mode)
		if errors.Is(err, io.EOF) {
			return c.end()
		}
		place := ""
		if c.written > 0 {
			place = fmt.Sprintf("value %d: ", c.written+1)
		}
		if err == nil {
			err = c.begin()
		}
		if err == nil {
			err = c.read(&value, mode)
		}
		if err != nil {
			return c.refused(place, err)
		}
	}
}

// read writes a value that was read from JSON.
func (c *converter) read(value *interp.Spool, mode interp.Mode) error {
	if c.to == FormJSON {
		return c.value(value.Reader(), value.Len(), mode)
	}
	_, err := io.Copy(c.out, value.Reader())
	return err
}

// refused names the input, and the place in it, before a refusal: of a text its
// line and column. A name that is nearly another one is told so.
func (c *converter) refused(place string, err error) error {
	var refusal *interp.Refusal
	if !errors.As(err, &refusal) {
		return err
	}
	name := c.data.name
	if refusal.Line > 0 {
		name = fmt.Sprintf("%s:%d:%d", name, refusal.Line, refusal.Column)
	}
	err = fmt.Errorf("%s: %s%w", name, place, refusal)
	if near := diag.Nearest(refusal.Name, refusal.Known); near != "" {
		err = fmt.Errorf("%w; did you mean %q?", err, near)
	}
	return err
}
