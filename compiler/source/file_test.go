package source

import (
	"strings"
	"testing"
)

func TestPositionCountsCodePoints(t *testing.T) {
	cases := []struct {
		name   string
		text   string
		offset int
		want   Position
	}{
		{"empty text", "", 0, Position{1, 1}},
		{"first byte", "abc", 0, Position{1, 1}},
		{"end of text", "abc", 3, Position{1, 4}},
		{"line feed belongs to its line", "ab\ncd", 2, Position{1, 3}},
		{"after line feed", "ab\ncd", 3, Position{2, 1}},
		{"carriage return belongs to its line", "ab\r\ncd", 4, Position{2, 1}},
		{"tab is one column", "\tx", 1, Position{1, 2}},
		{"two-byte letter is one column", "éx", 2, Position{1, 2}},
		{"four-byte letter is one column", "😀x", 4, Position{1, 2}},
		{"empty last line", "ab\n", 3, Position{2, 1}},
		{"before the text", "ab", -5, Position{1, 1}},
		{"after the text", "ab", 99, Position{1, 3}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := New("f", c.text).Position(c.offset); got != c.want {
				t.Errorf("Position(%d) of %q = %v, want %v", c.offset, c.text, got, c.want)
			}
		})
	}
}

func TestPositionAgreesWithCountingFromTheStart(t *testing.T) {
	text := strings.Repeat("a\té", 3000) + "\r\n" + strings.Repeat("日本\n", 2000)
	for len(text)%blockBytes != 0 {
		text += "x"
	}
	f := New("f", text)
	want := Position{1, 1}
	for i, r := range text {
		if got := f.Position(i); got != want {
			t.Fatalf("Position(%d) = %v, want %v", i, got, want)
		}
		want.Column++
		if r == '\n' {
			want = Position{want.Line + 1, 1}
		}
	}
	if got := f.Position(len(text)); got != want {
		t.Errorf("Position at the end = %v, want %v", got, want)
	}
}

func TestLineDropsItsTerminator(t *testing.T) {
	f := New("f", "one\r\ntwo\nthree")
	for line, want := range map[int]string{0: "", 1: "one", 2: "two", 3: "three", 4: ""} {
		if got := f.Line(line); got != want {
			t.Errorf("Line(%d) = %q, want %q", line, got, want)
		}
	}
	if f.LineCount() != 3 {
		t.Errorf("LineCount() = %d, want 3", f.LineCount())
	}
	for line, want := range map[int]int{0: 14, 1: 0, 2: 5, 3: 9, 4: 14} {
		if got := f.LineStart(line); got != want {
			t.Errorf("LineStart(%d) = %d, want %d", line, got, want)
		}
	}
}

func TestSpanStaysInsideItsFile(t *testing.T) {
	f := New("dir/f.sdp", "ab\ncd")
	cases := []struct {
		start, end int
		text, at   string
	}{
		{0, 2, "ab", "dir/f.sdp:1:1"},
		{3, 4, "c", "dir/f.sdp:2:1"},
		{-1, 99, "ab\ncd", "dir/f.sdp:1:1"},
		{4, 1, "", "dir/f.sdp:2:2"},
	}
	for _, c := range cases {
		s := f.Span(c.start, c.end)
		if s.Text() != c.text || s.String() != c.at {
			t.Errorf("Span(%d, %d) = %q at %s, want %q at %s", c.start, c.end, s.Text(), s, c.text, c.at)
		}
	}
	joined := f.Span(0, 1).To(f.Span(3, 5))
	if joined.Text() != "ab\ncd" || joined.EndPosition() != (Position{2, 3}) {
		t.Errorf("To gave %q, ending at %v", joined.Text(), joined.EndPosition())
	}
}

func TestZeroSpanIsNoPlace(t *testing.T) {
	var s Span
	if !s.IsZero() || s.Text() != "" || s.String() != "-" {
		t.Errorf("zero span: IsZero %v, text %q, string %q", s.IsZero(), s.Text(), s)
	}
	if s.StartPosition() != (Position{}) || s.EndPosition() != (Position{}) {
		t.Errorf("zero span has positions %v, %v", s.StartPosition(), s.EndPosition())
	}
}
