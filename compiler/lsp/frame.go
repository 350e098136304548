package lsp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

const (
	// messageBytesMax is more than the largest document needs as JSON.
	messageBytesMax = 32 << 20
	// headerBytesMax bounds a line of a header.
	headerBytesMax = 4 << 10
	lengthHeader   = "content-length:"
)

// message is a request, a notification or an answer, as it came.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

// wrongMessage is an error of one message, behind which the next can be read.
type wrongMessage struct {
	code int
	text string
}

func (w *wrongMessage) Error() string { return w.text }

// reader takes messages from a stream.
type reader struct{ in *bufio.Reader }

func newReader(r io.Reader) *reader { return &reader{bufio.NewReaderSize(r, headerBytesMax)} }

// next reads a message. Its error is a *wrongMessage, or that of the stream.
func (r *reader) next() (*message, error) {
	body, err := r.body()
	if err != nil {
		return nil, err
	}
	m := &message{}
	if err := json.Unmarshal(body, m); err != nil {
		var kind *json.UnmarshalTypeError
		if errors.As(err, &kind) {
			return nil, &wrongMessage{codeInvalidRequest, "this is no message of JSON-RPC: " + err.Error()}
		}
		return nil, &wrongMessage{codeParse, "this is no JSON: " + err.Error()}
	}
	return m, nil
}

// body reads the text of a message.
func (r *reader) body() ([]byte, error) {
	length, err := r.header()
	if err != nil {
		return nil, err
	}
	if length > messageBytesMax {
		if _, err := io.CopyN(io.Discard, r.in, length); err != nil {
			return nil, err
		}
		return nil, &wrongMessage{codeInvalidRequest, fmt.Sprintf("a message of %d bytes is longer than %d", length, messageBytesMax)}
	}
	// The buffer grows with the received bytes, not with the announced length.
	var body bytes.Buffer
	if _, err := io.CopyN(&body, r.in, length); err != nil {
		return nil, err
	}
	return body.Bytes(), nil
}

// header reads the lines before a message, and returns its length. One without a length
// is an error, behind which the next header is looked for.
func (r *reader) header() (int64, error) {
	length := int64(-1)
	begun := false
	for {
		line, err := r.line()
		if err != nil {
			return 0, err
		}
		if line == "" {
			switch {
			case length >= 0:
				return length, nil
			case begun:
				return 0, &wrongMessage{codeParse, "a header has no valid Content-Length"}
			}
			continue
		}
		begun = true
		// Behind a message whose length was wrong, a header may begin in the middle of a line.
		if at := strings.LastIndex(strings.ToLower(line), lengthHeader); at >= 0 {
			length = -1
			number := strings.TrimSpace(line[at+len(lengthHeader):])
			if n, err := strconv.ParseUint(number, 10, 62); err == nil {
				length = int64(n)
			}
		}
	}
}

// line reads a line without its end; of one that is too long, the end.
func (r *reader) line() (string, error) {
	for {
		line, err := r.in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return "", err
		}
		return strings.TrimRight(string(line), "\r\n"), nil
	}
}

// writer puts messages on a stream. Several goroutines may use it.
type writer struct {
	mutex sync.Mutex
	out   io.Writer
	err   error
}

// send sends a message. After an error of the stream it does nothing.
func (w *writer) send(message object) {
	message["jsonrpc"] = "2.0"
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(message); err != nil {
		panic("lsp: " + err.Error())
	}
	text := bytes.TrimSuffix(body.Bytes(), []byte("\n"))
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.err != nil {
		return
	}
	if _, w.err = fmt.Fprintf(w.out, "Content-Length: %d\r\n\r\n", len(text)); w.err == nil {
		_, w.err = w.out.Write(text)
	}
}

// The codes of errors.
const (
	codeParse           = -32700
	codeInvalidRequest  = -32600
	codeMethodNotFound  = -32601
	codeInvalidParams   = -32602
	codeInternal        = -32603
	codeNotInitialized  = -32002
	codeRequestCanceled = -32800
	codeRequestFailed   = -32803
)

type responseError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *responseError) Error() string { return e.Message }

func failed(format string, args ...any) error {
	return &responseError{codeRequestFailed, fmt.Sprintf(format, args...)}
}

// object has the members of a message, beside the member that all have.
type object map[string]any

func (w *writer) answer(id json.RawMessage, value any) { w.send(object{"id": id, "result": value}) }

func (w *writer) refuse(id json.RawMessage, err *responseError) {
	if id == nil {
		id = json.RawMessage("null")
	}
	w.send(object{"id": id, "error": err})
}

func (w *writer) notify(method string, params any) {
	w.send(object{"method": method, "params": params})
}

// failed is the error of the stream; nil as long as it has none.
func (w *writer) failed() error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.err
}
