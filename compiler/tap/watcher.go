package tap

import (
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/talk"
	"github.com/serial-data-protocol/sdp/mxp/go/frame"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Watcher follows connections, so that it can say what their frames mean. It is
// not safe for use by several goroutines.
type Watcher struct {
	catalog *talk.Catalog // nil without a schema
	conns   map[uint32]*conversation
}

// NewWatcher makes a watcher that names methods by a catalog; nil is none.
func NewWatcher(catalog *talk.Catalog) *Watcher {
	return &Watcher{catalog: catalog, conns: map[uint32]*conversation{}}
}

// conversation is the known state of a connection.
type conversation struct {
	sides [2]side // by the direction in which they send
	open  map[uint64]*exchange
	ended int // directions
}

// side is the content of a side's Hello.
type side struct {
	greeted  bool
	services []string
	offers   bool // that trailers may be 0
}

// exchange is a request and what belongs to it.
type exchange struct {
	from     Direction
	kind     frame.Type // of the frame that began it
	method   *talk.Method
	name     string
	finished [2]bool // directions of a stream
}

// exchangesMax is how many exchanges of a connection are followed. Frames of
// others are shown without their method.
const exchangesMax = 64 << 10

// See returns the meaning of a record's frame; nil if it has none. Records come in the order in
// which they happened.
func (w *Watcher) See(r *Record) (*Frame, error) {
	c := w.conns[r.Connection]
	if c == nil {
		c = &conversation{open: map[uint64]*exchange{}}
		w.conns[r.Connection] = c
	}
	switch r.Kind {
	case Ended:
		if c.ended++; c.ended == 2 {
			delete(w.conns, r.Connection)
		}
		return nil, nil
	case Opened, Unread:
		return nil, nil
	}
	f, err := open(r.Bytes, c.sides[ToServer].offers && c.sides[ToClient].offers)
	if err != nil {
		return nil, err
	}
	c.follow(w.catalog, f, r.Direction)
	return f, nil
}

// follow finds out what a frame means [MXP-5.3].
func (c *conversation) follow(catalog *talk.Catalog, f *Frame, d Direction) {
	switch f.Type {
	case frame.Hello:
		c.hello(f, d)
	case frame.Call, frame.Event, frame.Events, frame.StreamOpen:
		c.request(catalog, f, d)
	case frame.AgentRegister, frame.AgentHeartbeat, frame.AgentDiscover:
		c.begin(f.MessageID, &exchange{from: d, kind: f.Type})
		f.whole(codecOf(f))
	case frame.Response:
		c.response(f)
	case frame.StreamChunk, frame.StreamChunks:
		c.chunk(f, d)
	case frame.StreamClose:
		c.named(f)
		c.finish(f.MessageID, d)
		f.whole(nil)
	case frame.Cancel, frame.Error:
		c.named(f)
		delete(c.open, f.MessageID)
		f.whole(codecOf(f))
	case frame.Ack:
		if e := c.named(f); e != nil && e.kind == frame.Event {
			delete(c.open, f.MessageID)
		}
		f.whole(codecOf(f))
	case frame.Credit, frame.Drain:
		c.named(f)
		f.whole(codecOf(f))
	default: // Ping and Pong carry what nobody looks at
		f.whole(nil)
	}
}

// codecOf is the codec of the first value of a frame's payload; nil where nobody looks at it.
func codecOf(f *Frame) *interp.Codec {
	if types := payloads[f.Type]; len(types) > 0 {
		return own(types[0])
	}
	return nil
}

// whole makes the payload one section; that of a Cancel, say, is not looked at.
func (f *Frame) whole(codec *interp.Codec) {
	f.Sections = []Section{{To: len(f.Payload), Codec: codec}}
}

// values are the rest of the payload: the value, or the values of a batch [MXP-17.3]. A payload
// that is no batch is one section.
func (f *Frame) values(start int, codec *interp.Codec) (list []Section) {
	end := len(f.Payload)
	if !isBatch[f.Type] {
		return []Section{{From: start, To: end, Codec: codec}}
	}
	for at := start; at < end || list == nil; {
		if end-at < 2 {
			return []Section{{From: start, To: end, Refused: fmt.Sprintf("truncated at byte %d", at)}}
		}
		one := Section{From: at + 2, To: at + 2 + int(binary.LittleEndian.Uint16(f.Payload[at:])), Codec: codec}
		if one.To > end {
			return []Section{{From: start, To: end, Refused: fmt.Sprintf("length_exceeds_input at byte %d", at)}}
		}
		list, at = append(list, one), one.To
	}
	return list
}

// begin remembers an exchange.
func (c *conversation) begin(id uint64, e *exchange) {
	if len(c.open) < exchangesMax {
		c.open[id] = e
	}
}

// named gives a frame the method of its exchange.
func (c *conversation) named(f *Frame) *exchange {
	e := c.open[f.MessageID]
	if e != nil {
		f.Method = e.name
	}
	return e
}

// finish ends a direction of a stream.
func (c *conversation) finish(id uint64, d Direction) {
	if e := c.open[id]; e != nil {
		e.finished[d] = true
		if e.finished[d.back()] {
			delete(c.open, id)
		}
	}
}

// hello takes a side's first Hello, and its Layouts [MXP-6.5].
func (c *conversation) hello(f *Frame, d Direction) {
	if c.sides[d].greeted {
		f.whole(own(payloads[f.Type][1]))
		return
	}
	codec := codecOf(f)
	f.whole(codec)
	var hello hello
	if _, err := understand(codec, f.Payload, false, &hello); err != nil {
		return
	}
	c.sides[d] = side{greeted: true, offers: hello.Offers&1 == 1}
	for _, service := range hello.Services {
		c.sides[d].services = append(c.sides[d].services, service.Name)
	}
	f.Sections[0].Head, f.Notes = true, hello.notes()
}

// hello is the content of a first Hello.
type hello struct {
	Version      uint16 `json:"version"`
	PayloadBytes uint32 `json:"payload_bytes"`
	Offers       uint32 `json:"offers"`
	Services     []struct {
		Name string `json:"name"`
	} `json:"services"`
	Types []struct{} `json:"types"`
}

// notes are what matters of a Hello to people.
func (h *hello) notes() string {
	text := fmt.Sprintf("version %d, payloads up to %d bytes", h.Version, h.PayloadBytes)
	if h.Offers&1 == 1 {
		text += ", trailers may be 0"
	}
	if h.Offers&2 == 2 {
		text += ", takes batches"
	}
	for i, service := range h.Services {
		if i == 0 {
			text += ", serves "
		} else {
			text += " "
		}
		text += talk.Printable(service.Name)
	}
	return text + fmt.Sprintf(", %d types", len(h.Types))
}

// request takes the start of an exchange.
func (c *conversation) request(catalog *talk.Catalog, f *Frame, d Direction) {
	codec := codecOf(f)
	var head struct {
		Head callHead `json:"head"`
	}
	n, err := understand(codec, f.Payload, true, &head)
	if err != nil {
		f.whole(codec)
		return
	}
	e := &exchange{from: d, kind: f.Type}
	e.name, e.method = c.methodOf(catalog, d, &head.Head)
	f.Method, f.Notes = e.name, head.Head.notes()
	var values *interp.Codec
	if e.method != nil && !(f.Type == frame.StreamOpen && e.method.RequestFlows) {
		values = e.method.Request
	}
	f.Sections = append([]Section{{To: n, Codec: codec, Head: true}}, f.values(n, values)...)
	e.finished[d] = f.Flags&frame.Final != 0
	if f.Type != frame.Events && (f.Type != frame.Event || f.Flags&frame.RequiresAck != 0) {
		c.begin(f.MessageID, e)
	}
}

// methodOf names the method of a request: its service is a position in the Hello
// of the side that it goes to [MXP-7.3].
func (c *conversation) methodOf(catalog *talk.Catalog, d Direction, head *callHead) (string, *talk.Method) {
	services := c.sides[d.back()].services
	if int(head.Service) >= len(services) {
		return fmt.Sprintf("service %d/%d", head.Service, head.Method), nil
	}
	service := services[head.Service]
	if catalog != nil {
		if m := catalog.Numbered(service, head.Method); m != nil {
			return m.FullName(), m
		}
	}
	return fmt.Sprintf("%s/%d", talk.Printable(service), head.Method), nil
}

// response takes the answer of a call, or of what agents ask.
func (c *conversation) response(f *Frame) {
	codec := codecOf(f)
	var head struct {
		Head struct {
			Metadata []metadatum `json:"metadata"`
		} `json:"head"`
	}
	e := c.named(f)
	delete(c.open, f.MessageID)
	n, err := understand(codec, f.Payload, true, &head)
	if err != nil {
		f.whole(codec)
		return
	}
	f.Notes = metadataText(head.Head.Metadata)
	value := Section{From: n, To: len(f.Payload)}
	switch {
	case e == nil:
	case e.kind == frame.AgentDiscover:
		value.Codec = own("Agents")
	case e.kind == frame.AgentRegister || e.kind == frame.AgentHeartbeat:
		value.Codec = own("Lease")
	case e.method != nil:
		value.Codec = e.method.Response
	}
	f.Sections = []Section{{To: n, Codec: codec, Head: true}, value}
}

// chunk takes a request or a response of a stream.
func (c *conversation) chunk(f *Frame, d Direction) {
	var codec *interp.Codec
	if e := c.named(f); e != nil && e.method != nil {
		codec = e.method.Response
		if d == e.from {
			codec = e.method.Request
		}
	}
	f.Sections = f.values(0, codec)
	if f.Flags&frame.Final != 0 {
		c.finish(f.MessageID, d)
	}
}

// callHead is the content of a request's head.
type callHead struct {
	Service  uint16 `json:"service"`
	Method   uint16 `json:"method"`
	Deadline uint64 `json:"deadline,string"`
	Trace    *struct {
		ID     [16]uint8 `json:"id"`
		Parent uint64    `json:"parent,string"`
		Flags  uint8     `json:"flags"`
	} `json:"trace"`
	Metadata []metadatum `json:"metadata"`
}

type metadatum struct {
	Key   string `json:"key"`
	Value []byte `json:"value"`
}

// notes are the deadline, the trace and the metadata.
func (h *callHead) notes() string {
	var notes []string
	if h.Deadline > 0 && h.Deadline < 1<<50 {
		notes = append(notes, "deadline "+(time.Duration(h.Deadline)*time.Microsecond).String())
	}
	if h.Trace != nil {
		notes = append(notes, fmt.Sprintf("trace %x-%016x-%02x", h.Trace.ID[:], h.Trace.Parent, h.Trace.Flags))
	}
	if text := metadataText(h.Metadata); text != "" {
		notes = append(notes, text)
	}
	return strings.Join(notes, "  ")
}

func metadataText(metadata []metadatum) string {
	var all []session.Metadatum
	for _, m := range metadata {
		all = append(all, session.Metadatum{Key: m.Key, Value: m.Value})
	}
	return strings.TrimPrefix(talk.Metadata(all), "  ")
}
