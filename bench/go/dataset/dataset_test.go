package dataset

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestDataFilesAreWhatTheSeedGives(t *testing.T) {
	files, err := Generated()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("../../data", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("data/%s differs from what its seed gives; `go run ./cmd/sdpbench -generate` writes it", name)
		}
	}
}

func TestRegistriesCountWhatTheyHold(t *testing.T) {
	for name, want := range map[string][2]int{"../../examples/registry/lv2-62.json": {62, 1759}, "lv2-483.json.gz": {483, 32264}} {
		r, err := Load[Registry]("../../data", name)
		if err != nil {
			t.Fatal(err)
		}
		parameters := 0
		for _, p := range r.Plugins {
			parameters += len(p.Parameters)
		}
		if got := [2]int{len(r.Plugins), parameters}; got != want || int(r.TotalParameterCount) != parameters {
			t.Errorf("%s holds %v plugins and parameters, want %v", name, got, want)
		}
	}
}

func TestSessionHasEveryConstruct(t *testing.T) {
	s, err := Load[Session]("../../data", "mixed.json")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, track := range s.Tracks {
		seen["tag"] += len(track.Tags)
		seen["send"] += len(track.Sends)
		if track.Comment != nil {
			seen["comment"]++
		}
		if track.Colour == nil {
			seen["no colour"]++
		}
		for _, e := range track.Events {
			switch {
			case e.Note != nil:
				seen["note"]++
			case e.Curve != nil:
				seen["curve"]++
			case e.Marker != nil:
				seen["marker"]++
			case e.Tempo != nil:
				seen["tempo"]++
			case bool(e.Stop):
				seen["stop"]++
			}
		}
	}
	for _, what := range []string{"tag", "send", "comment", "no colour", "note", "curve", "marker", "tempo", "stop"} {
		if seen[what] < 10 {
			t.Errorf("the session has %d of %s, too few to measure", seen[what], what)
		}
	}
}
