package interp

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// spoolMemoryBytes is how much of a Spool stays in memory.
const spoolMemoryBytes = 4 << 20

// Spool is bytes that are written at their end, can be patched and read
// anywhere, and lie in a temporary file but for the last few megabytes. It is
// not safe for use by several goroutines. The zero value is empty and ready;
// Close removes the file if there is one.
type Spool struct {
	file *os.File
	disk int64  // how many bytes, from the first, are in the file only
	tail []byte // those behind them
}

// Len is the number of bytes.
func (s *Spool) Len() int64 { return s.disk + int64(len(s.tail)) }

// Write appends.
func (s *Spool) Write(b []byte) (int, error) {
	s.tail = append(s.tail, b...)
	if len(s.tail) <= spoolMemoryBytes {
		return len(b), nil
	}
	return len(b), s.spill()
}

func (s *Spool) spill() error {
	if s.file == nil {
		f, err := createSpool()
		if err != nil {
			return err
		}
		s.file = f
	}
	if _, err := s.file.WriteAt(s.tail, s.disk); err != nil {
		return err
	}
	s.disk += int64(len(s.tail))
	s.tail = s.tail[:0]
	return nil
}

// WriteAt replaces bytes that are there; it writes none behind the last.
func (s *Spool) WriteAt(b []byte, offset int64) (int, error) {
	if offset < 0 || offset+int64(len(b)) > s.Len() {
		return 0, errors.New("interp: a spool is patched outside its bytes")
	}
	onDisk := max(0, min(int64(len(b)), s.disk-offset))
	if onDisk > 0 {
		if n, err := s.file.WriteAt(b[:onDisk], offset); err != nil {
			return n, err
		}
	}
	if rest := b[onDisk:]; len(rest) > 0 {
		copy(s.tail[offset+onDisk-s.disk:], rest)
	}
	return len(b), nil
}

// ReadAt is that of io.ReaderAt.
func (s *Spool) ReadAt(b []byte, offset int64) (int, error) {
	if offset < 0 {
		return 0, errors.New("interp: a spool is read before its first byte")
	}
	n := 0
	if offset < s.disk {
		var err error
		n, err = s.file.ReadAt(b[:min(int64(len(b)), s.disk-offset)], offset)
		if err != nil {
			return n, err
		}
	}
	if start := offset + int64(n) - s.disk; n < len(b) && start < int64(len(s.tail)) {
		n += copy(b[n:], s.tail[start:])
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// Truncate keeps the first n bytes.
func (s *Spool) Truncate(n int64) {
	if n >= s.disk {
		s.tail = s.tail[:n-s.disk]
		return
	}
	s.disk, s.tail = n, s.tail[:0]
}

// Reader reads all the bytes from the first on.
func (s *Spool) Reader() io.Reader { return io.NewSectionReader(s, 0, s.Len()) }

// Close removes the temporary file. The spool is empty afterwards.
func (s *Spool) Close() error {
	f := s.file
	*s = Spool{}
	if f == nil {
		return nil
	}
	err := f.Close()
	if removed := os.Remove(f.Name()); !errors.Is(removed, fs.ErrNotExist) {
		err = errors.Join(err, removed)
	}
	return err
}
