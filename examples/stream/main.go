// Command stream writes messages of three types to a file and reads them back
// one at a time.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/serial-data-protocol/sdp/examples/stream/host"
	sdp "github.com/serial-data-protocol/sdp/runtime/go"
)

// changes is how often the example's host turns its knob.
const changes = 1000

func main() {
	log.SetFlags(0)
	file := flag.String("file", "", "keep the stream in this file")
	flag.Parse()
	if err := run(os.Stdout, *file); err != nil {
		log.Fatal(err)
	}
}

func run(out io.Writer, path string) error {
	if path == "" {
		dir, err := os.MkdirTemp("", "sdp-stream-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		path = filepath.Join(dir, "host.sdps")
	}
	if err := record(path); err != nil {
		return err
	}
	if err := replay(out, path); err != nil {
		return err
	}
	return replayCut(out, path)
}

// record plays a host that loads a plugin, turns one of its knobs, and ends.
func record(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	buffered := bufio.NewWriter(file)
	w := host.NewMessageWriter(buffered)

	loaded := &host.PluginEvent{Event: host.Event{Value: &host.EventLoaded{Plugin: 7, Name: "Calf Compressor"}}}
	if err := w.Write(loaded); err != nil {
		return err
	}
	for i := range uint32(changes) {
		changed := &host.ParameterChanged{
			At: time.Duration(i) * 10 * time.Millisecond, Plugin: 7, Parameter: 3, Value: float32(i) / changes,
		}
		if err := w.Write(changed); err != nil {
			return err
		}
	}
	summary := &host.Summary{Took: 10 * time.Second, PeakLoad: map[uint32]float32{7: 0.25}}
	if err := w.Write(summary); err != nil {
		return err
	}
	if err := buffered.Flush(); err != nil {
		return err
	}
	return file.Close()
}

// replay reads the file to its end.
func replay(out io.Writer, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	turned := 0
	for message, err := range host.NewMessageReader(bufio.NewReader(file)).All() {
		if err != nil {
			return err
		}
		switch m := message.(type) {
		case *host.PluginEvent:
			describe(out, m)
		case *host.ParameterChanged:
			turned++
		case *host.Summary:
			fmt.Fprintf(out, "%d changes in %s, plugin 7 took up to %g of a core\n", turned, m.Took, m.PeakLoad[7])
		}
	}
	return nil
}

func describe(out io.Writer, m *host.PluginEvent) {
	switch e := m.Event.Value.(type) {
	case *host.EventLoaded:
		fmt.Fprintf(out, "plugin %d is %s\n", e.Plugin, e.Name)
	case *host.EventUnloaded:
		fmt.Fprintf(out, "plugin %d is gone\n", e.Plugin)
	case *host.EventCrashed:
		fmt.Fprintf(out, "plugin %d crashed: %s\n", e.Plugin, e.Reason)
	case *host.EventUnknown:
		fmt.Fprintf(out, "a newer host reports event %d\n", e.Number)
	}
}

// replayCut reads a file whose last message is incomplete, as after a crash.
func replayCut(out io.Writer, path string) error {
	whole, err := os.Open(path)
	if err != nil {
		return err
	}
	defer whole.Close()
	info, err := whole.Stat()
	if err != nil {
		return err
	}
	read := 0
	for _, err := range host.NewMessageReader(io.LimitReader(whole, info.Size()-5)).All() {
		var refusal *sdp.DecodeError
		switch {
		case err == nil:
			read++
		case errors.As(err, &refusal):
			fmt.Fprintf(out, "of the file without its last 5 bytes: %d messages, then %s\n", read, refusal.Kind)
		default:
			return err
		}
	}
	return nil
}
