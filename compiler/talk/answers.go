package talk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// script is a mock's behaviour for the requests of one method.
type script struct {
	answers [][]byte     // encoded responses
	failure *mxp.Failure // after the answers; nil for none
}

// scriptEntry is a method's entry in a file of answers.
type scriptEntry struct {
	Answer  json.RawMessage   `json:"answer"`
	Answers []json.RawMessage `json:"answers"`
	Error   *scriptedError    `json:"error"`
}

type scriptedError struct {
	Status  json.RawMessage `json:"status"`
	Name    string          `json:"name"`
	Text    string          `json:"text"`
	Details []byte          `json:"details"` // base64, as bytes are elsewhere
}

// AnswersError is an error in a file of answers, with its place.
type AnswersError struct {
	File string
	Line int
	Err  error
}

// Error is the place and the error there.
func (e *AnswersError) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err) }

// Unwrap is the error at the place.
func (e *AnswersError) Unwrap() error { return e.Err }

// Answers are the scripts of a file, by their methods.
type Answers map[*Method]*script

// ReadAnswers reads a file of answers: an object with a member for each method,
// Service/method, whose value is an object with "answer", a response; or with
// "answers", a list of them, where responses flow; and with "error", which has
// status, name, text and details, and comes after the answers.
func (c *Catalog) ReadAnswers(file string, text []byte) (Answers, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	answers := Answers{}
	at := func(err error) *AnswersError {
		offset := min(int(decoder.InputOffset()), len(text))
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			offset = min(int(syntax.Offset), len(text))
		}
		return &AnswersError{file, 1 + bytes.Count(text[:offset], []byte{'\n'}), err}
	}
	if start, err := decoder.Token(); err != nil {
		return nil, at(ended(err))
	} else if start != json.Delim('{') {
		return nil, at(errors.New("the file is an object, with a member for each method"))
	}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, at(ended(err))
		}
		name := key.(string) // a token between an object's braces is one
		line := at(nil).Line
		m, err := c.Find(name)
		if err != nil {
			return nil, at(err)
		}
		if answers[m] != nil {
			return nil, at(fmt.Errorf("%s is there already", m.FullName()))
		}
		var raw json.RawMessage
		if err := decoder.Decode(&raw); err != nil {
			return nil, at(ended(err))
		}
		if answers[m], err = m.script(raw); err != nil {
			return nil, &AnswersError{file, line, fmt.Errorf("%s: %w", name, err)}
		}
	}
	if _, err := decoder.Token(); err != nil {
		return nil, at(ended(err))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, at(errors.New("the file goes on behind its object"))
	}
	return answers, nil
}

// ended names the end of a text that ends too soon.
func ended(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the file ends too soon")
	}
	return err
}

// script understands a method's entry.
func (m *Method) script(raw []byte) (*script, error) {
	var entry scriptEntry
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&entry); err != nil {
		return nil, fmt.Errorf("an entry has answer, answers or error: %w", err)
	}
	s := &script{}
	switch {
	case entry.Answer != nil && entry.Answers != nil:
		return nil, errors.New("answer and answers are both there")
	case m.Kind == ir.Event && (entry.Answer != nil || entry.Answers != nil):
		return nil, errors.New("an event has no answer")
	case !m.ResponseFlows && entry.Answers != nil:
		return nil, errors.New("it has one answer, and answers are for responses that flow")
	case !m.ResponseFlows && entry.Answer != nil && entry.Error != nil:
		return nil, errors.New("answer and error are both there")
	case entry.Answer == nil && entry.Answers == nil && entry.Error == nil:
		return nil, errors.New("an entry has answer, answers or error")
	}
	if entry.Answer != nil {
		encoded, err := m.Response.ParseJSON(entry.Answer, interp.ByteMode)
		if err != nil {
			return nil, fmt.Errorf("answer: %w", err)
		}
		s.answers = [][]byte{encoded}
	}
	for i, answer := range entry.Answers {
		encoded, err := m.Response.ParseJSON(answer, interp.ByteMode)
		if err != nil {
			return nil, fmt.Errorf("answers[%d]: %w", i, err)
		}
		s.answers = append(s.answers, encoded)
	}
	var err error
	if entry.Error != nil {
		s.failure, err = entry.Error.failure()
	}
	return s, err
}

// nameBytesMax is how long the name of a failure can be.
const nameBytesMax = 255

func (e *scriptedError) failure() (*mxp.Failure, error) {
	f := &mxp.Failure{Status: session.StatusUnknown, Name: e.Name, Text: e.Text, Details: e.Details, Acted: true}
	if f.Name == "" {
		f.Name = "mock"
	}
	if len(f.Name) > nameBytesMax {
		return nil, fmt.Errorf("error.name has %d bytes, and %d are the most", len(f.Name), nameBytesMax)
	}
	if e.Status == nil {
		return f, nil
	}
	text := bytes.Trim(e.Status, `"`)
	if err := f.Status.UnmarshalText(text); err != nil || f.Status == session.StatusOK || f.Status > session.StatusUnauthenticated {
		return nil, fmt.Errorf("error.status is the name or the number of one of gRPC's statuses, such as NotFound or 5, and not %s", e.Status)
	}
	return f, nil
}
