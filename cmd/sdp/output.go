package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// standardOutput names the standard output in its errors, and keeps the first error for callers
// that ignore the result of a write.
type standardOutput struct {
	to  io.Writer
	err error
}

// Write implements io.Writer.
func (s *standardOutput) Write(data []byte) (int, error) {
	n, err := s.to.Write(data)
	if err == nil {
		return n, nil
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	s.err = fmt.Errorf("cannot write the standard output: %w", err)
	return n, s.err
}
