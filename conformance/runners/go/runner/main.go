// Command runner answers conformance requests, a line each, with the Go code
// that `sdp gen` made. It knows no schema: ../build writes the table of types
// beside it. conformance/README.md describes the lines.
package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"

	"runner/gen/sdp"
)

// value is what generated code offers for every struct, message and union.
type value interface {
	MarshalBinary() ([]byte, error)
	MarshalJSON() ([]byte, error)
	UnmarshalJSON([]byte) error
	DecodeWith([]byte, sdp.DecodeOptions) error
	DecodePrefix([]byte, sdp.DecodeOptions) (int, error)
}

// entry is one type of a schema.
type entry struct {
	make                 func() value
	view                 func([]byte, sdp.DecodeOptions) error
	layout               string
	factor               int // what memory a byte may cost, as the generated comment says
	segments, cumulative func() []uint64
	used                 value // what `reuse` decodes into, again and again
}

// schema is one schema file.
type schema struct {
	types    map[string]*entry
	dispatch func([]byte, sdp.DecodeOptions) (sdp.Message, error)
	reader   func(io.Reader) *sdp.MessageReader
}

// request is one line, split.
type request struct {
	op      string
	schema  schema
	entry   *entry
	data    []byte
	options sdp.DecodeOptions
}

var operations = map[string]func(request) string{
	"decode": func(r request) string { return r.decode(r.entry.make()) },
	"alias": func(r request) string {
		r.options.AliasInput = true
		return r.decode(r.entry.make())
	},
	"exact": func(r request) string {
		r.options.Exact = true
		return r.decode(r.entry.make())
	},
	"reuse": func(r request) string {
		if r.entry.used == nil {
			r.entry.used = r.entry.make()
		}
		return r.decode(r.entry.used)
	},
	"view": func(r request) string {
		if err := r.entry.view(r.data, r.options); err != nil {
			return rejected(err)
		}
		return "accept"
	},
	"prefix": func(r request) string {
		v := r.entry.make()
		used, err := v.DecodePrefix(r.data, r.options)
		if err != nil {
			return rejected(err)
		}
		return accepted(v) + "\tused=" + strconv.Itoa(used)
	},
	"message": func(r request) string {
		v := r.entry.make().(sdp.Message)
		if err := v.UnmarshalMessageWith(r.data, r.options); err != nil {
			return rejected(err)
		}
		return r.schema.framed(v)
	},
	"dispatch": func(r request) string {
		v, err := r.schema.dispatch(r.data, r.options)
		if err != nil {
			return rejected(err)
		}
		return r.schema.framed(v)
	},
	"stream": request.stream,
	"json": func(r request) string {
		v := r.entry.make()
		if err := v.UnmarshalJSON(r.data); err != nil {
			return rejected(err)
		}
		return accepted(v)
	},
	"encode": func(r request) string {
		v := r.entry.make()
		if err := v.UnmarshalJSON(r.data); err != nil {
			return rejected(err)
		}
		return written(v.MarshalBinary())
	},
	"encode_message": func(r request) string {
		v := r.entry.make()
		if err := v.UnmarshalJSON(r.data); err != nil {
			return rejected(err)
		}
		return written(v.(sdp.Message).AppendMessage(nil))
	},
	"layout": func(r request) string { return "accept\tlayout=" + hex.EncodeToString([]byte(r.entry.layout)) },
	"fingerprints": func(r request) string {
		return "accept\tsegments=" + numbers(r.entry.segments()) + "\tcumulative=" + numbers(r.entry.cumulative())
	},
}

// decode decodes into v and returns the bytes that it allocated, and its bound.
func (r request) decode(v value) string {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := v.DecodeWith(r.data, r.options)
	runtime.ReadMemStats(&after)
	cost := fmt.Sprintf("\tallocated=%d\tfactor=%d", after.TotalAlloc-before.TotalAlloc, r.entry.factor)
	if err != nil {
		return rejected(err) + cost
	}
	return accepted(v) + cost
}

