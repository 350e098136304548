package tap

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/talk"
)

// record is AppendJSON's object of a record.
type record struct {
	At         time.Time `json:"at"`
	Connection uint32    `json:"connection"`
	Event      string    `json:"event"`
	Direction  string    `json:"direction,omitempty"`
	Listen     string    `json:"listen,omitempty"`
	Target     string    `json:"target,omitempty"`
	Bytes      []byte    `json:"bytes,omitempty"`
	Why        string    `json:"why,omitempty"`
	*frameRecord
}

// frameRecord is its object of a frame. A number of 64 bits is a string, as in the JSON of values.
type frameRecord struct {
	Type         string   `json:"type"`
	Flags        []string `json:"flags"`
	ID           uint64   `json:"id,string"`
	Trace        string   `json:"trace"`
	PayloadBytes int      `json:"payload_bytes"`
	Trailer      Trailer  `json:"trailer"`
	Method       string   `json:"method,omitempty"`
	Payload      []part   `json:"payload"`
}

// part is a section of a payload.
type part struct {
	Type    string          `json:"type,omitempty"`
	Value   json.RawMessage `json:"value,omitempty"`
	Bytes   []byte          `json:"bytes,omitempty"`
	Refused string          `json:"refused,omitempty"`
}

// eventNames and directionNames are the words of JSON.
var (
	eventNames     = [...]string{Opened: "opened", Passed: "frame", Unread: "unread", Ended: "ended"}
	directionNames = [...]string{ToServer: "to_server", ToClient: "to_client"}
)

// AppendJSON appends a record as an object of JSON in a line, with a watcher's view of it: its
// frame, nil if it has none, or the reason why that can't be read.
func AppendJSON(buffer []byte, r *Record, f *Frame, refusal error) []byte {
	line := record{At: r.At.UTC(), Connection: r.Connection, Event: eventNames[r.Kind], Listen: r.Listen, Target: r.Target, Why: r.Why}
	if r.Kind != Opened {
		line.Direction = directionNames[r.Direction]
	}
	if r.Kind == Unread {
		line.Bytes = r.Bytes
	}
	if f != nil {
		line.frameRecord = f.told()
	}
	if refusal != nil {
		line.Why = refusal.Error()
	}
	text, err := json.Marshal(line)
	if err != nil {
		panic("tap: " + err.Error()) // a value's JSON was checked when it was written
	}
	return append(append(buffer, text...), '\n')
}

func (f *Frame) told() *frameRecord {
	t := &frameRecord{
		Type: f.Type.String(), Flags: f.FlagNames(), ID: f.MessageID, Trace: fmt.Sprintf("%016x", f.TraceID),
		PayloadBytes: len(f.Payload), Trailer: f.Trailer, Method: f.Method, Payload: []part{},
	}
	for _, section := range f.Sections {
		if section.Codec != nil || section.From < section.To || isBatch[f.Type] {
			t.Payload = append(t.Payload, f.part(section))
		}
	}
	return t
}

func (f *Frame) part(section Section) part {
	value := f.Payload[section.From:section.To]
	if section.Codec == nil {
		return part{Bytes: value, Refused: section.Refused}
	}
	d := section.Codec.Decl()
	line, err := talk.Line(section.Codec, value)
	if err != nil {
		return part{Type: ir.FullName(d), Bytes: value, Refused: err.Error()}
	}
	return part{Type: ir.FullName(d), Value: json.RawMessage(line)}
}
