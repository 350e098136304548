package driver

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/serial-data-protocol/sdp/compiler/interp"
)

// stdName is how the command line spells the standard input and output.
const stdName = "-"

// data is an input of values.
type data struct {
	name string // as messages show it
	in   io.Reader
	// file is set if the input is one that can be read at any place.
	file *os.File
	// start is where the data begins in the file: a shell may hand over a standard
	// input of which it has read some itself.
	start, size int64
	spool       interp.Spool
}

// openData opens a file or the standard input.
func (t *Tool) openData(name string) (*data, error) {
	if name == stdName {
		in, err := t.dataIn()
		if err != nil {
			return nil, err
		}
		d := &data{name: "the standard input", in: in}
		if file, ok := in.(*os.File); ok {
			d.measure(file)
		}
		return d, nil
	}
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usagef("there is no file %s", name)
	}
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err == nil && info.IsDir() {
		_ = file.Close()
		return nil, usagef("%s is a folder, and a file of data is needed", name)
	}
	d := &data{name: name, in: file}
	d.measure(file)
	return d, nil
}

// measure finds out whether an open file can be read at any place, and then
// how long it is.
func (d *data) measure(file *os.File) {
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	start, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return
	}
	d.file, d.start, d.size = file, start, max(0, info.Size()-start)
}

// whole makes the input readable at any place: what is not a file, such as a
// pipe, is copied to a temporary one, so that memory does not follow its size.
func (d *data) whole(r io.Reader) (io.ReaderAt, int64, error) {
	if d.file != nil {
		return io.NewSectionReader(d.file, d.start, d.size), d.size, nil
	}
	if _, err := io.Copy(&d.spool, r); err != nil {
		return nil, 0, fmt.Errorf("cannot keep %s in a temporary file: %w", d.name, err)
	}
	return &d.spool, d.spool.Len(), nil
}

func (d *data) close() {
	_ = d.spool.Close()
	if closer, ok := d.in.(io.Closer); ok {
		_ = closer.Close()
	}
}
