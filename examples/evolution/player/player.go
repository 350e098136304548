// Package player is a program of the first release: it knows nothing of the
// second.
package player

import (
	"fmt"
	"io"

	session "github.com/serial-data-protocol/sdp/examples/evolution/v1/session"
)

// Play describes a session, mutes its first track, and returns the session's
// message with this change.
func Play(out io.Writer, message []byte) ([]byte, error) {
	s, err := session.DecodeSessionMessage(message)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(out, "session %q\n", s.Title)
	for _, track := range s.Tracks {
		fmt.Fprintf(out, "  track %q of kind %s at gain %g\n", track.Name, track.Kind, track.Level.Gain)
	}
	switch edit := s.LastEdit.Value.(type) {
	case *session.EditRenamed:
		fmt.Fprintf(out, "  last edit: renamed to %q\n", edit.Value)
	case *session.EditCut:
		fmt.Fprintf(out, "  last edit: cut from %s to %s\n", edit.From, edit.To)
	case *session.EditUnknown:
		fmt.Fprintf(out, "  last edit: of a kind (%d) that this release doesn't know\n", edit.Number)
	}
	if len(s.Tracks) > 0 {
		s.Tracks[0].Level.Muted = true
	}
	return session.EncodeSessionMessage(s)
}
