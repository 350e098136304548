package engine

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Failure says why a request, or a connection, ended.
type Failure = session.Failure

// Target is the method of a request.
type Target struct {
	Service, Name string
	Number        uint16
}

// String is the full name of the service, a slash and the method's name, or its
// number where nobody has named it.
func (t Target) String() string {
	switch {
	case t.Service == "":
		return ""
	case t.Name == "":
		return t.Service + "/" + strconv.Itoa(int(t.Number))
	}
	return t.Service + "/" + t.Name
}

// Located says of a failure which request it ended, and at which address. A failure with a request
// or an address already stays as it is.
func Located(err error, target Target, peer string) error {
	f, ok := err.(*Failure) // one that is wrapped has its place already
	if !ok || f.Method != "" || f.Peer != "" {
		return err
	}
	located := *f
	located.Method, located.Peer = target.String(), peer
	return &located
}

// Refusal is the failure of an error kind.
func Refusal(k session.Kind, acted bool) Failure {
	return Failure{Status: session.Status(k.Status()), Name: k.String(), Acted: acted}
}

// NotConnected is the failure of an attempt to connect, or of all that there were.
func NotConnected(status session.Status, why, peer string) *Failure {
	return &Failure{Status: status, Name: session.ErrNotConnected.String(), Text: why, Peer: peer}
}

// Unavailable is the failure of an attempt that a later one may mend.
func Unavailable(why, peer string) *Failure {
	return NotConnected(session.StatusUnavailable, why, peer)
}

// Internal is the failure of a handler that has broken.
func Internal(text string) Failure {
	return Failure{Status: session.StatusInternal, Name: "internal", Text: text, Acted: true}
}

// MayHeal reports whether a later attempt may succeed where one has failed [MXP-14.3].
func MayHeal(f *Failure) bool {
	return f.Status == session.StatusUnavailable && !errors.Is(f, session.ErrClosed)
}

// MethodUnknown is the failure of a request for a method that there is not.
func MethodUnknown(text string) Failure {
	f := Refusal(session.ErrMethodUnknown, false)
	f.Text = text
	return f
}

// TooLarge is the failure of a payload of so many bytes where the peer takes no more than most.
func TooLarge(bytes, most int) *Failure {
	f := Refusal(session.ErrPayloadTooLarge, false)
	f.Text = "a text or a list is too long to be encoded"
	if bytes > 0 {
		f.Text = fmt.Sprintf("a payload of %d bytes, where the peer takes %d", bytes, most)
	}
	return &f
}

// Wait is a wait with a deadline; the zero value is one without.
type Wait struct {
	Begun time.Time
	Most  time.Duration
}

// Explained adds to the failure of a deadline how long was waited until now.
func (w Wait) Explained(err error, now time.Time) error {
	f, ok := err.(*Failure) // as above
	if !ok || w.Begun.IsZero() || f.Name != session.ErrDeadlineExceeded.String() || strings.HasPrefix(f.Text, "after ") {
		return err
	}
	explained := *f
	explained.Text = "after " + span(now.Sub(w.Begun)) + ", with a deadline of " + span(w.Most)
	if f.Text != "" {
		explained.Text += ": " + f.Text
	}
	return &explained
}

// span is a time in seconds, or in milliseconds if it is shorter than one.
func span(t time.Duration) string {
	us := max(t.Microseconds(), 0)
	whole, rest, unit := us/1000, us%1000, " ms"
	if us >= 1_000_000 {
		whole, rest, unit = us/1_000_000, us/1000%1000, " s"
	}
	text := strconv.FormatInt(whole, 10)
	if rest > 0 {
		text += strings.TrimRight(fmt.Sprintf(".%03d", rest), "0")
	}
	return text + unit
}

// listedMax is how many methods, or services, a text lists.
const listedMax = 8

// listed are the first of names, of which there are so many.
func listed(names []string, count int) string {
	text := strings.Join(names[:min(len(names), listedMax)], ", ")
	switch {
	case count == 0:
		return "none"
	case count > listedMax:
		text += fmt.Sprintf(" and %d more", count-listedMax)
	}
	return text
}

// Sendable is a failure as a peer can be sent it: its name and text are well-formed, and not too long.
func Sendable(f Failure) Failure {
	f.Name, f.Text = bounded(f.Name, 255), bounded(f.Text, session.FailureTextBytes)
	return f
}

func bounded(text string, most int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= most {
		return text
	}
	const cut = "…"
	end := most - len(cut)
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + cut
}
