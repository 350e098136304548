// Command evolution lets programs of two releases of a schema read each other's
// bytes.
package main

import (
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/serial-data-protocol/sdp/examples/evolution/player"
	v1 "github.com/serial-data-protocol/sdp/examples/evolution/v1/session"
	v2 "github.com/serial-data-protocol/sdp/examples/evolution/v2/session"
	sdp "github.com/serial-data-protocol/sdp/runtime/go"
)

func main() {
	log.SetFlags(0)
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(out io.Writer) error {
	if err := oldReadsNew(out); err != nil {
		return err
	}
	return newReadsOld(out)
}

// oldReadsNew sends a session of the second release through the first release's
// player, which edits it.
func oldReadsNew(out io.Writer) error {
	sent := &v2.Session{
		Title: "Demo",
		Tracks: []v2.Track{
			{Kind: v2.KindAudio, Name: "Bass", Level: v2.Level{Gain: 0.5}},
			{Kind: v2.KindVideo, Name: "Clip", Level: v2.Level{Gain: 1}},
		},
		LastEdit: v2.Edit{Value: &v2.EditMuted{Track: 1}},
		Tempo:    97.5,
		SavedAt:  sdp.Some(time.Date(2026, time.November, 21, 9, 30, 0, 0, time.UTC)),
	}
	message, err := v2.EncodeSessionMessage(sent)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "the first release's player reads the second release's bytes:")
	edited, err := player.Play(out, message)
	if err != nil {
		return err
	}
	received, err := v2.DecodeSessionMessage(edited)
	if err != nil {
		return err
	}
	sent.Tracks[0].Level.Muted = true
	fmt.Fprintf(out, "back in the second release, all but the muted track is as before: %t\n", received.Equal(sent))
	return nil
}

// newReadsOld reads bytes that lack the second release's fields.
func newReadsOld(out io.Writer) error {
	old := &v1.Session{Title: "Sketch", LastEdit: v1.Edit{Value: &v1.EditRenamed{Value: "Sketch"}}}
	message, err := v1.EncodeSessionMessage(old)
	if err != nil {
		return err
	}
	s, err := v2.DecodeSessionMessage(message)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "the second release reads the first one's bytes: tempo %g, saved: %t\n", s.Tempo, s.SavedAt.Present)
	return nil
}
