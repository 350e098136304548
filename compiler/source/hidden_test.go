package source

import "testing"

func TestVisibleSpellsWhatShowsNothing(t *testing.T) {
	for text, want := range map[string]string{
		"plain, ä, 語, \t and \u200d": "plain, ä, 語, \t and \u200d",
		"a\nb\rc\x00\x7f\u0085":      "aU+000AbU+000DcU+0000U+007FU+0085",
		"\u2028\u2029\ufeff":         "U+2028U+2029U+FEFF",
		"\u202a\u202e\u2066\u2069":   "U+202AU+202EU+2066U+2069",
		"\u200e\u200f\u061c":         "U+200EU+200FU+061C",
	} {
		if got := Visible(text); got != want {
			t.Errorf("Visible(%q) = %q, want %q", text, got, want)
		}
	}
}
