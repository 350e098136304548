package sdp

import "testing"

// TestNothingIsReadAfterARefusal calls each method by which generated code reads.
func TestNothingIsReadAfterARefusal(t *testing.T) {
	text, blob, numbers, bools, list := "kept", []byte("kept"), []uint32{1}, []bool{true}, []string{"kept"}
	entries, some := map[string]string{}, Some("kept")
	for name, read := range map[string]func(d *Decoder, s string) string{
		"text":           func(d *Decoder, s string) string { return d.Text(s, &text) },
		"text within":    func(d *Decoder, s string) string { return d.TextWithin(s, 1, 9, &text) },
		"bytes":          func(d *Decoder, s string) string { return d.Blob(s, 4, 9, &blob) },
		"numbers":        func(d *Decoder, s string) string { return Numbers(d, s, 4, 9, &numbers) },
		"bools":          func(d *Decoder, s string) string { return Bools(d, s, 2, 9, &bools) },
		"list":           func(d *Decoder, s string) string { return List(d, s, 1, 9, 0, &list) },
		"optional":       func(d *Decoder, s string) string { return Presence(d, s, &some) },
		"end of message": func(d *Decoder, s string) string { return d.Tail(s) },
		"window":         func(d *Decoder, s string) string { return d.Close("", "behind it") },
		"passed text":    func(d *Decoder, s string) string { return d.PassText(s, 4, 9) },
		"passed bytes":   func(d *Decoder, s string) string { return d.PassBlob(s, 4, 9) },
		"passed items":   func(d *Decoder, s string) string { return d.PassItems(s, 4, 9, 0) },
		"passed bools":   func(d *Decoder, s string) string { return d.PassBools(s, 4, 9) },
		"map": func(d *Decoder, s string) string {
			n, s := Map(d, s, 4, 9, 0, &entries)
			return s[n:]
		},
		"window's start": func(d *Decoder, s string) string {
			window, s := d.Window(s)
			return window + s
		},
		"union": func(d *Decoder, s string) string {
			tag, s := d.Tag(s)
			return s[tag:]
		},
	} {
		t.Run(name, func(t *testing.T) {
			var d Decoder
			d.Start(make([]byte, 100), 2)
			s := d.Refuse()
			before := d
			if rest := read(&d, s); rest != "" || !d.Refused || d.memory != before.memory || d.elements != before.elements {
				t.Errorf("%q is left, refused: %v", rest, d.Refused)
			}
		})
	}
	if len(list) > 0 || some.Present {
		t.Error("what was refused has elements")
	}
}
