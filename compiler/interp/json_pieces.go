package interp

import (
	"io"
	"slices"
)

// piece is a part of an object's encoding, a field or a map's entry, in the
// order of the text.
type piece struct {
	start, end int64
	place      int            // of a field: where it belongs
	key        []byte         // of an entry: its bytes, by which entries are ordered
	refused    *encodeRefusal // the first within
}

// pieces collects the parts of one object. As long as they come in the order of
// the wire nothing has to be moved.
type pieces struct {
	reading *jsonReader
	base    int64
	before  *encodeRefusal // what was refused before the object
	list    []piece
}

func (j *jsonReader) pieces() *pieces {
	return &pieces{reading: j, base: j.out.Len(), before: j.refused}
}

// add writes a part and remembers where it is.
func (p *pieces) add(output piece, write func() error) error {
	j := p.reading
	output.start, j.refused = j.out.Len(), nil
	if err := write(); err != nil {
		return err
	}
	output.end, output.refused = j.out.Len(), j.refused
	p.list = append(p.list, output)
	return nil
}

// arrange brings the parts into order, calls placed with each one's place, and
// leaves the first refusal in that order.
func (p *pieces) arrange(order func(a, b piece) int, placed func(i int, refusal *encodeRefusal)) error {
	j := p.reading
	j.refused = p.before
	moved := !slices.IsSortedFunc(p.list, order)
	if moved {
		slices.SortFunc(p.list, order)
	}
	for i, part := range p.list {
		if part.refused != nil {
			placed(i, part.refused)
			j.cannotEncode(part.refused)
		}
	}
	if !moved {
		return nil
	}
	return p.rewrite()
}

// rewrite copies the parts to another spool in their order, and back.
func (p *pieces) rewrite() error {
	out := p.reading.out
	var sorted Spool
	defer sorted.Close()
	for _, part := range p.list {
		if _, err := io.Copy(&sorted, io.NewSectionReader(out, part.start, part.end-part.start)); err != nil {
			return err
		}
	}
	out.Truncate(p.base)
	_, err := io.Copy(out, sorted.Reader())
	return err
}
