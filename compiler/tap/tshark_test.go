//go:build wireshark

package tap

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	spelling "github.com/serial-data-protocol/sdp/compiler/names"
	"github.com/serial-data-protocol/sdp/mxp/go/frame"
)

// tshark shows a file of packets as JSON, by the dissector.
func tshark(t *testing.T, packets []byte, options ...string) []packet {
	t.Helper()
	file := filepath.Join(t.TempDir(), "packets.pcap")
	if err := os.WriteFile(file, packets, 0o600); err != nil {
		t.Fatal(err)
	}
	dissector, err := filepath.Abs("../../mxp/wireshark/mxp.lua")
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command("tshark", append([]string{"-r", file, "-X", "lua_script:" + dissector, "-T", "json", "--no-duplicate-keys"}, options...)...)
	var errs bytes.Buffer
	command.Stderr = &errs
	out, err := command.Output()
	if err != nil {
		t.Fatalf("tshark: %v\n%s", err, &errs)
	}
	if text := string(out) + errs.String(); strings.Contains(text, "Lua Error") || strings.Contains(text, "lua_script") {
		at := max(strings.Index(text, "Lua Error"), strings.Index(text, "lua_script"))
		t.Fatalf("the dissector fails: %.400s", text[at:])
	}
	var all []packet
	if err := json.Unmarshal(out, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// packet is what tshark says of one.
type packet struct {
	Source struct {
		Layers struct {
			TCP struct {
				Stream string `json:"tcp.stream"`
				Port   string `json:"tcp.srcport"`
			}
			MXP json.RawMessage
		}
	} `json:"_source"`
}

// fields are what is said of a frame: by their names without "mxp.", values in order.
type fields map[string][]string

func (f fields) String() string {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(f)) {
		fmt.Fprintf(&text, "%s=%q ", name, f[name])
	}
	return text.String()
}

// place is a direction of a connection.
type place struct {
	connection string
	direction  Direction
}

// seenBy collects the frames of each direction, and its refused ones, as tshark shows them.
func seenBy(t *testing.T, all []packet) map[place][]fields {
	t.Helper()
	seen := map[place][]fields{}
	for _, p := range all {
		layers := p.Source.Layers
		if layers.MXP == nil {
			continue
		}
		at := place{layers.TCP.Stream, ToServer}
		if layers.TCP.Port == fmt.Sprint(serverPort) {
			at.direction = ToClient
		}
		var several []json.RawMessage
		if layers.MXP[0] != '[' {
			several = []json.RawMessage{layers.MXP}
		} else if err := json.Unmarshal(layers.MXP, &several); err != nil {
			t.Fatal(err)
		}
		for _, one := range several {
			var tree map[string]any
			if err := json.Unmarshal(one, &tree); err != nil {
				continue // a part of a frame that is put together later is a text
			}
			found := fields{}
			shown(tree, found)
			seen[at] = append(seen[at], found)
		}
	}
	return seen
}

// shown adds the leaves of tshark's tree.
func shown(tree map[string]any, to fields) {
	for name, value := range tree {
		if all, is := value.([]any); is {
			for _, one := range all {
				shown(map[string]any{name: one}, to)
			}
		}
		switch value := value.(type) {
		case map[string]any:
			if name != "_ws.expert" {
				shown(value, to)
			}
		case string:
			if leaf, is := strings.CutPrefix(name, "mxp."); is {
				to[leaf] = append(to[leaf], value)
			}
		}
	}
}

// toldBy collects the same of what sdp tap --json says of records.
func toldBy(t *testing.T, records []Record) map[place][]fields {
	t.Helper()
	told, watcher := map[place][]fields{}, NewWatcher(nil)
	for _, r := range records {
		f, err := watcher.See(&r)
		var line struct {
			Event, Direction, Why, Type, ID, Trace, Method string
			Flags                                          []string
			PayloadBytes                                   int `json:"payload_bytes"`
			Payload                                        []struct {
				Type, Refused string
				Value         map[string]any
				Bytes         []byte
			}
		}
		decoder := json.NewDecoder(bytes.NewReader(AppendJSON(nil, &r, f, err)))
		decoder.UseNumber()
		if err := decoder.Decode(&line); err != nil {
			t.Fatal(err)
		}
		at := place{fmt.Sprint(r.Connection - 1), r.Direction} // tshark counts from 0
		if line.Event != "frame" {
			continue
		}
		want := fields{
			"type": {fmt.Sprintf("0x%02x", r.Bytes[4])}, "flags": {fmt.Sprintf("0x%02x", r.Bytes[5])}, "id": {line.ID}, "trace": {"0x" + line.Trace},
			"length": {fmt.Sprint(line.PayloadBytes)}, "trailer": {"0x" + hex.EncodeToString(backwards(r.Bytes[len(r.Bytes)-frame.TrailerSize:]))},
		}
		for _, name := range flagNames {
			want["flags."+name] = []string{bit(slices.Contains(line.Flags, name))}
		}
		if line.Method != "" {
			method, _, _ := strings.Cut(line.Method, "\x00")
			want["method"] = []string{method}
		}
		for _, part := range line.Payload {
			switch {
			case part.Refused != "":
				want["refused"] = []string{part.Refused}
			case part.Type != "":
				name := part.Type[strings.LastIndex(part.Type, ".")+1:]
				leaves(want, own(name).Decl(), part.Value)
			case len(line.Payload) > 1 || slices.Contains(valuesAlone, line.Type):
				if text := colons(part.Bytes); text != "" { // tshark has no field without bytes
					want["value"] = append(want["value"], text)
				}
			}
		}
		told[at] = append(told[at], want)
	}
	return told
}

// valuesAlone are the types of frames whose payloads may have users' values and nothing else.
var valuesAlone = []string{"StreamChunk", "StreamChunks", "Response"}

func backwards(b []byte) []byte {
	b = slices.Clone(b)
	slices.Reverse(b)
	return b
}

func bit(is bool) string {
	if is {
		return "1"
	}
	return "0"
}

func colons(b []byte) string {
	var parts []string
	for _, one := range b {
		parts = append(parts, fmt.Sprintf("%02x", one))
	}
	return strings.Join(parts, ":")
}

// leaves adds the fields of a value of the protocol's own.
func leaves(to fields, d ir.Decl, value map[string]any) {
	var all []*ir.Field
	switch d := d.(type) {
	case *ir.Struct:
		all = d.Fields
	case *ir.Message:
		all = d.Fields
	}
	for _, field := range all {
		if of, has := value[field.Name]; has {
			leaf(to, spelling.Snake(spelling.Words(d.DeclName()))+"."+field.Name, field.Type, of)
		}
	}
}

func leaf(to fields, name string, of *ir.Type, value any) {
	text := ""
	switch value := value.(type) {
	case nil:
		return
	case map[string]any:
		for of.Kind == ir.OptionalKind || of.Kind == ir.ListKind {
			of = of.Elem
		}
		leaves(to, of.Decl, value)
		return
	case []any:
		if of.Kind != ir.ArrayKind {
			for _, one := range value {
				leaf(to, name, of.Elem, one)
			}
			return
		}
		var raw []byte
		for _, one := range value {
			n, _ := one.(json.Number).Int64()
			raw = append(raw, byte(n))
		}
		text = colons(raw)
	case bool:
		text = bit(value)
	case json.Number:
		text = value.String()
	case string:
		text = value
		switch of.Kind {
		case ir.EnumKind:
			for _, m := range of.Enum().Members {
				if m.Name == value {
					text = fmt.Sprint(m.Number)
				}
			}
		case ir.BytesKind, ir.ArrayKind:
			raw, _ := base64.StdEncoding.DecodeString(value)
			if text = colons(raw); text == "" {
				return // tshark has no field without bytes
			}
		}
	}
	text, _, _ = strings.Cut(text, "\x00") // what tshark shows of a text ends there
	to[name] = append(to[name], text)
}

// same compares tshark's output with the tap's, frame by frame. Of a payload that is refused it
// compares the header alone.
func same(t *testing.T, seen, told map[place][]fields) (frames int) {
	t.Helper()
	for at, want := range told {
		got := slices.DeleteFunc(slices.Clone(seen[at]), func(f fields) bool { return f["refused"] != nil })
		if len(got) != len(want) {
			t.Errorf("%v: tshark shows %d frames, and the tap %d", at, len(got), len(want))
			continue
		}
		frames += len(want)
		for i := range want {
			if want[i]["refused"] != nil {
				isOfPayload := func(name string, _ []string) bool {
					return strings.Contains(name, ".") || name == "value" || name == "refused"
				}
				maps.DeleteFunc(want[i], isOfPayload)
				maps.DeleteFunc(got[i], isOfPayload)
			}
			if got, want := got[i].String(), want[i].String(); got != want {
				t.Fatalf("%v, frame %d: tshark shows\n%s\nand the tap\n%s", at, i, got, want)
			}
		}
	}
	return frames
}
