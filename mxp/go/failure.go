package mxp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// target is the method that a request is for.
type target struct {
	service, name string
	number        uint16
}

// String is the full name of the service, a slash and the method's name, or its
// number where nobody has named it.
func (t target) String() string {
	switch {
	case t.service == "":
		return ""
	case t.name == "":
		return t.service + "/" + strconv.Itoa(int(t.number))
	}
	return t.service + "/" + t.name
}

func (r *Request) target() target { return target{r.Service, r.Name, r.Method} }

// located says of a failure which request it ended, and at which address. One that is
// known to be of another request stays what it is.
func located(err error, of target, peer string) error {
	f, ok := err.(*Failure) // what wraps one says where it is from
	if !ok || f.Method != "" || f.Peer != "" {
		return err
	}
	told := *f
	told.Method, told.Peer = of.String(), peer
	return &told
}

// waiting is how long somebody waits, from when on. It is zero where nobody looks at
// the time.
type waiting struct {
	begun time.Time
	most  time.Duration
}

func waitingOf(ctx context.Context) (w waiting) {
	if deadline, ok := ctx.Deadline(); ok {
		w.begun = time.Now()
		w.most = deadline.Sub(w.begun)
	}
	return w
}

// explained adds to a failure of a deadline how long was waited.
func (w waiting) explained(err error) error {
	f, ok := err.(*Failure) // as above
	if !ok || w.begun.IsZero() || f.Name != session.ErrDeadlineExceeded.String() || strings.HasPrefix(f.Text, "after ") {
		return err
	}
	told := *f
	told.Text = lateText(time.Since(w.begun), w.most)
	if f.Text != "" {
		told.Text += ": " + f.Text
	}
	return &told
}

func lateText(waited, most time.Duration) string {
	return "after " + span(waited) + ", with a deadline of " + span(most)
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

// refusedHere says more about what the session has refused to queue. The lock is held.
func (c *conn) refusedHere(err error) error {
	if err != error(session.ErrPayloadTooLarge) { // the session returns it as it is
		return err
	}
	f := refusal(session.ErrPayloadTooLarge, false)
	f.Text = tooLargeText(c.session.TooLarge())
	return &f
}

func tooLargeText(bytes, most int) string {
	if bytes == 0 {
		return "a text or a list is too long to be encoded"
	}
	return fmt.Sprintf("a payload of %d bytes, where the peer takes %d", bytes, most)
}

// lostText says why a connection is gone.
func lostText(err error) string {
	switch {
	case err == nil || errors.Is(err, io.EOF):
		return "the peer has closed the connection"
	case errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE):
		return "the peer has reset the connection"
	case errors.Is(err, net.ErrClosed):
		return "the connection was closed here"
	}
	return err.Error()
}

// listedMax is how many methods, or services, a text lists.
const listedMax = 8

// unknownText says which methods a service has instead of one that was asked for: if
// they are many, those with the nearest numbers.
func (s *Service) unknownText(kind Kind, number uint16) string {
	distance := func(n uint16) int { return max(int(n), int(number)) - min(int(n), int(number)) }
	numbers := slices.SortedFunc(maps.Keys(s.methods), func(a, b uint16) int {
		return cmp.Or(distance(a)-distance(b), int(a)-int(b))
	})
	near := slices.Sorted(slices.Values(numbers[:min(len(numbers), listedMax)]))
	var names []string
	for _, n := range near {
		m := s.methods[n]
		name := m.kind.String() + " "
		if m.Name != "" {
			name += m.Name + " = "
		}
		names = append(names, name+strconv.Itoa(int(n)))
	}
	return fmt.Sprintf("%s has no %s %d; it has %s", s.name, kind, number, listed(names, len(numbers)))
}

// listed are the first of names.
func listed(names []string, all int) string {
	text := strings.Join(names[:min(len(names), listedMax)], ", ")
	switch {
	case all == 0:
		return "none"
	case all > listedMax:
		text += fmt.Sprintf(" and %d more", all-listedMax)
	}
	return text
}

// bounded is a text that a peer can be sent: well-formed, and not too long.
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
