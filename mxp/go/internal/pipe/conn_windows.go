// Package pipe has the named pipes of Windows as connections.
package pipe

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"time"

	"github.com/Microsoft/go-winio"
	"golang.org/x/sys/windows"
)

// File is an end of a pipe as winio has it: its reads and writes have deadlines.
type File interface {
	io.ReadWriteCloser
	SetReadDeadline(time.Time) error
	SetWriteDeadline(time.Time) error
	Fd() uintptr
}

// Conn is a connection by a pipe. Neither direction can be ended by itself.
type Conn struct {
	File
	name address
}

// Dial connects to a pipe, whose server may identify this program, and no more. While all instances are
// taken it waits, until the context ends.
func Dial(ctx context.Context, name string) (*Conn, error) {
	network, err := winio.DialPipeAccessImpLevel(ctx, Path(name), readWrite, winio.PipeImpLevelIdentification)
	if err != nil {
		return nil, err
	}
	end := network.(File)
	if err := checkOwner(windows.Handle(end.Fd()), true); err != nil {
		network.Close()
		return nil, err
	}
	return &Conn{File: end, name: address(name)}, nil
}

func (c *Conn) Read(into []byte) (int, error) {
	n, err := c.File.Read(into)
	return n, common(err)
}

func (c *Conn) Write(from []byte) (int, error) {
	n, err := c.File.Write(from)
	return n, common(err)
}

// common gives errors of package net for errors of winio.
func common(err error) error {
	switch {
	case errors.Is(err, winio.ErrTimeout):
		return os.ErrDeadlineExceeded
	case errors.Is(err, winio.ErrFileClosed):
		return net.ErrClosed
	}
	return err
}

// SetDeadline sets the deadlines of reads and writes.
func (c *Conn) SetDeadline(at time.Time) error {
	return errors.Join(c.SetReadDeadline(at), c.SetWriteDeadline(at))
}

// LocalAddr is the pipe's name.
func (c *Conn) LocalAddr() net.Addr { return c.name }

// RemoteAddr is the pipe's name.
func (c *Conn) RemoteAddr() net.Addr { return c.name }

// address is the name of a pipe.
type address string

func (address) Network() string  { return "pipe" }
func (a address) String() string { return string(a) }
