// Command go answers the harness about frames and sessions with the Go library. The lines
// that it speaks are described in conformance/README.md. With the argument network it is a
// server or a client of the simulation of sockets.
package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/serial-data-protocol/sdp/mxp/go/frame"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "network" {
		runNetwork()
	}
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	var held holder
	for {
		line, err := in.ReadString('\n')
		if err == io.EOF {
			return
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Fprintln(out, held.answer(strings.Fields(line)))
		if err := out.Flush(); err != nil {
			os.Exit(1)
		}
	}
}

// request is a line.
type request struct {
	data    []byte
	options frame.Options
	prefix  bool
	cuts    []int
	frame   frame.Frame
}

// holder has what lines speak of that came before.
type holder struct {
	endpoint endpoint
	hub      hub
}

func (h *holder) answer(words []string) string {
	switch {
	case len(words) == 0:
		return "error\tan empty line"
	case len(words) > 1 && words[0] == "session":
		return h.endpoint.answer(words[1], wordsOf(words[2:]))
	case len(words) > 1 && words[0] == "directory":
		return h.hub.answer(words[1], wordsOf(words[2:]))
	}
	r, err := parse(words[1:])
	if err != nil {
		return "error\t" + err.Error()
	}
	switch words[0] {
	case "frame":
		return r.decode()
	case "frames":
		return r.read()
	case "write":
		return r.write()
	}
	return "error\tno operation " + words[0]
}

func parse(words []string) (r request, err error) {
	for _, word := range words {
		key, value, named := strings.Cut(word, "=")
		if !named {
			key, value = "data", word
		}
		switch key {
		case "data", "payload":
			var bytes []byte
			if value != "-" {
				bytes, err = hex.DecodeString(value)
			}
			if key == "data" {
				r.data = bytes
			} else {
				r.frame.Payload = bytes
			}
		case "limit":
			r.options.Limit, err = strconv.Atoi(value)
		case "checksum":
			if value == "off" {
				r.options.Checksum = frame.ChecksumOff
			}
		case "prefix":
			r.prefix = value == "yes"
		case "cuts":
			for _, one := range strings.Split(value, ",") {
				var cut int
				if cut, err = strconv.Atoi(one); err == nil {
					r.cuts = append(r.cuts, cut)
				}
			}
		default:
			err = r.number(key, value)
		}
		if err != nil {
			return r, fmt.Errorf("%s: %w", word, err)
		}
	}
	return r, nil
}

// number reads a field of the frame that is to be written.
func (r *request) number(key, value string) error {
	n, err := strconv.ParseUint(value, 10, 64)
	if err != nil {
		return err
	}
	switch key {
	case "type":
		r.frame.Type = frame.Type(n)
	case "flags":
		r.frame.Flags = frame.Flags(n)
	case "id":
		r.frame.MessageID = n
	case "trace":
		r.frame.TraceID = n
	default:
		return errors.New("no such word")
	}
	return nil
}

func (r request) decode() string {
	if !r.prefix {
		f, err := frame.Decode(r.data, r.options)
		return r.accepted(f, len(r.data), err)
	}
	f, n, err := frame.DecodePrefix(r.data, r.options)
	return r.accepted(f, n, err)
}

// accepted shows a frame, with its encoding.
func (r request) accepted(f frame.Frame, used int, err error) string {
	if err != nil {
		return rejected(err)
	}
	return fmt.Sprintf("%s\tused=%d", r.shown(f), used)
}

func (r request) shown(f frame.Frame) string {
	again, err := r.everyWay(f)
	if err != nil {
		return "error\t" + err.Error()
	}
	return fmt.Sprintf("accept\ttype=%d\tflags=%d\tid=%d\ttrace=%d\tpayload=%x\tbytes=%x", uint8(f.Type), f.Flags, f.MessageID, f.TraceID, f.Payload, again)
}

// read hands the pieces to a reader.
func (r request) read() string {
	reader := frame.NewReader(r.options)
	var lines []string
	ended := func(err error) string {
		if err != nil {
			lines = append(lines, rejected(err))
		} else {
			lines = append(lines, "end")
		}
		return fmt.Sprintf("stream\treads=%d\n%s", len(lines), strings.Join(lines, "\n"))
	}
	at := 0
	for _, cut := range append(r.cuts, len(r.data)) {
		if cut < at || cut > len(r.data) {
			return "error\tno such cut"
		}
		piece := bytes.Clone(r.data[at:cut]) // a reader that looks beyond its piece would be found
		at = cut
		for {
			f, ok, err := reader.Next(&piece)
			if err != nil {
				return ended(err)
			}
			if !ok {
				break
			}
			lines = append(lines, r.shown(f))
		}
	}
	return ended(reader.End())
}

func (r request) write() string {
	all, err := r.everyWay(r.frame)
	var refusal *frame.Refusal
	switch {
	case err == nil:
		return fmt.Sprintf("accept\tbytes=%x", all)
	case errors.As(err, &refusal):
		return rejected(err)
	}
	return "error\t" + err.Error()
}

// everyWay encodes a frame in all ways, which have to agree.
func (r request) everyWay(f frame.Frame) ([]byte, error) {
	checksum := r.options.Checksum
	all, err := f.Append(nil, checksum)
	buffer := make([]byte, f.Size())
	if _, other := f.Encode(buffer, checksum); !agree(err, other) || err == nil && !bytes.Equal(buffer, all) {
		return nil, fmt.Errorf("by Encode: %v, by Append: %v", other, err)
	}
	for _, pieces := range [][][]byte{{f.Payload}, {f.Payload[:len(f.Payload)/3], f.Payload[len(f.Payload)/3:], nil}} {
		var e frame.Envelope
		other := e.Seal(f.Header, checksum, pieces...)
		wrapped := append(append(bytes.Clone(e.Header[:]), f.Payload...), e.Trailer[:]...)
		if !agree(err, other) || err == nil && !bytes.Equal(wrapped, all) {
			return nil, fmt.Errorf("by Seal: %v, by Append: %v", other, err)
		}
	}
	return all, err
}

func agree(a, b error) bool {
	return a == nil && b == nil || a != nil && b != nil && a.Error() == b.Error()
}

func rejected(err error) string {
	var r *frame.Refusal
	if !errors.As(err, &r) {
		return "error\t" + err.Error()
	}
	return fmt.Sprintf("reject\terror=%s\toffset=%d", r.Kind, r.Offset)
}
