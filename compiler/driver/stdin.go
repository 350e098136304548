package driver

import "io"

// stdin is the standard input, whose bytes are there once: for a schema, which may be
// read again, or for data.
type stdin struct {
	in    io.Reader
	taken bool
	text  string
	err   error
}

// schema reads a schema, of a very long one as many bytes as are enough to refuse it.
func (s *stdin) schema() (string, error) {
	if !s.taken {
		s.taken = true
		var text []byte
		text, s.err = io.ReadAll(io.LimitReader(s.in, schemaBytesMax))
		s.text = string(text)
	}
	return s.text, s.err
}

// dataIn is the standard input for data, unless a schema came from there.
func (t *Tool) dataIn() (io.Reader, error) {
	if t.stdin.taken {
		return nil, usagef("the standard input is the schema already, and cannot be the data too").
			withHelp("name a file for one of the two")
	}
	return t.In, nil
}
