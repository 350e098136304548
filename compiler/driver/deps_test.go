package driver

import "testing"

func TestPathsAreWordsOfMake(t *testing.T) {
	for path, want := range map[string]string{
		"a/b.sdp":         "a/b.sdp",
		"my schemas/a.rs": `my\ schemas/a.rs`,
		"c#/$x.sdp":       `c\#/$$x.sdp`,
	} {
		if got := makeWord(path); got != want {
			t.Errorf("%q is written %q, want %q", path, got, want)
		}
	}
}
