package engine

import "github.com/serial-data-protocol/sdp/mxp/go/session"

// Parcel is the values of one frame that nobody has taken. Their memory is one, and counts
// until the last of them is taken [MXP-17.8].
type Parcel struct {
	data   []byte // the value, or the records of a batch
	buffer []byte // that it lies in, if others can use that
	counts int32  // how many bytes less are held once all were taken
	left   int32  // values
	at     int32  // where the first of these lies
	ack    uint64 // the number of the last chunk, where that asks for an Ack; else 0
	batch  bool
}

// Single is a parcel of one value.
func Single(value []byte) Parcel { return Parcel{data: value, left: 1} }

// Records is a parcel of a batch of so many values.
func Records(data, buffer []byte, values int) Parcel {
	return Parcel{data: data, buffer: buffer, left: int32(values), batch: true}
}

// Len is how many values are left.
func (p *Parcel) Len() int { return int(p.left) }

// IsBatch reports whether the memory of a value is that of others, too.
func (p *Parcel) IsBatch() bool { return p.batch }

// Take gives the first value.
func (p *Parcel) Take() []byte {
	if p.left--; !p.batch {
		return p.data
	}
	value, rest := session.CutRecord(p.data[p.at:])
	p.at = int32(len(p.data) - len(rest))
	return value
}

// Buffer is the memory that others can use once all was taken; nil if they can't.
func (p *Parcel) Buffer() []byte { return p.buffer }

// Chunk is one of a stream that was taken.
type Chunk struct {
	Value  []byte
	Buffer []byte // that others can use once nothing refers to the value; nil if they can't
	Shared bool   // its memory is that of other chunks, too
}

// Inbox is the chunks of a stream that its reader has not opened.
type Inbox struct {
	parcels []Parcel
	lent    int // what that is counted as which the reader has opened
	held    int // what all that nobody has taken is counted as
}

// inboxKept is for how many parcels a stream has memory of which none has come.
const inboxKept = 16

// isEmpty reports whether all was taken.
func (b *Inbox) isEmpty() bool { return len(b.parcels) == 0 && b.lent == 0 }

// open gives the parcel that has come first.
func (b *Inbox) open() Parcel {
	first := b.parcels[0]
	b.lent = int(first.counts)
	b.parcels[0] = Parcel{}
	switch {
	case len(b.parcels) > 1:
		b.parcels = b.parcels[1:]
	case cap(b.parcels) > inboxKept:
		b.parcels = nil
	default:
		b.parcels = b.parcels[:0]
	}
	return first
}

// Reader is the state of a stream's reader: the chunks that it has opened, and how much it has
// taken. It is the reader's own, who uses it without the connection.
type Reader struct {
	open     Parcel
	messages int // taken since the last grant
	bytes    int
}

// Next gives the next of the opened chunks, unless it is the last of them. Its memory is that of
// others.
func (r *Reader) Next() (value []byte, ok bool) {
	if r.open.left <= 1 {
		return nil, false
	}
	return r.take(), true
}

func (r *Reader) take() []byte {
	value := r.open.Take()
	r.messages++
	r.bytes += len(value)
	return value
}
