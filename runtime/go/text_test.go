package sdp

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf8"
)

// texts are all lengths up to a few words, of one character and with another
// one at each place.
func texts(yield func(text string)) {
	for n := range 40 {
		plain := strings.Repeat("a", n)
		yield(plain)
		for i := range n {
			for _, c := range []string{"b", "!", "q", "\x80", "\xff", "\x00"} {
				yield(plain[:i] + c + plain[i+1:])
			}
		}
		yield(plain + "é")
		yield("😀" + plain)
	}
}

// TestTextIsUTF8AsTheStandardLibrarySays tries every pair of bytes, and every sequence of up to
// four of the bytes that the table of well-formed sequences tells apart, at
// the start of a text and across its words.
func TestTextIsUTF8AsTheStandardLibrarySays(t *testing.T) {
	check := func(text string) {
		for _, behind := range []string{"", "\xbf\xbf", "\x80\x80\x80\x80\x80\x80\x80\x80"} {
			if got := wellFormed(text+behind, len(text)); got != utf8.ValidString(text) {
				t.Fatalf("%q before %q is valid: %v", text, behind, got)
			}
		}
	}
	for a := range 256 {
		for b := range 256 {
			check(string([]byte{byte(a), byte(b)}))
			check("é 日 😀" + string([]byte{byte(a), byte(b)}))
		}
	}
	edges := "\x00\x7f\x80\x8f\x90\x9f\xa0\xbf\xc0\xc1\xc2\xdf\xe0\xe1\xec\xed\xee\xef\xf0\xf1\xf3\xf4\xf5\xf8\xff"
	var grow func(text string, left int)
	grow = func(text string, left int) {
		check(text)
		for i := range len(edges) {
			if left > 0 {
				grow(text+edges[i:i+1], left-1)
			}
		}
	}
	grow("", 4)
	grow("aaaaaa", 3)
	grow("\xf0\x9f", 3)
}

func TestTextIsKeptOnlyIfEveryByteIsTheSame(t *testing.T) {
	texts(func(text string) {
		for i := range len(text) {
			for _, flip := range []byte{1, 2, 0x10, 0x1f} {
				changed := []byte(text)
				changed[i] ^= flip
				var d Decoder
				d.Start(make([]byte, 100), 2)
				got := text
				d.sameText(string(changed)+"behind", len(changed), &got)
				if !d.Refused && got != string(changed) || d.Refused == utf8.Valid(changed) {
					t.Fatalf("%q is kept for %q", text, changed)
				}
			}
		}
	})
}

func TestTextThatIsTheSameTakesNoMemory(t *testing.T) {
	texts(func(text string) {
		var d Decoder // whose budget is nothing
		got := text
		if rest := d.sameText(text+"\xffbehind", len(text), &got); d.Refused == utf8.ValidString(text) || !d.Refused && rest != "\xffbehind" {
			t.Fatalf("%q: %q, refused: %v", text, rest, d.Refused)
		}
	})
}

func TestTextIsValidWhateverFollowsIt(t *testing.T) {
	texts(func(text string) {
		for _, behind := range []string{"", "x", "\xff\xfe", strings.Repeat("\xff", 20), strings.Repeat("x", 20)} {
			s := text + behind
			if got := validText(s, len(text)); got != utf8.ValidString(text) {
				t.Fatalf("%q before %q is valid: %v", text, behind, got)
			}
		}
	})
}

func TestDecodedTextIsThatOfTheInput(t *testing.T) {
	texts(func(text string) {
		texts := []string{"", "a", strings.Repeat("a", len(text)), text, strings.Repeat("z", 5000)}
		for _, alias := range []bool{false, true} {
			for _, before := range texts {
				var d Decoder
				d.StartWith(make([]byte, 100), 2, &DecodeOptions{AliasInput: alias})
				got := before
				framed := binary.LittleEndian.AppendUint32(nil, uint32(len(text)))
				rest := d.Text(string(framed)+text+"behind", &got)
				if d.Refused == utf8.ValidString(text) || !d.Refused && (got != text || rest != "behind") {
					t.Fatalf("%q into %.50q: %q, refused: %v", text, before, got, d.Refused)
				}
			}
		}
	})
}
