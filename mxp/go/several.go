package mxp

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"iter"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/buffers"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

const (
	// recordsBytes is how many bytes of values are gathered before they are sent at once.
	recordsBytes = 12 << 10
	// recordsRoom is for these, and one more.
	recordsRoom = 16 << 10
)

// gather makes records of the first of so many values, each of which encode appends, until there
// is enough, or one is too long to share a frame. It gives how many there are, and how many bytes
// the last value has that was made. A value that can't be made ends it.
func gather(records []byte, values int, encode func(i int, buffer []byte) ([]byte, error)) (result []byte, n, last int, err error) {
	for ; n < values && len(records) < recordsBytes; n++ {
		at := len(records)
		records, err = encode(n, append(records, 0, 0))
		if last = len(records) - at - 2; err != nil || last > session.BatchedBytes {
			return records[:at], n, last, err
		}
		binary.LittleEndian.PutUint16(records[at:], uint16(last))
	}
	return records, n, last, nil
}

// SendBatch sends chunks one after the other as Send does each, and gives how many were sent:
// all of them, if there is no error. Small ones share frames, and take the connection's lock
// together.
func (s *Stream) SendBatch(ctx context.Context, values [][]byte) (count int, err error) {
	records := buffers.Take(recordsRoom)
	defer func() { buffers.Give(records) }()
	for count < len(values) {
		records = records[:0]
		for _, value := range values[count:] {
			if len(value) > session.BatchedBytes || len(records) >= recordsBytes {
				break
			}
			records = append(binary.LittleEndian.AppendUint16(records, uint16(len(value))), value...)
		}
		n := 1
		if len(records) > 0 {
			n, err = s.sendRecords(ctx, records)
		} else if err = s.Send(ctx, values[count]); err != nil {
			n = 0
		}
		if count += n; err != nil {
			return count, err
		}
	}
	return count, nil
}

// SendAll sends the chunks that an iterator gives, each as soon as it is there: none waits for
// the one after it. It gives how many were sent. The values must not be changed afterwards.
func (s *Stream) SendAll(ctx context.Context, values iter.Seq[[]byte]) (n int, err error) {
	for value := range values {
		if err := s.Send(ctx, value); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// sendRecords sends the values of records, and gives how many were sent.
func (s *Stream) sendRecords(ctx context.Context, records []byte) (count int, err error) {
	for len(records) > 0 {
		n := 0
		s.join(func(core *session.Session) bool {
			n = core.JoinChunks(s.state.ID, records)
			return n > 0
		})
		count += n
		if records = session.CutRecords(records, n); len(records) == 0 {
			break
		}
		value, rest := session.CutRecord(records)
		if err := s.Send(ctx, value); err != nil { // small ones are copied
			return count, err
		}
		count++
		records = rest
	}
	return count, nil
}

// RecvBatch receives chunks as Recv does, as many as have come and as there is room for; only
// for the first it waits. It gives how many there are: at least one, or an error. Each takes
// the place of one that is there, whose memory is used again.
func (s *Stream) RecvBatch(ctx context.Context, values [][]byte) (n int, err error) {
	if len(values) == 0 {
		return 0, nil
	}
	one, err := s.receive(ctx)
	for ok := err == nil; ok; one, ok = s.receiveNow() {
		values[n] = append(values[n][:0], one.Value...)
		buffers.Give(one.Buffer)
		if n++; n == len(values) {
			break
		}
	}
	return n, err
}

// All gives the chunks that are left, each the caller's own. A failure is the last that it
// gives. Leaving the loop before ends a stream that was opened here, as Close does.
func (s *Stream) All(ctx context.Context) iter.Seq2[[]byte, error] {
	return all(func() ([]byte, error) { return s.Recv(ctx) }, func() {
		if s.state.Mine {
			s.Close()
		}
	})
}

// all gives the received values until the end, or the first failure, and leaves if a caller wants
// no more before.
func all[T any](receive func() (T, error), leave func()) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for {
			v, err := receive()
			if errors.Is(err, io.EOF) {
				return
			}
			if !yield(v, err) {
				leave()
				return
			}
			if err != nil {
				return
			}
		}
	}
}

// SendBatch sends values one after the other as Send does each, and gives how many were sent:
// all of them, if there is no error. Small ones share frames, and take the connection's lock
// together. The values are the caller's again when SendBatch returns.
func (s *Sender[T]) SendBatch(values []T) (count int, err error) {
	records := buffers.Take(recordsRoom)
	defer func() { buffers.Give(records) }()
	for count < len(values) {
		if s.send != nil || s.last > session.BatchedBytes {
			if err := s.Send(&values[count]); err != nil {
				return count, err
			}
			count++
			continue
		}
		var unmade error
		records, _, s.last, unmade = gather(records[:0], len(values)-count, func(i int, buffer []byte) ([]byte, error) {
			return s.append(&values[count+i], buffer)
		})
		n, err := s.stream.sendRecords(s.ctx, records)
		count += n
		switch {
		case err != nil:
			return count, err
		case unmade != nil:
			s.last = 0
			return count, s.refuse(unmade)
		}
	}
	return count, nil
}

// SendAll sends the values that an iterator gives, each as soon as it is there: none waits for
// the one after it. It gives how many were sent. Each is the iterator's again when the next one
// is asked for, so that it may be the same one.
func (s *Sender[T]) SendAll(values iter.Seq[*T]) (n int, err error) {
	for v := range values {
		if err := s.Send(v); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// RecvBatch receives values as RecvInto does, as many as have come and as there is room for;
// only for the first it waits. It gives how many there are: at least one, or an error, which
// is io.EOF after the last one. Values that come before one that can't be decoded are given
// before its failure is.
func (r *Receiver[T]) RecvBatch(values []T) (n int, err error) {
	if len(values) == 0 {
		return 0, nil
	}
	if err := r.RecvInto(&values[0]); err != nil {
		return 0, err
	}
	for n = 1; n < len(values) && r.receive == nil; n++ {
		one, ok := r.stream.receiveNow()
		if !ok {
			break
		}
		if r.failure = r.takeWith(&values[n], one); r.failure != nil {
			break
		}
	}
	return n, nil
}
