package driver

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/serial-data-protocol/sdp/compiler/tap"
)

// tapFile is a file that a tap keeps what passes in.
type tapFile struct {
	tool *Tool
	file *os.File // nil once it can't be written
	good int64    // bytes of whole records in the file
	part bytes.Buffer
	// put appends a record to the part.
	put func(*tap.Record) error
}

// keepIn opens the files that a tap is to keep what passes in.
func (l *tapLog) keepIn(options TapOptions) error {
	for _, kind := range []struct {
		name string
		put  func(io.Writer) (func(*tap.Record) error, error)
	}{{options.Write, captured}, {options.Packets, packed}} {
		if kind.name == "" {
			continue
		}
		file, err := os.OpenFile(kind.name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return fmt.Errorf("cannot write %s: %w", kind.name, reasonOf(err))
		}
		kept := &tapFile{tool: l.tool, file: file}
		l.files = append(l.files, kept)
		if kept.put, err = kind.put(&kept.part); err != nil {
			return err
		}
	}
	return nil
}

func (l *tapLog) close() {
	for _, kept := range l.files {
		if kept.file != nil {
			_ = kept.file.Close()
		}
	}
}

// captured writes records as messages of a capture.
func captured(w io.Writer) (func(*tap.Record) error, error) {
	var message []byte
	return func(r *tap.Record) (err error) {
		if message, err = tap.AppendRecord(message[:0], r); err == nil {
			_, err = w.Write(message)
		}
		if cap(message) > bufferBytes {
			message = nil
		}
		return err
	}, nil
}

// packed writes records as packets, behind the header of their file.
func packed(w io.Writer) (func(*tap.Record) error, error) {
	packets, err := tap.NewPacketWriter(w)
	if err != nil {
		return nil, err
	}
	return packets.Write, nil
}

// keep writes a record. After a failure, the file ends with the last whole one.
func (k *tapFile) keep(r *tap.Record) {
	if k.file == nil {
		return
	}
	err := k.put(r)
	if err == nil {
		_, err = k.file.Write(k.part.Bytes())
	}
	if err != nil {
		_ = k.file.Truncate(k.good)
		fmt.Fprintf(k.tool.Err, "sdp: cannot write %s: %v; nothing more is kept\n", k.file.Name(), reasonOf(err))
		_ = k.file.Close()
		k.file = nil
		return
	}
	k.good += int64(k.part.Len())
	k.part.Reset()
	if k.part.Cap() > bufferBytes {
		k.part = bytes.Buffer{}
	}
}
