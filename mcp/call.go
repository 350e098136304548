package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/talk"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// method is a tool that can be called.
type method struct {
	Options
	*talk.Method
	client *mxp.Client
}

// call makes a request, and gives back what it was answered. Every error of it is a result of its
// own, which an agent can mend.
func (m *method) call(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	in, err := m.input(r.Params.Arguments)
	if err != nil {
		return failed("the arguments are refused: " + talk.Printable(err.Error())), nil
	}
	answers := &answers{method: m, told: progress(ctx, r)}
	request := *m.Peer
	request.Method, request.Client, request.Rules, request.Deadline = m.Method, m.client, m.rules(), m.Deadline
	request.In, request.InName = bytes.NewReader(in), "the arguments"
	request.Ack = m.Kind == ir.Event
	request.Answered = answers.add
	request.Connected, request.Replied = func() {}, func([]session.Metadatum) {}
	err = request.Do(ctx)
	switch {
	case errors.Is(err, errCut):
	case err != nil && m.ResponseFlows && answers.ended(ctx, err):
	case err != nil:
		return failed(m.failure(err, len(answers.all))), nil
	}
	return answers.result(), nil
}

// rules are the rules of the arguments' JSON.
func (m *method) rules() talk.Rules { return talk.Rules{Strict: true, Defaults: m.Peer.Defaults} }

// input is the JSON of the request, or of all of them.
func (m *method) input(arguments json.RawMessage) ([]byte, error) {
	if len(bytes.TrimSpace(arguments)) == 0 {
		arguments = []byte("{}")
	}
	if !m.RequestFlows {
		return arguments, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(arguments))
	decoder.DisallowUnknownFields()
	var list struct {
		Requests *[]json.RawMessage `json:"requests"`
	}
	if err := decoder.Decode(&list); err != nil {
		return nil, fmt.Errorf("they are an object with a list %q: %w%s", requestsKey, err, guess(arguments))
	}
	if list.Requests == nil {
		return nil, fmt.Errorf("the list %q is missing", requestsKey)
	}
	// Each is looked at before any is sent.
	var all []byte
	for i, one := range *list.Requests {
		if err := talk.Valid(m.Request, one, m.rules()); err != nil {
			return nil, fmt.Errorf("%s[%d]: %w", requestsKey, i, err)
		}
		all = append(append(all, one...), '\n')
	}
	return all, nil
}

// guess names the list of requests where a member of the arguments is nearly called so.
func guess(arguments json.RawMessage) string {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(arguments, &all); err != nil {
		return ""
	}
	for name := range all {
		if name != requestsKey && diag.Nearest(name, []string{requestsKey}) != "" {
			return fmt.Sprintf("; did you mean %q?", requestsKey)
		}
	}
	return ""
}

// failed is a result with an error's text.
func failed(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}

// failure says why a request has failed, and whether somebody may have acted on it.
func (m *method) failure(err error, answered int) string {
	var input *talk.InputError
	var f *mxp.Failure
	var large *tooLarge
	switch {
	case errors.As(err, &input):
		return "the arguments are refused: " + talk.Printable(input.Err.Error())
	case errors.As(err, &large):
		return large.Error()
	case !errors.As(err, &f):
		return m.FullName() + " failed: " + talk.Printable(err.Error())
	}
	text := fmt.Sprintf("%s failed: %s (%d) %s", m.FullName(), f.Status, uint16(f.Status), talk.Printable(f.Name))
	if f.Text != "" {
		text += ": " + talk.Printable(f.Text)
	}
	if len(f.Details) > 0 {
		text += fmt.Sprintf("\ndetails: % x", f.Details[:min(len(f.Details), detailsMax)])
	}
	if answered > 0 {
		text += fmt.Sprintf("\n%d responses had come before", answered)
	}
	if f.Acted {
		return text + "\nsomebody may have acted on the request"
	}
	return text + "\nnobody has acted on the request"
}

// detailsMax is how many bytes of a failure's details are shown.
const detailsMax = 1024

// errCut ends a request of whose answers there are enough.
var errCut = errors.New("there are enough")

// tooLarge says that the one answer of a method has too many bytes.
type tooLarge struct {
	method     string
	bytes, max int
}

// Error says how large it is.
func (e *tooLarge) Error() string {
	return fmt.Sprintf("%s has answered with %d bytes of JSON, and results have %d at most; somebody has acted on the request", e.method, e.bytes, e.max)
}

// answers are the answers of a request.
type answers struct {
	method *method
	told   func(n int, line string)
	all    []string
	bytes  int
	cut    string // why there are no more; empty if that is all
}

// add takes an answer, and refuses it where there is no more room.
func (a *answers) add(line string) error {
	m := a.method
	room := m.ResultBytes - a.bytes
	switch {
	case len(line) > room && !m.ResponseFlows:
		return &tooLarge{m.FullName(), len(line), m.ResultBytes}
	case len(line) > room:
		a.cut = fmt.Sprintf("the next response has %d bytes of JSON, and results have %d at most", len(line), m.ResultBytes)
		return errCut
	case m.ResponseFlows && len(a.all) == m.Responses:
		a.cut = fmt.Sprintf("results have %d responses at most", m.Responses)
		return errCut
	}
	a.all, a.bytes = append(a.all, line), a.bytes+len(line)+1
	if m.ResponseFlows {
		a.told(len(a.all), line)
	}
	return nil
}

// ended takes for the end of a stream that its time is over, if some answers have come. A cancelled
// request has no result.
func (a *answers) ended(ctx context.Context, err error) bool {
	var f *mxp.Failure
	late := errors.Is(err, context.DeadlineExceeded) || errors.As(err, &f) && f.Status == session.StatusDeadlineExceeded
	if !late || ctx.Err() != nil || len(a.all) == 0 {
		return false
	}
	a.cut = fmt.Sprintf("no more came within %s", a.method.Deadline)
	return true
}

// result is the answers as an agent gets them: as JSON, and the same as text.
func (a *answers) result() *sdk.CallToolResult {
	m := a.method
	if m.Kind == ir.Event {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "The event was taken."}}}
	}
	text := strings.Join(a.all, ",")
	if m.ResponseFlows {
		text = `{"` + responsesKey + `":[` + text + "]"
		if a.cut != "" {
			why, _ := json.Marshal(a.cut) // of a text always
			text += `,"` + cutKey + `":` + string(why)
		}
		text += "}"
	}
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}, StructuredContent: json.RawMessage(text)}
}

// shownMax is how many bytes of an answer stand in a notification of progress.
const shownMax = 4096

// progress tells a client of each answer of a stream, if it has asked for that.
func progress(ctx context.Context, r *sdk.CallToolRequest) func(n int, line string) {
	token := r.Params.GetProgressToken()
	if token == nil {
		return func(int, string) {}
	}
	return func(n int, line string) {
		if len(line) > shownMax {
			line = fmt.Sprintf("a response of %d bytes of JSON", len(line))
		}
		// A client that is gone will not read the result, either.
		_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: float64(n), Message: line})
	}
}
