package peer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
	"github.com/serial-data-protocol/sdp/spec"
)

// codecs are the codecs of the content of the protocol's own frames.
var codecs = sync.OnceValue(func() map[string]*interp.Codec {
	made := map[string]*interp.Codec{}
	for name, text := range map[string]string{"mxp.sdp": spec.MXP, "registry.sdp": spec.Registry} {
		found, problems := check.Program(check.Memory{name: text}, []string{name}, func(*syntax.File) string { return "" })
		if found == nil {
			panic("peer: " + name + ": " + problems.Sorted()[0].Message) // each run reads both
		}
		program := plan.New(found)
		for _, d := range found.Roots[0].Decls {
			if codec, err := interp.New(program, d); err == nil {
				made[d.DeclName()] = codec
			}
		}
	}
	return made
})

// encoded are the bytes of each type and JSON that were asked for: most cases ask for the same.
var encoded sync.Map

// encode makes the bytes of a type of the protocol's own from what its JSON has.
func encode(name string, value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	key := name + string(text)
	if made, is := encoded.Load(key); is {
		return slices.Clone(made.([]byte))
	}
	made, err := codecs()[name].ParseJSON(text, interp.ByteMode)
	if err != nil {
		panic(fmt.Sprintf("peer: %s of %s: %v", name, text, err))
	}
	encoded.Store(key, slices.Clone(made))
	return made
}

// decode reads a type of the protocol's own, and gives the rest.
func decode(name string, from []byte, into any) (rest []byte) {
	codec := codecs()[name]
	_, n, err := codec.DecodePrefix(from, interp.Options{Prefix: true})
	if err != nil {
		fail("its payload is no %s: %v", name, err)
	}
	var text bytes.Buffer
	if err := codec.WriteJSON(&text, interp.FromBytes(from[:n]), interp.Options{}); err != nil {
		fail("its payload is no %s: %v", name, err)
	}
	if err := json.Unmarshal(text.Bytes(), into); err != nil {
		panic(fmt.Sprintf("peer: %s as %s: %v", name, text.Bytes(), err))
	}
	return from[n:]
}

// whole decodes a payload that has nothing else.
func whole(name string, from []byte, into any) {
	if rest := decode(name, from, into); len(rest) > 0 {
		fail("%d bytes follow its %s", len(rest), name)
	}
}

// object is a value in JSON.
type object map[string]any

// Hello is a peer's Hello.
type Hello struct {
	Version      uint16 `json:"version"`
	PayloadBytes uint32 `json:"payload_bytes"`
	Offers       uint32 `json:"offers"`
	Services     []struct {
		Name string `json:"name"`
	} `json:"services"`
}

// Failure is why an exchange or a session ended.
type Failure struct {
	Status  string `json:"status"`
	Refused bool   `json:"refused"`
	Name    string `json:"name"`
	Text    string `json:"text"`
}

// head is what requests begin with.
func head(service, method uint16, more object) object {
	made := object{"service": service, "method": method, "deadline": "0", "metadata": []object{}}
	for name, value := range more {
		made[name] = value
	}
	return made
}

// callStart is the start of a Call or an Event.
func callStart(service, method uint16, more object) []byte {
	return encode("CallStart", object{"head": head(service, method, more)})
}

// streamStart is the start of a StreamOpen whose sender grants so much.
func streamStart(service, method uint16, messages uint32, bytes uint64, more object) []byte {
	return encode("StreamStart", object{"head": head(service, method, more), "grant": grantOf(messages, bytes)})
}

func grantOf(messages uint32, bytes uint64) object {
	return object{"messages": messages, "bytes": fmt.Sprint(bytes)}
}

func grant(messages uint32, bytes uint64) []byte { return encode("Grant", grantOf(messages, bytes)) }

func responseStart() []byte {
	return encode("ResponseStart", object{"head": object{"metadata": []object{}}})
}

func failure(status, name, text string, refused bool) []byte {
	return encode("Failure", object{"status": status, "refused": refused, "name": name, "text": text, "details": ""})
}

func farewell(reason string) []byte { return encode("Farewell", object{"reason": reason}) }

func taken(chunk uint64) []byte { return encode("Taken", object{"chunk": fmt.Sprint(chunk)}) }
