package sdp

import (
	"encoding/binary"
	"errors"
	"io"
	"iter"
)

// Element is a generated type, as a stream of elements needs it.
type Element[T any] interface {
	*T
	SDPDecode(d *Decoder, s string, depth int) string
	AppendBinary(b []byte) ([]byte, error)
	Described
}

// ListReader reads the bytes of a list, a count of four bytes and the elements,
// one element at a time. It never holds more than one element and the bytes of one read. It is for
// one goroutine.
type ListReader[T any, P Element[T]] struct {
	r      io.Reader
	factor int64
	limits Limits
	left   uint32 // elements to come
	index  int
	buf    []byte // what was read and not decoded yet
	start  int
	err    error
	opened bool
	d      Decoder // of the current element
}

// NewListReader reads a list of elements whose factor of memory is given.
// Generated packages call it.
func NewListReader[T any, P Element[T]](r io.Reader, factor int64) *ListReader[T, P] {
	return &ListReader[T, P]{r: r, factor: factor}
}

// SetLimits bounds each element; MessageBytes is the size of the largest.
func (l *ListReader[T, P]) SetLimits(limits Limits) { l.limits = limits }

// Len returns how many elements the list has and how many are left. It reads the
// count if that wasn't read yet.
func (l *ListReader[T, P]) Len() (total, left int, err error) {
	if err := l.open(); err != nil {
		return 0, 0, err
	}
	return l.index + int(l.left), int(l.left), nil
}

func (l *ListReader[T, P]) open() error {
	if l.opened {
		return nil
	}
	if l.err != nil {
		return l.err
	}
	var count [4]byte
	if _, err := io.ReadFull(l.r, count[:]); err != nil {
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			err = &Error{Kind: ErrTruncated}
		}
		l.err = err
		return err
	}
	l.left, l.opened = binary.LittleEndian.Uint32(count[:]), true
	return nil
}

// Next decodes the next element into v, reusing its memory. After the last
// element the error is io.EOF. An error's offset counts from the start of the
// element, and its path begins with the element's index.
func (l *ListReader[T, P]) Next(v P) error {
	if err := l.open(); err != nil {
		return err
	}
	if l.err != nil {
		return l.err
	}
	if l.left == 0 {
		return io.EOF
	}
	if err := l.element(v); err != nil {
		l.err = err
		return err
	}
	l.left--
	l.index++
	return nil
}

// All yields the elements in new memory each, and an error last if there is one.
func (l *ListReader[T, P]) All() iter.Seq2[P, error] {
	return func(yield func(P, error) bool) {
		for {
			v := P(new(T))
			err := l.Next(v)
			if err == io.EOF {
				return
			}
			if !yield(v, err) || err != nil {
				return
			}
		}
	}
}

// element decodes what the buffer holds, and reads more as long as the element
// may only be cut.
func (l *ListReader[T, P]) element(v P) error {
	options := DecodeOptions{Limits: l.limits.filled()}
	for {
		window := l.buf[l.start:]
		whole := len(window) > options.Limits.MessageBytes
		if whole {
			window = window[:options.Limits.MessageBytes]
		}
		l.d = Decoder{}
		rest := v.SDPDecode(&l.d, l.d.StartWith(window, l.factor, &options), 1)
		n, err := l.d.EndPrefix(P(nil), window, &options, rest)
		if err == nil {
			l.start += n
			return nil
		}
		switch {
		case !cutShort(err):
			return l.at(err)
		case whole:
			return l.at(&Error{Kind: ErrLimitMessageBytes})
		}
		more, readErr := l.more()
		if readErr != nil {
			return readErr
		}
		if !more {
			return l.at(err)
		}
	}
}

// cutShort reports whether a refused input may be the beginning of a value.
func cutShort(err error) bool {
	return errors.Is(err, ErrTruncated) || errors.Is(err, ErrLengthExceedsInput) || errors.Is(err, ErrCountExceedsInput)
}

func (l *ListReader[T, P]) at(err error) error {
	var e *Error
	if errors.As(err, &e) {
		return e.Index(l.index)
	}
	return err
}

// more reads as much as the buffer holds already, so that decoding again costs
// no more than twice as often as needed, and reports whether anything came.
func (l *ListReader[T, P]) more() (bool, error) {
	l.buf = append(l.buf[:0], l.buf[l.start:]...)
	l.start = 0
	have := len(l.buf)
	l.buf = append(l.buf, make([]byte, max(4<<10, have))...)
	n, err := io.ReadAtLeast(l.r, l.buf[have:], 1)
	l.buf = l.buf[:have+n]
	if err == io.EOF {
		return false, nil
	}
	return n > 0, err
}

// ListWriter writes the bytes of a list, one element at a time. It is for one
// goroutine.
type ListWriter[T any, P Element[T]] struct {
	w    io.Writer
	left uint32
	buf  []byte
}

// ErrListCount is the error of a list that ends with more or fewer elements
// than were announced.
var ErrListCount = errors.New("sdp: the list does not have as many elements as announced")

// NewListWriter writes the count n and then n elements to w.
func NewListWriter[T any, P Element[T]](w io.Writer, n uint32) (*ListWriter[T, P], error) {
	count := binary.LittleEndian.AppendUint32(nil, n)
	if err := WriteAll(w, count); err != nil {
		return nil, err
	}
	return &ListWriter[T, P]{w: w, left: n}, nil
}

// Write writes the next element.
func (l *ListWriter[T, P]) Write(v P) error {
	if l.left == 0 {
		return ErrListCount
	}
	b, err := v.AppendBinary(l.buf[:0])
	if err != nil {
		return err
	}
	l.buf = b
	l.left--
	return WriteAll(l.w, b)
}

// Close reports ErrListCount if elements are missing. It doesn't close the
// writer beneath.
func (l *ListWriter[T, P]) Close() error {
	if l.left > 0 {
		return ErrListCount
	}
	return nil
}
