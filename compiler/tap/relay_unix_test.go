//go:build unix

package tap

import (
	"io"
	"strings"
	"testing"
)

// TestRequestIsSeenBeforeItsAnswer plays ping-pong with frames.
// An offer of shared memory is declined, and the next bytes pass, as do bytes that only begin as an
// offer does.
func TestMemoryIsDeclined(t *testing.T) {
	offer := append([]byte("MXPS\x01\x00\x00\x00\x00\x10"), make([]byte, 22)...)
	for name, one := range map[string]struct{ sent, comes string }{
		"an offer":              {string(offer), string(socketAnswer)},
		"an offer and more":     {string(offer) + "1PXM and more", string(socketAnswer) + "1PXM and more"},
		"a letter":              {"M", "M"},
		"a part of an offer":    {string(offer[:31]), string(offer[:31])},
		"another word":          {"MXPT" + string(offer[4:]) + "x", "MXPT" + string(offer[4:]) + "x"},
		"nothing":               {"", ""},
		"what looks like none":  {"1PXM", "1PXM"},
		"an offer that is late": {"1" + string(offer), "1" + string(offer)},
	} {
		t.Run(name, func(t *testing.T) {
			r := relay(t, echoAll)
			conn := dial(t, r.path)
			if _, err := conn.Write([]byte(one.sent)); err != nil {
				t.Fatal(err)
			}
			conn.CloseWrite()
			if came, err := io.ReadAll(conn); string(came) != one.comes || err != nil {
				t.Errorf("%q came, %v", came, err)
			}
			declined := strings.HasPrefix(one.comes, string(socketAnswer))
			r.until(t, func(records []Record) bool { return count(records, Ended) == 2 })
			for _, record := range r.records {
				if is := strings.Contains(record.Why, "declined"); is {
					declined = !declined
				}
			}
			if declined {
				t.Errorf("it has seen %+v", r.records)
			}
		})
	}
}