// stream reads until the clean end, or until a refusal comes for the second time.
func (r request) stream() string {
	reader := r.schema.reader(bytes.NewReader(r.data))
	reader.SetOptions(r.options)
	var answers []string
	for last := error(nil); ; {
		v, err := reader.Next()
		switch {
		case err == io.EOF:
			answers = append(answers, "end")
		case err != nil:
			answers = append(answers, rejected(err))
		default:
			answers = append(answers, r.schema.framed(v))
		}
		if err == io.EOF || err != nil && last != nil && !errors.Is(err, sdp.ErrTypeIDUnknown) {
			return fmt.Sprintf("stream\treads=%d\n%s", len(answers), strings.Join(answers, "\n"))
		}
		last = err
		if errors.Is(err, sdp.ErrTypeIDUnknown) {
			last = nil
		}
	}
}

func rejected(err error) string {
	var refusal *sdp.Error
	if !errors.As(err, &refusal) {
		return "error\tmessage=" + err.Error()
	}
	return fmt.Sprintf("reject\terror=%s\toffset=%d\tpath=%s", refusal.Kind, refusal.Offset, refusal.Path)
}

// accepted is the canonical JSON of v and its encoding, each with the refusal in
// its place where v has none.
func accepted(v value) string {
	text, err := v.MarshalJSON()
	answer := "accept" + part("json", string(text), err)
	data, err := v.MarshalBinary()
	return answer + part("bytes", hex.EncodeToString(data), err)
}

// framed is accepted for message mode, with the type's name.
func (s schema) framed(m sdp.Message) string {
	text, err := m.(value).MarshalJSON()
	answer := "accept" + part("json", string(text), err)
	data, err := m.AppendMessage(nil)
	answer += part("bytes", hex.EncodeToString(data), err)
	for name, e := range s.types {
		if fmt.Sprintf("%T", e.make()) == fmt.Sprintf("%T", m) {
			return answer + "\ttype=" + name
		}
	}
	return answer
}

func part(key, text string, err error) string {
	var refusal *sdp.Error
	if errors.As(err, &refusal) {
		return fmt.Sprintf("\t%s_refusal=%s %s", key, refusal.Kind, refusal.Path)
	}
	return "\t" + key + "=" + text
}

func written(data []byte, err error) string {
	if err != nil {
		return rejected(err)
	}
	return "accept\tbytes=" + hex.EncodeToString(data)
}

func numbers(list []uint64) string {
	texts := make([]string, len(list))
	for i, n := range list {
		texts[i] = fmt.Sprintf("%016x", n)
	}
	return strings.Join(texts, ",")
}

// parse splits a line: OP SCHEMA[.TYPE] [HEX] [LIMIT=NUMBER...].
func parse(line string) (r request, err error) {
	words := strings.Fields(line)
	if len(words) < 2 {
		return r, errors.New("a request is an operation, a type, and hexadecimal digits")
	}
	r.op = words[0]
	name, typeName, typed := strings.Cut(words[1], ".")
	var known bool
	if r.schema, known = schemas[name]; !known {
		return r, fmt.Errorf("no schema is called %q", name)
	}
	if r.entry = r.schema.types[typeName]; typed && r.entry == nil {
		return r, fmt.Errorf("no type of %s is called %q", name, typeName)
	}
	limits := map[string]*int{
		"message_bytes": &r.options.Limits.MessageBytes, "elements": &r.options.Limits.Elements,
		"depth": &r.options.Limits.Depth, "memory_bytes": &r.options.Limits.MemoryBytes,
	}
	for _, word := range words[2:] {
		key, number, isLimit := strings.Cut(word, "=")
		switch {
		case !isLimit:
			r.data, err = hex.DecodeString(strings.TrimPrefix(word, "-"))
		case limits[key] == nil:
			err = fmt.Errorf("no limit is called %q", key)
		default:
			*limits[key], err = strconv.Atoi(number)
		}
		if err != nil {
			return r, err
		}
	}
	return r, nil
}

func answer(line string) string {
	r, err := parse(line)
	if err != nil {
		return "error\tmessage=" + err.Error()
	}
	operation, ok := operations[r.op]
	if !ok {
		return fmt.Sprintf("error\tmessage=no operation is called %q", r.op)
	}
	if framed := r.op == "dispatch" || r.op == "stream"; framed != (r.entry == nil) || framed && r.schema.dispatch == nil {
		return "error\tmessage=dispatch and stream take a schema with type ids, the others SCHEMA.TYPE"
	}
	return operation(r)
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<16)
	for {
		line, err := in.ReadString('\n')
		if strings.TrimSpace(line) != "" {
			fmt.Println(answer(line))
		}
		if err != nil {
			return
		}
	}
}
