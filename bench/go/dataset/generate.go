package dataset

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// Generated are the data files that come from a seed, by name, as the folder of data has them.
func Generated() (map[string][]byte, error) {
	files := map[string][]byte{}
	for name, value := range map[string]any{
		"mixed.json":  newSession(rand.New(rand.NewPCG(20261121, 1))),
		"arrays.json": newFrame(rand.New(rand.NewPCG(20261121, 2))),
		"absent.json": &Speaker{},
	} {
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(value); err != nil {
			return nil, err
		}
		files[name] = text.Bytes()
	}
	return files, nil
}

// WriteGenerated writes the files of Generated into dir.
func WriteGenerated(dir string) error {
	files, err := Generated()
	if err != nil {
		return err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func newFrame(r *rand.Rand) *Frame {
	f := &Frame{Samples: make([]float32, 4096), Indices: make([]uint32, 4096)}
	for i := range f.Samples {
		f.Samples[i] = 2*r.Float32() - 1
	}
	for i := range f.Indices {
		f.Indices[i] = r.Uint32()
	}
	return f
}

// words are of several scripts, so that most strings are not ASCII and have characters of 1 to 4 bytes.
var words = strings.Fields(`Bass Kick Snare Vocal Chorus Bridge intro take demo final
	Gitarre Flügel Höhen Tiefen Überblendung Geräusch chœur brèche été naïf maracas señal cañón
	скрипка барабан припев запись голос κιθάρα φωνή ρυθμός τύμπανο
	ピアノ 太鼓 歌声 録音 기타 노래 أغنية عود שיר 🎸 🥁 🎹 🎤`)

func newText(r *rand.Rand, least, most int) string {
	var text []string
	for range least + r.IntN(most-least+1) {
		text = append(text, words[r.IntN(len(words))])
	}
	return strings.Join(text, " ")
}

func newSession(r *rand.Rand) *Session {
	s := &Session{
		Title: newText(r, 3, 5), SavedAt: 1795231560123456789, Length: 245_250 * 1e6, SampleRate: 48000,
		Host: newText(r, 2, 2),
	}
	for range 48 {
		s.Tracks = append(s.Tracks, newTrack(r))
	}
	return s
}

func newTrack(r *rand.Rand) Track {
	t := Track{
		Name: newText(r, 1, 3), Kind: TrackKind(r.IntN(len(trackKindNames))),
		Clips: make([]Clip, 2+r.IntN(12)), Events: make([]Event, 4+r.IntN(28)),
		Tags: map[string]string{}, Sends: map[uint32]float32{}, State: make([]byte, 8+r.IntN(120)),
	}
	for i := range t.ID {
		t.ID[i] = byte(r.Uint32())
	}
	for i := range t.Clips {
		t.Clips[i] = Clip{
			Start: r.Uint64N(1 << 24), Length: 1 + r.Uint64N(1<<20), Gain: 2 * r.Float32(), IsMuted: r.IntN(8) == 0,
			Name: newText(r, 1, 3), Source: "audio/" + newText(r, 1, 2) + ".wav",
		}
	}
	for i := range t.Events {
		t.Events[i] = newEvent(r)
	}
	for range r.IntN(5) {
		t.Tags[words[r.IntN(len(words))]] = newText(r, 1, 2)
	}
	for range r.IntN(5) {
		t.Sends[r.Uint32N(32)] = r.Float32()
	}
	if r.IntN(3) == 0 {
		comment := newText(r, 4, 16)
		t.Comment = &comment
	}
	for i := range t.State {
		t.State[i] = byte(r.Uint32())
	}
	if r.IntN(2) == 0 {
		colour := r.Uint32N(1 << 24)
		t.Colour = &colour
	}
	for i := range t.Pan {
		t.Pan[i] = r.Float32()
	}
	return t
}

// newEvent prefers notes, as sessions do.
func newEvent(r *rand.Rand) Event {
	switch k := r.IntN(16); {
	case k < 9:
		return Event{Note: &Note{
			At: r.Uint64N(1 << 24), Length: 1 + r.Uint32N(1<<16), Key: uint8(r.IntN(128)), Velocity: uint8(1 + r.IntN(127)),
		}}
	case k < 12:
		c := &Curve{Parameter: r.Uint32N(64), Points: make([]Point, 2+r.IntN(6))}
		for i := range c.Points {
			c.Points[i] = Point{At: r.Uint64N(1 << 24), Value: r.Float32(), Bend: int16(r.IntN(2001) - 1000)}
		}
		return Event{Curve: c}
	case k < 14:
		marker := newText(r, 1, 3)
		return Event{Marker: &marker}
	case k < 15:
		tempo := 60 + float64(r.IntN(1200))/10
		return Event{Tempo: &tempo}
	}
	return Event{Stop: true}
}
